"""How photographs of several lines are written, and how like them made ones are.

    python benchmarks/lines.py packs/lines.npz [--config configs/san.toml] [--made 300]

Of systems behind a brace and of stacked lines whose rows can be told apart by their ink alone:
lengths are in heights of a letter, the median height of their pieces, whose pixels come last. Made
samples are those in the style of photographs, with the files that the configuration names.
"""

import argparse
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.data.pack import Pack
from san.errors import run_or_exit
from san.grammar import Expression
from san.grammar.grids import find_grids, rows_of
from san.grammar.tree import Relation
from san.images.clean.components import find_components
from san.ink.draw import Picture
from san.synth.mixture import Mixture
from san.training.config import load_config

MIN_LETTER, MAX_LETTER = 6, 0.45
"""Pixels; part of the picture's height: what is smaller is a dot, what is taller no letter."""
BRACE_HEIGHT, BRACE_LEFT = 0.45, 0.25
"""Parts of the picture: a brace is as tall, and begins as far left."""
MIN_ROW = 0.4
"""Letters: flatter bands of ink are no row."""
PERCENTILES = (2, 10, 25, 50, 75, 90, 98)


class Rows(NamedTuple):
    """One picture's rows, in letters; and the letter in pixels."""

    gaps: list[float]  # between the ink of two rows
    starts: list[float]  # of each row but the first, right of the first's
    brace: tuple[float, float, float] | None  # top and bottom below the rows', width
    letter: float


def measured(picture: Picture, tree: Expression) -> Rows | None:
    """None where the tree is of another kind, or the rows cannot be told apart."""
    grids = find_grids(tree.symbols)
    if len(grids) != 1 or grids[0].environment not in ("cases", "aligned", "gathered"):
        return None
    grid = grids[0]
    if grid.first or grid.last + 1 < len(tree.symbols):
        return None
    count = len(rows_of(tree.symbols[grid.place].branch(Relation.INSIDE)))
    pieces = find_components((picture > 0).view(np.uint8)).stats
    brace = None
    if grid.environment == "cases":
        height, width = picture.shape
        tall = (pieces[:, 3] > BRACE_HEIGHT * height) & (pieces[:, 0] < BRACE_LEFT * width)
        if not tall.any():
            return None
        brace = pieces[tall][pieces[tall][:, 0].argmin()]
        right = pieces[:, 0] + pieces[:, 2] / 2 > brace[0] + 0.6 * brace[2]
        pieces = pieces[right & (pieces != brace).any(axis=1)]
    letters = pieces[(pieces[:, 3] > MIN_LETTER) & (pieces[:, 3] < MAX_LETTER * len(picture)), 3]
    if len(letters) < 3:
        return None
    letter = float(np.median(letters))
    bands = _bands(pieces, len(picture), MIN_ROW * letter)
    if len(bands) != count:
        return None
    middles = pieces[:, 1] + pieces[:, 3] / 2
    starts = [float(pieces[(middles >= a) & (middles < b), 0].min()) for a, b in bands]
    ends = None
    if brace is not None:
        top, bottom = bands[0][0], bands[-1][1]
        below = (brace[1] - top, brace[1] + brace[3] - bottom, brace[2])
        ends = (below[0] / letter, below[1] / letter, below[2] / letter)
    return Rows(
        [(after[0] - before[1]) / letter for before, after in pairwise(bands)],
        [(start - starts[0]) / letter for start in starts[1:]],
        ends,
        letter,
    )


def _bands(pieces: NDArray[np.int32], height: int, least: float) -> list[tuple[int, int]]:
    """Rows of pixels with ink, from and to."""
    inked = np.zeros(height + 2, bool)
    for _, top, _, tall, _ in pieces.tolist():
        inked[top + 1 : top + 1 + tall] = True
    edges = np.flatnonzero(np.diff(inked.astype(int)))
    bands = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(a, b) for a, b in bands if b - a > least]


def table(name: str, samples: Iterable[tuple[Picture, Expression]]) -> None:
    total, rows = 0, []
    for picture, tree in samples:
        total += 1
        if (found := measured(picture, tree)) is not None:
            rows.append(found)
    print(f"\n{name}: {len(rows)} of {total} measured; percentiles {PERCENTILES}")
    braces = [row.brace for row in rows if row.brace]
    for what, values in (
        ("gap between rows", [gap for row in rows for gap in row.gaps]),
        ("start of a row", [start for row in rows for start in row.starts]),
        ("brace's top, below the rows'", [brace[0] for brace in braces]),
        ("brace's bottom, below the rows'", [brace[1] for brace in braces]),
        ("brace's width", [brace[2] for brace in braces]),
        ("letter, in pixels", [row.letter for row in rows]),
    ):
        shown = " ".join(f"{value:6.2f}" for value in np.percentile(values, PERCENTILES))
        print(f"{what:32} {shown}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("photos", type=Path, help="a pack of cleaned photographs")
    parser.add_argument("--config", type=Path, default=Path("configs/san.toml"))
    parser.add_argument("--made", type=int, default=300, help="samples to make; 0: none")
    parser.add_argument("--set", action="append", default=[], help="section.key=value")
    asked = parser.parse_args()
    cv2.setNumThreads(1)
    pack = Pack.load(asked.photos)
    table("photographs", ((pack.image(place), pack.tree(place)) for place in range(len(pack))))
    if not asked.made:
        return
    config = load_config(asked.config, asked.set)
    mixer = Mixture(config.data.train, config.synth).open()
    assert mixer.lines is not None
    made = []
    for seed in range(asked.made):
        rng = np.random.default_rng(seed)
        sample = mixer.as_photograph(mixer.lines.photo_style.sample(rng), rng)
        made.append((sample.picture, sample.tree))
    table("made", made)


if __name__ == "__main__":
    run_or_exit(main)
