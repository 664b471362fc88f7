"""Does a reader that checks sums mend what a pupil got wrong?

    python benchmarks/sums.py [--count 150]
    python benchmarks/sums.py --labels formulas/hme100k_train.txt

Sums of two numbers and products, composed as ink of the hands of CROHME 2016: some come out, some
are off by a digit. Each is read twice, with sums and without. Told are those that are read rightly,
and the wrong sums that are read as one that comes out: with a note, or in silence.
With --labels: how many equations between numbers of a file of labels come out, and how many do not.
The same seed, the same sums. Needs the corpus (SAN_DATA, or shared/data).
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from matrices import hands
from san.errors import SanError, run_or_exit
from san.evaluation.metrics import Rate
from san.files import read_file
from san.grammar import Expression, GrammarError, parse
from san.ink.draw import Picture
from san.reader import Recognizer
from san.reader.rescoring.sums import check_sums
from san.synth.composer import Composer
from san.synth.config import ComposerConfig
from san.synth.variation.config import GENTLE

SEED = 2016
OPERATIONS = {"+": int.__add__, "-": int.__sub__, r"\times": int.__mul__}


def equation(comes_out: bool, rng: np.random.Generator) -> Expression:
    """Off by one digit where it does not come out."""
    sign = str(rng.choice([*OPERATIONS]))
    left, right = sorted((int(number) for number in rng.integers(2, 100, 2)), reverse=True)
    result = str(OPERATIONS[sign](left, right))
    if not comes_out:
        place = int(rng.integers(len(result)))
        others = sorted(set("123456789") - {result[place]})
        result = result[:place] + str(rng.choice(others)) + result[place + 1 :]
    return parse(f"{left}{sign}{right}={result}")


def composed(
    comes_out: bool, count: int, composer: Composer
) -> Iterator[tuple[Expression, Picture]]:
    for number in range(count):
        rng = np.random.default_rng((SEED, comes_out, number))
        tree = equation(comes_out, rng)
        yield tree, composer.compose(tree, rng).picture


def in_labels(file: Path) -> tuple[int, int]:
    """Right and wrong in a file of LaTeX, or id<TAB>LaTeX, a line each."""
    right = wrong = 0
    for line in read_file(file).decode("utf-8", "replace").split("\n"):
        with suppress(GrammarError):
            found = check_sums(parse(line.rpartition("\t")[2]))
            right, wrong = right + found.right, wrong + found.wrong
    if not right + wrong:
        raise SanError(f"{file}: no label has an equation between numbers")
    return right, wrong


def without_sums() -> Recognizer:
    reader = Recognizer()
    rescorer: Any = reader._again and reader._again.rescorer
    rescorer.weights = replace(rescorer.weights, sums=0.0)
    return reader


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=150, help="sums of each kind")
    parser.add_argument("--labels", type=Path, help="only count what comes out in these")
    parser.add_argument("--pack", type=Path, default=Path("packs/crohme-2016-ink.npz"))
    asked = parser.parse_args()
    if asked.count < 1:
        parser.error("--count is at least 1")
    if asked.labels:
        right, wrong = in_labels(asked.labels)
        share = Rate(right, right + wrong).percent
        print(f"{right + wrong:,} equations between numbers, {share:.0f}% come out")
        return
    composer = Composer(hands(asked.pack), config=ComposerConfig(distortion=GENTLE))
    readers = {"with sums": Recognizer(), "without": without_sums()}
    print("| | come out: read | do not: read | ... read as if they did | of these with a note |")
    print("| --- | --- | --- | --- | --- |")
    found: dict[str, Counter[str]] = {name: Counter() for name in readers}
    for comes_out in (True, False):
        sums = composed(comes_out, asked.count, composer)
        for tree, picture in track(sums, "reading", asked.count, transient=True):
            for name, reader in readers.items():
                formula = reader.read(picture)
                found[name][f"right {comes_out}"] += formula.expression == tree
                mended = not comes_out and check_sums(formula.expression).right > 0
                found[name]["mended"] += mended
                found[name]["told"] += mended and formula.whatever_sums is not None
    for name, own in found.items():
        cells = own["right True"], own["right False"], own["mended"], own["told"]
        print(f"| {name} | {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    run_or_exit(main)
