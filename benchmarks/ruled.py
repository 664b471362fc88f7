"""What rulings cost: formulas with points and ones on plain, ruled and squared paper.

    python benchmarks/ruled.py [--weights FILE] [--seeds 3] [--sheet FILE.png]

Formulas in the hand of our own copybook, enlarged as a scan is. Rulings run at several heights near
the feet of the letters, where points stand, and squares let strokes fall onto upright lines. Only
what is read on plain paper is counted, so each that is wrong is the paper's doing. Then the same as
simulated photographs.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from PIL import Image
from rich.progress import track

from san.errors import run_or_exit
from san.evaluation.metrics import Rate
from san.grammar import parse
from san.images.bitmap import Grey, Picture
from san.reader import Recognizer
from san.synth.composer import Composer
from san.synth.config import ComposerConfig
from san.synth.glyphs.copybook import Copybook
from san.synth.photo.paper import PaperPage, Ruling, photograph
from san.synth.variation.config import GENTLE

FORMULAS = (
    "3.14", "1.5+2.5=4.0", r"\sqrt{2}\approx 1.41", "y=0.5x+1.2", r"2.4\div 0.6=4", r"a\cdot b=c",
    "5!=120", "i+j=k", "f(x)=3x-1.5",
)  # fmt: skip
ENLARGED, MARGIN = 3, 40
SPACES = {"ruled": 110, "squared": 55}
OFFSETS = (-12, -9, -6, -3, 0, 3, 6, 12)
"""Pixels from the feet of the letters to a ruling."""
WIDTH, DARKNESS = 2, 195


PHOTOGRAPHS = {
    "plain": PaperPage(zoom=ENLARGED),
    "ruled": PaperPage(zoom=ENLARGED, ruling=Ruling.RULED, tilt=1.0),
    "squared": PaperPage(zoom=ENLARGED, ruling=Ruling.SQUARED, tilt=0.7),
    "large squares": PaperPage(zoom=ENLARGED, spacing=90, ruling=Ruling.SQUARED, tilt=-1.3),
    "squares in shadow": PaperPage(
        zoom=ENLARGED, ruling=Ruling.SQUARED, shadow=0.4, uneven=0.3
    ),
}  # fmt: skip


def written(composer: Composer, latex: str, seed: int) -> Picture:
    return composer.compose(parse(latex), np.random.default_rng(seed)).picture


def plain(composer: Composer, latex: str, seed: int) -> Grey:
    page = np.pad(255 - written(composer, latex, seed), MARGIN, constant_values=255)
    size = (page.shape[1] * ENLARGED, page.shape[0] * ENLARGED)
    return np.asarray(cv2.resize(page, size, interpolation=cv2.INTER_CUBIC), np.uint8)


def ruled(page: Grey, paper: str, offset: int) -> Grey:
    page, space = page.copy(), SPACES[paper]
    feet = int(np.flatnonzero((page < 128).any(axis=1))[-1])
    for line in range(WIDTH):
        rows = page[(feet + offset + line) % space :: space]
        np.minimum(rows, DARKNESS, out=rows)
        if paper == "squared":
            columns = page[:, line::space]
            np.minimum(columns, DARKNESS, out=columns)
    return page


def readable(composer: Composer, reader: Recognizer, seeds: int) -> Iterator[tuple[str, Grey]]:
    """Formulas that are read on plain paper, as they are read there."""
    every = [(latex, seed) for latex in FORMULAS for seed in range(1, seeds + 1)]
    for latex, seed in track(every, "plain", transient=True):
        page = plain(composer, latex, seed)
        if reader.read(page).expression == parse(latex):
            yield latex, page


def tell(paper: str, wrong: list[str], total: int) -> None:
    rate = Rate(total - len(wrong), total)
    print(f"{paper}: {rate.percent:.1f}% of {total}", *sorted(set(wrong)), sep="\n  ")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weights", type=Path, default=None)
    parser.add_argument("--seeds", type=int, default=3, help="times that each is written")
    parser.add_argument("--sheet", type=Path, help="save one page of each paper")
    asked = parser.parse_args()
    composer = Composer(Copybook(), config=ComposerConfig(distortion=GENTLE))
    reader = Recognizer(asked.weights)
    pages = list(readable(composer, reader, asked.seeds))
    print(f"plain: {len(pages)} of {asked.seeds * len(FORMULAS)} are read")
    if asked.sheet:
        pictures = [ruled(pages[0][1], paper, OFFSETS[0]) for paper in SPACES]
        Image.fromarray(np.vstack(pictures)).save(asked.sheet)
    for paper in SPACES:
        wrong: list[str] = []
        for latex, scan in track(pages, paper, transient=True):
            readings = [reader.read(ruled(scan, paper, offset)) for offset in OFFSETS]
            wrong += [f"{latex}: {one.latex}" for one in readings if one.expression != parse(latex)]
        tell(paper, wrong, len(pages) * len(OFFSETS))
    every = [(latex, seed) for latex in FORMULAS for seed in range(1, asked.seeds + 1)]
    for paper, page in PHOTOGRAPHS.items():
        wrong = []
        for latex, seed in track(every, paper, transient=True):
            one = reader.read(photograph(written(composer, latex, seed), page, seed))
            wrong += [f"{latex}: {one.latex}"] * (one.expression != parse(latex))
        tell(f"photographs, {paper}", wrong, len(every))


if __name__ == "__main__":
    run_or_exit(main)
