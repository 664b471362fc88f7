"""A hand-made stroke alphabet: ink of our own, for tests, samples and documentation.

Design choices
- The alphabet is data: a shape is a few points on a grid, and a smooth curve runs through them.
- A shape has no size. Whoever composes an expression says which box each symbol fills, so that the
  layout of a formula is plain to see where it is written.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from san.ink.strokes import Box, Glyph, Ink, Points, Sheet, box_of

# Points are "x,y" with y down; "!" after a point makes a corner there; "/" lifts the pen.
SHAPES: dict[str, str] = {
    "0": "6,0.3 3,0.3 0,4 1,8 4,10 8,8 9,4 6,0.3 4,0",
    "1": "0,3 4,0! 4,10",
    "2": "0,2 3,0 7,1 7,4 3,7 0,10! 9,10",
    "3": "0,1 4,0 7,2 3,5! 8,7 5,10 0,9",
    "4": "5,0 0,7! 9,7 / 7,3 7,10",
    "5": "1,0! 1,4! 5,4 8,7 5,10 0,9 / 1,0 8,0",
    "6": "7,0 2,4 0,7 2,10 6,10 7,7 4,5 0.5,7",
    "7": "0,0! 8,0! 3,10",
    "8": "7,1.5 4,0 1,1 1,3 4,5 7,7 7,9 4,10 1,9 1,7 4,5 7,3 7,1.5 5,0",
    "9": "7,3 4,0 1,3 4,5 7,2! 7,7 5,10",
    "a": "8,2 6,0 3,0.5 0,5 1,9 4,10 7,7 8,0! 8,8 10,10",
    "b": "0,0! 0,10! 0,7 3,4 6,5 7,7 6,9.5 3,10 0,9",
    "c": "8,2 6,0 3,0.5 0,5 2,9 5,10 8,8",
    "d": "7,5 5,4 2,4.5 0,7 1,9.5 4,10 7,8! 7,0! 7,10",
    "e": "0,5 8,5 5,0 1,3 1,8 5,10 9,8",
    "i": "0,4 0,10 / 0,0",
    "k": "0,0 0,10 / 6,4 0,7! 6,10",
    "n": "0,0! 0,10! 1,3 5,0 7,3 7,10",
    "x": "0,0 4,4 8,10 / 8,0 4,5 0,10",
    "y": "0,0 1,4 4,4 6,0! 6,6 3,10 0,8",
    "z": "0,0! 8,0! 0,10! 8,10",
    "+": "5,0 5,10 / 0,5 10,5",
    "-": "0,0 10,0",
    "=": "0,0 10,0 / 0,10 10,10",
    "(": "3,0 0,3 0,7 3,10",
    ")": "0,0 3,3 3,7 0,10",
    ",": "2,0 2,5 0,10",
    ".": "0,0",
    r"\alpha": "9,0 6,6 3,10 0,5 3,0 6,4 9,10",
    r"\cdot": "0,0",
    r"\frac": "0,0 10,0",
    r"\infty": "5,5 2,0 0,5 2,10 5,5 8,0 10,5 8,10 5,5",
    r"\int": "8,1 6,0 5,2 5,8 3,10 1,9",
    r"\pi": "0,1 2,0! 10,0 / 3,0 3,6 2,10 / 7,0 7,8 9,10",
    r"\pm": "5,0 5,7 / 0,3.5 10,3.5 / 0,10 10,10",
    r"\sqrt": "0,7! 0.6,6! 1.2,10! 2,0! 10,0",
    r"\sum": "10,1.5 9,0! 0,0! 5,5! 0,10! 9,10! 10,8.5",
    r"\times": "0,0 10,10 / 10,0 0,10",
}

SAMPLES = 8
"""Points a curve takes from one grid point to the next."""


def compose(placed: Iterable[tuple[str, Box]], truth: str | None = None) -> Sheet:
    """Write each symbol into its box: ink, segmentation and truth of one expression."""
    strokes: list[Points] = []
    glyphs: list[Glyph] = []
    for label, box in placed:
        own = write(label, box)
        indices = range(len(strokes), len(strokes) + len(own))
        strokes += own
        glyphs.append(Glyph(label, tuple(indices), box_of(own)))
    return Sheet(Ink(tuple(strokes)), tuple(glyphs), truth)


def write(label: str, box: Box) -> list[Points]:
    """The strokes of one symbol, stretched to fill its box; a bar or a dot lies in its middle."""
    strokes = [_stroke(words) for words in SHAPES[label].split("/")]
    low = np.min([stroke.min(axis=0) for stroke in strokes], axis=0)
    extent = np.max([stroke.max(axis=0) for stroke in strokes], axis=0) - low
    corner, size = np.array(box[:2]), np.array([box.width, box.height])
    start = np.where(extent > 0, corner, corner + size / 2)
    factor = size / np.where(extent > 0, extent, 1)
    return [np.asarray(start + (stroke - low) * factor, np.float32) for stroke in strokes]


def _stroke(words: str) -> Points:
    """Smooth curves from corner to corner."""
    pieces: list[list[list[float]]] = [[]]
    for word in words.split():
        knot = [float(value) for value in word.rstrip("!").split(",")]
        pieces[-1].append(knot)
        if word.endswith("!"):
            pieces.append([knot])
    return np.concatenate([_curve(np.array(piece)) for piece in pieces]).astype(np.float32)


def _curve(knots: NDArray[np.float64]) -> NDArray[np.float64]:
    """A Catmull-Rom curve through the knots; two knots give a straight line, one a dot."""
    ends = np.concatenate([knots[:1], knots, knots[-1:]])
    before, start, end, after = (ends[i : len(knots) - 1 + i, None] for i in range(4))
    t = np.linspace(0, 1, SAMPLES, endpoint=False)[:, None]
    bends = (
        2 * start
        + (end - before) * t
        + (2 * before - 5 * start + 4 * end - after) * t**2
        + (3 * start - before - 3 * end + after) * t**3
    ) / 2
    return np.concatenate([bends.reshape(-1, 2), knots[-1:]])
