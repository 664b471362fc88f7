"""Crossing out: how much of it is found, and how often a formula is taken for crossed out.

    python benchmarks/crossed_out.py [--every 20] [--seed 0]

Over a symbol of CROHME's training ink a zigzag or a coil is drawn, over four symbols in a row a
line; each ink is looked at as strokes, and photographed by code as a picture. False alarms are
counted on the ink of 2014 and of training, and on the training and validation photographs.
"""

import argparse
from collections.abc import Iterator
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

from corpora import CORPORA, CROHME
from san.data.corpus import open_corpus
from san.errors import SanError, run_or_exit
from san.ink import Box, Ink, draw
from san.ink.crossed_out import crossed_out
from san.ink.draw import Pen, scale_of
from san.ink.strokes import box_of
from san.reader.prepared import prepare_image

Points = NDArray[np.float64]

MIN_SIZE = 14.0
"""Pixels of a symbol that somebody crosses out; a stroke is 28 high on average."""
ZOOM = 3
"""Times the size of the field's bitmaps: how large a photograph is."""


def zigzag(box: Box, random: np.random.Generator) -> Points:
    """To and fro over a box, five to ten times."""
    passes = int(random.integers(5, 11))
    turns = np.stack(
        [
            np.where(np.arange(passes + 1) % 2, 0.5, -0.5) + random.normal(0, 0.06, passes + 1),
            np.linspace(-0.5, 0.5, passes + 1) + random.normal(0, 0.04, passes + 1),
        ],
        axis=1,
    )
    if random.random() < 0.3:
        turns = turns[:, ::-1]
    along = np.linspace(0, passes, 8 * passes + 1)
    way = np.stack([np.interp(along, np.arange(passes + 1), turns[:, n]) for n in (0, 1)], axis=1)
    return _over(box, way * random.uniform(1.05, 1.4, 2), random)


def coil(box: Box, random: np.random.Generator) -> Points:
    """Round and round over a box, four to seven times."""
    turns = int(random.integers(4, 8))
    angle = np.linspace(0, 2 * np.pi * turns, 24 * turns)
    across = np.linspace(-0.4, 0.4, len(angle)) + 0.35 * np.cos(angle)
    return _over(box, np.stack([across, 0.6 * np.sin(angle)], axis=1), random)


def strike(boxes: list[Box], random: np.random.Generator) -> Points:
    """A line through a row."""
    around = Box(*(f(box[n] for box in boxes) for n, f in enumerate((min, min, max, max))))
    along = np.linspace(-0.55, 0.55, 40)
    tilt = random.uniform(-0.15, 0.15) * along + random.normal(0, 0.05)
    return _over(around, np.stack([along, tilt], axis=1), random)


def _over(box: Box, way: Points, random: np.random.Generator) -> Points:
    middle = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    size = max(box.width, 12.0), max(box.height, 12.0)
    return np.asarray(way * size + middle + random.normal(0, 0.4, way.shape))


def crossings(every: int, random: np.random.Generator) -> Iterator[tuple[str, Ink, set[int]]]:
    """Kind, ink with a crossing as its last stroke, and what is crossed out with it."""
    for number, sample in enumerate(open_corpus(CROHME / "train.inkml.zip")):
        if number % every or sample.ink is None:
            continue
        scale = np.float32(scale_of(sample.ink))
        strokes = [stroke * scale for stroke in sample.ink.strokes]
        glyphs = [
            (box_of([strokes[one] for one in glyph.strokes]), set(glyph.strokes))
            for glyph in sample.glyphs
        ]
        last = {len(strokes)}
        large = [one for one in glyphs if max(one[0].width, one[0].height) >= MIN_SIZE]
        if large:
            box, own = large[int(random.integers(len(large)))]
            yield "zigzag", Ink.of([*strokes, zigzag(box, random)]), own | last
            yield "coil", Ink.of([*strokes, coil(box, random)]), own | last
        for start in range(len(glyphs) - 3):
            row = glyphs[start : start + 4]
            if _in_a_row([box for box, _ in row]):
                own = set().union(*(one for _, one in row))
                line = strike([box for box, _ in row], random)
                yield "line through four", Ink.of([*strokes, line]), own | last
                break


def _in_a_row(boxes: list[Box]) -> bool:
    middles = [(box.top + box.bottom) / 2 for box in boxes]
    tall = sum(box.height >= MIN_SIZE for box in boxes) >= 3
    apart = all(one.right <= other.left for one, other in pairwise(boxes))
    return tall and apart and max(middles) - min(middles) < MIN_SIZE


def photographed(ink: Ink, random: np.random.Generator) -> NDArray[np.uint8]:
    """Dark soft strokes on grey noisy paper."""
    pen = Pen(width=int(random.integers(6, 11)))
    drawn = draw(Ink.of([ZOOM * stroke for stroke in ink.strokes]), pen, scale=1.0)
    soft = cv2.GaussianBlur(np.pad(drawn, 60), (0, 0), 2).astype(np.float32)
    paper = 255 - random.uniform(10, 60) + random.normal(0, 4, soft.shape)
    return np.asarray((paper - 0.7 * soft).clip(0, 255), np.uint8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--every", type=int, default=20, help="only each so-many-th training ink")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    found: dict[str, list[tuple[bool, bool, bool]]] = {}
    for kind, ink, own in track(crossings(options.every, random), "crossings", transient=True):
        taken = {number for one in crossed_out(ink) for number in one.strokes}
        try:
            blots = bool(prepare_image(photographed(ink, random)).crossed_out)
        except SanError:
            blots = False
        found.setdefault(kind, []).append((bool(taken), taken == own, blots))
    table = Table("", "drawn", "ink: found", "exactly", "photographed: found")
    for kind, rows in found.items():
        table.add_row(kind, f"{len(rows)}", *(f"{share:.1%}" for share in np.mean(rows, axis=0)))
    console = Console(width=100)
    console.print(table)
    for name in ("crohme/test2014.inkml.zip", "crohme/train.inkml.zip"):
        inks = [sample.ink for sample in open_corpus(CORPORA / name)]
        alarms = sum(bool(ink is not None and crossed_out(ink)) for ink in inks)
        console.print(f"{name}: {alarms} false alarms of {len(inks):,}")
    for name in ("hme100k/val_photos.zip", "hme100k/train_photos.zip"):
        pictures = [sample.picture() for sample in open_corpus(CORPORA / name)]
        alarms = sum(bool(prepare_image(picture).crossed_out) for picture in pictures)
        console.print(f"{name}: {alarms} false alarms of {len(pictures):,}")


if __name__ == "__main__":
    run_or_exit(main)
