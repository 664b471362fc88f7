"""What the second pass is worth: each picture read with one greedy pass, and as `san read` does.

    python benchmarks/rescoring.py test2014.bitmaps.zip test2016.bitmaps.zip test2016.inkml.zip

Both read every picture, one right after the other, on one core: the ratio of their times is of the
same minutes. Ink is read as its picture, too: what is gained beside that, strokes tell. ECE: the
gap between confidence and the share that is right, in bins of equal mass.
"""

import argparse
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from san.data.corpus import open_corpus
from san.data.sample import Sample
from san.errors import SanError, run_or_exit
from san.evaluation.metrics import calibration_error
from san.reader import Formula, Recognizer

AS_PICTURE = "second pass, of the picture alone"


Read = Callable[[Sample], Formula]


def compare(readers: dict[str, Read], path: Path, count: int | None, table: Table) -> None:
    samples = list(islice(open_corpus(path), count))
    if not samples:
        raise SanError(f"{path}: nothing of it is to be read")
    if not samples[0].ink:
        readers = {name: read for name, read in readers.items() if name != AS_PICTURE}
    right = np.zeros((len(readers), len(samples)), bool)
    sure = np.zeros((len(readers), len(samples)))
    times = np.zeros(len(readers))
    for place, sample in enumerate(track(samples, path.name, transient=True)):
        for number, read in enumerate(readers.values()):
            begin = process_time()
            formula = read(sample)
            times[number] += process_time() - begin
            right[number, place] = formula.expression == sample.tree
            sure[number, place] = formula.confidence
    for number, name in enumerate(readers):
        gained, lost = right[number] & ~right[0], right[0] & ~right[number]
        surest = np.argsort(sure[number], kind="stable")[len(samples) // 2 :]
        table.add_row(
            f"{path.name}, {name}",
            f"{100 * right[number].mean():.2f}",
            f"{gained.sum()}",
            f"{lost.sum()}",
            f"x {times[number] / times[0]:.2f}",
            f"{100 * sure[number].mean():.1f}%",
            f"{calibration_error(sure[number], right[number]):.3f}",
            f"{100 * right[number, surest].mean():.1f}%",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", type=Path, nargs="+", help="folders or zips of images or ink")
    parser.add_argument("--count", type=int, help="only the first so many of each")
    options = parser.parse_args()
    quick, usual = Recognizer(threads=1, quick=True), Recognizer(threads=1)
    readers: dict[str, Read] = {
        "one pass": lambda sample: quick.read(sample.ink or sample.picture()),
        AS_PICTURE: lambda sample: usual.read(sample.picture()),
        "second pass": lambda sample: usual.read(sample.ink or sample.picture()),
    }
    table = Table("", "ExpRate", "gained", "lost", "CPU", "confidence", "ECE", "surest half")
    for path in options.corpora:
        compare(readers, path, options.count, table)
    Console(width=120).print(table)


if __name__ == "__main__":
    run_or_exit(main)
