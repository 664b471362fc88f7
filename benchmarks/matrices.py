"""How many matrices are read that are composed of the hands of CROHME 2016: nobody's training ink.

    python benchmarks/matrices.py [--weights FILE] [--count 150] [--quick] [--sheet FILE.png]

Square matrices of 2 and 3 rows, in round or square brackets or bars, of numbers of one or two
digits and of letters, some negative; each in one hand, as ink. The same seed, the same matrices.
Needs the corpus (SAN_DATA, or shared/data).
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.progress import track

from corpora import CROHME
from san.data.contact_sheet import ContactSheet
from san.data.corpus import open_corpus
from san.data.pack import Pack, write_pack
from san.data.sample import Sample
from san.errors import run_or_exit
from san.evaluation.metrics import Rate
from san.grammar import Expression, parse, to_latex
from san.ink.draw import Picture
from san.reader import Recognizer
from san.synth.composer import Composer
from san.synth.config import ComposerConfig
from san.synth.variation.config import GENTLE

SIDES = (2, 3)
SEED = 2016
LETTERS = "abxynk"
BRACKETS = (("(", ")"), ("[", "]"), ("|", "|"))


def hands(cache: Path) -> Pack:
    """The ink of 2016, packed once."""
    if not cache.is_file():
        samples: Iterator[Sample] = iter(
            open_corpus(CROHME / "test2016.inkml.zip", CROHME / "test2016.tsv")
        )
        write_pack(samples, cache)
    return Pack.load(cache)


def entry(rng: np.random.Generator) -> str:
    sign = "-" if rng.random() < 0.2 else ""
    kind = rng.random()
    if kind < 0.25:
        return sign + LETTERS[rng.integers(len(LETTERS))]
    return sign + str(rng.integers(0, 10) if kind < 0.8 else rng.integers(10, 100))


def matrix(side: int, rng: np.random.Generator) -> Expression:
    before, after = BRACKETS[rng.integers(len(BRACKETS))]
    rows = r"\\".join("&".join(entry(rng) for _ in range(side)) for _ in range(side))
    return parse(rf"{before}\begin{{matrix}}{rows}\end{{matrix}}{after}")


def composed(side: int, count: int, composer: Composer) -> Iterator[tuple[Expression, Picture]]:
    for number in range(count):
        rng = np.random.default_rng((SEED, side, number))
        tree = matrix(side, rng)
        yield tree, composer.compose(tree, rng).picture


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, default=None)
    parser.add_argument("--count", type=int, default=150, help="matrices of each size")
    parser.add_argument("--quick", action="store_true", help="one pass, however unsure")
    parser.add_argument("--pack", type=Path, default=Path("packs/crohme-2016-ink.npz"))
    parser.add_argument("--sheet", type=Path, help="draw some of them; not to be published")
    asked = parser.parse_args()
    config = ComposerConfig(distortion=replace(GENTLE, reading_scale=True))
    composer = Composer(hands(asked.pack), config=config)
    if asked.sheet:
        sheet = ContactSheet(24, 24)
        for side in SIDES:
            for tree, picture in composed(side, 12, composer):
                sheet.add(picture, to_latex(tree))
        sheet.picture().save(asked.sheet)
        return
    reader = Recognizer(asked.weights, quick=asked.quick)
    for side in SIDES:
        right = 0
        matrices = composed(side, asked.count, composer)
        for tree, picture in track(matrices, f"{side} x {side}", asked.count, transient=True):
            right += reader.read(picture).expression == tree
        rate = Rate(right, asked.count)
        low, high = rate.interval
        print(f"{side} x {side}: {rate.percent:.1f}% of {asked.count} ({low:.1f} to {high:.1f})")


if __name__ == "__main__":
    run_or_exit(main)
