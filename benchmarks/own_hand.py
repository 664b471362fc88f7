"""What a network gains that is tuned to one hand, by recipes/own-hand.sh, and what it costs others.

    python benchmarks/own_hand.py 2016 --writers 5 -o FOLDER

Every other formula of a writer is tuned on, the others are the test. Those writers are taken of
whose first half the shipped network misreads most: they have most to correct. What is read of other
writers is told by a sample of CROHME 2014. FOLDER keeps what is done, so that the same command goes
on; the tuned weights may be thrown away. Needs the corpus (SAN_DATA, or shared/data).
"""

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from itertools import compress
from pathlib import Path

from corpora import CROHME
from san.errors import SanError, run_or_exit
from san.grammar import GrammarError, parse
from san.ink import Sheet, read_many, write_inkml
from san.reader import Recognizer

RECIPE = Path(__file__).parents[1] / "recipes" / "own-hand.sh"
MIN_SHEETS = 20
"""Of a writer: fewer are too few to be tuned on and tested."""


def by_writer(corpus: Path) -> dict[str, list[Sheet]]:
    """Those with a label that parses, of writers with enough of them."""
    writers: dict[str, list[Sheet]] = defaultdict(list)
    for sheet in read_many(corpus, on_skip=lambda *_: None):
        writers[sheet.writer or ""].append(sheet)
    return {name: sheets for name, sheets in sorted(writers.items()) if len(sheets) >= MIN_SHEETS}


def rights(reader: Recognizer, sheets: Iterable[Sheet]) -> list[bool]:
    """Which of them are read without any error."""
    found = []
    for sheet in sheets:
        try:
            found.append(reader.read(sheet).expression == parse(sheet.truth or ""))
        except (SanError, GrammarError):
            found.append(False)
    return found


def tuned(sheets: list[Sheet], folder: Path, options: argparse.Namespace) -> Path:
    """The weights that the recipe makes of some sheets."""
    collection = folder / "collection"
    if not collection.exists():
        collection.mkdir(parents=True)
        for number, sheet in enumerate(sheets):
            (collection / f"{number:03}.inkml").write_bytes(write_inkml(sheet))
    corpus = (options.others or CROHME / "train.inkml.zip").resolve()
    others = () if options.alone else ("-d", str(corpus))
    configured = ("-c", str(options.config.resolve())) if options.config else ()
    environment = {**os.environ, "PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}
    with (folder / "log.txt").open("a") as log:
        done = subprocess.run(
            [str(RECIPE), "collection", *others, *configured],
            cwd=folder, env=environment, stdout=log, stderr=log, check=False,
        )  # fmt: skip
    if done.returncode:
        raise SanError(f"{folder / 'log.txt'}: the recipe ended with {done.returncode}")
    return folder / "runs" / "own-hand" / "own-hand.safetensors"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("year", choices=("2014", "2016"))
    parser.add_argument("--writers", type=int, default=5)
    parser.add_argument("--sample", type=int, default=60, help="formulas of others, of 2014")
    parser.add_argument("--others", type=Path, help="ink to mix in; by default CROHME's")
    parser.add_argument("--alone", action="store_true", help="without the ink of others")
    parser.add_argument("--config", type=Path, help="another configuration for the recipe")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    writers = by_writer(CROHME / f"test{options.year}.inkml.zip")
    shipped = Recognizer(threads=1)
    choice = options.output / f"misread-{options.year}.json"
    if not choice.exists():
        options.output.mkdir(parents=True, exist_ok=True)
        halves = ((name, sheets[::2]) for name, sheets in writers.items())
        counts = {name: rights(shipped, half).count(False) for name, half in halves}
        choice.write_text(json.dumps(counts))
    misread = json.loads(choice.read_text())
    chosen = sorted(writers, key=lambda name: (-misread[name], name))[: options.writers]
    everybody = list(read_many(CROHME / "test2014.inkml.zip", on_skip=lambda *_: None))
    others = everybody[:: len(everybody) // options.sample]
    others_before = rights(shipped, others)
    total = [0] * 6
    print("writer, right of their own: before, tuned, of; of others: before, tuned, of")
    for name in chosen:
        folder = options.output / f"{options.year}-{name}"
        kept = folder / "scores.json"
        if not kept.exists():
            tuning, test = writers[name][::2], writers[name][1::2]
            reader = Recognizer(tuned(tuning, folder, options), threads=1)
            own = rights(shipped, test), rights(reader, test)
            ours = [sheet.writer != name for sheet in others]  # who is tuned on is no other
            before = list(compress(others_before, ours))
            after = rights(reader, compress(others, ours))
            scores = [*map(sum, own), len(test), sum(before), sum(after), len(after)]
            kept.write_text(json.dumps(scores))
        row = json.loads(kept.read_text())
        total = [one + more for one, more in zip(total, row, strict=True)]
        print(name, *row, flush=True)
    print("all", *total)


if __name__ == "__main__":
    run_or_exit(main)
