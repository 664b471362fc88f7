"""How many sums of decimal numbers are read, with points and with commas.

    python benchmarks/decimal_commas.py [--weights FILE] [--count 150] [--quick]

Two or three numbers, some with a letter behind them, and what they come to; the same both ways, by
the hands of CROHME 2016: nobody's training ink. The same seed, the same sums. Needs the corpus
(SAN_DATA, or shared/data).
"""

import argparse
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
from rich.progress import track

from matrices import hands
from san.errors import run_or_exit
from san.evaluation.metrics import Rate
from san.grammar import Expression, Symbol, parse
from san.reader import Recognizer
from san.synth.composer import Composer
from san.synth.config import ComposerConfig
from san.synth.formulas.decimal_commas import with_decimal_commas
from san.synth.variation.config import GENTLE

SEED = 2016
LETTERS = ("", "", "x", "a", "n")


def decimal_sum(rng: np.random.Generator) -> Expression:
    places = int(rng.integers(1, 3))
    letter = LETTERS[rng.integers(len(LETTERS))]
    numbers = [
        Decimal(int(rng.integers(1, 10**3))).scaleb(-places) for _ in range(rng.integers(2, 4))
    ]
    total = sum(numbers, Decimal(0))
    return parse("+".join(f"{number}{letter}" for number in numbers) + f"={total}{letter}")


def count_commas(tree: Expression) -> int:
    return tree.symbols.count(Symbol(","))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, default=None)
    parser.add_argument("--count", type=int, default=150, help="sums")
    parser.add_argument("--quick", action="store_true", help="one pass, however unsure")
    parser.add_argument("--pack", type=Path, default=Path("packs/crohme-2016-ink.npz"))
    asked = parser.parse_args()
    config = ComposerConfig(distortion=replace(GENTLE, reading_scale=True))
    composer = Composer(hands(asked.pack), config=config)
    reader = Recognizer(asked.weights, quick=asked.quick)
    for mark in ("points", "commas"):
        right = commas = found = 0
        for number in track(range(asked.count), mark, transient=True):
            rng = np.random.default_rng((SEED, number))
            tree = decimal_sum(rng)
            if mark == "commas":
                tree = with_decimal_commas(tree)
            read = reader.read(composer.compose(tree, rng).picture).expression
            right += read == tree
            commas += count_commas(tree)
            found += min(count_commas(read), count_commas(tree))
        rate = Rate(right, asked.count)
        low, high = rate.interval
        print(f"{mark}: {rate.percent:.1f}% of {asked.count} ({low:.1f} to {high:.1f})", end="")
        print(f"; {found} of {commas} commas" if commas else "")


if __name__ == "__main__":
    run_or_exit(main)
