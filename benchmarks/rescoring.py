"""What the second pass is worth: each picture read with one greedy pass, and as `san read` does.

    python benchmarks/rescoring.py test2014.bitmaps.zip test2016.bitmaps.zip

Both read every picture, one right after the other, on one core: the ratio of their times is of the
same minutes. ECE: the gap between confidence and the share that is right, in bins of equal mass.
"""

import argparse
from pathlib import Path
from time import process_time

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from san.data.corpus import open_corpus
from san.errors import run_or_exit
from san.evaluation.metrics import calibration_error
from san.reader import Recognizer


def compare(readers: dict[str, Recognizer], path: Path, count: int | None, table: Table) -> None:
    samples = list(open_corpus(path))[:count]
    right = np.zeros((len(readers), len(samples)), bool)
    sure = np.zeros((len(readers), len(samples)))
    times = np.zeros(len(readers))
    for place, sample in enumerate(track(samples, path.name, transient=True)):
        picture = sample.picture()
        for number, reader in enumerate(readers.values()):
            begin = process_time()
            formula = reader.read(picture)
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
    parser.add_argument("corpora", type=Path, nargs="+", help="folders or zips of images")
    parser.add_argument("--count", type=int, help="only the first so many of each")
    options = parser.parse_args()
    readers = {
        "one pass": Recognizer(threads=1, quick=True),
        "second pass": Recognizer(threads=1),
    }
    table = Table("", "ExpRate", "gained", "lost", "CPU", "confidence", "ECE", "surest half")
    for path in options.corpora:
        compare(readers, path, options.count, table)
    Console(width=120).print(table)


if __name__ == "__main__":
    run_or_exit(main)
