"""A hand-made stroke alphabet: ink of our own, for tests, samples and documentation.

Design choices
- The alphabet is data (`alphabet_shapes`): a shape is a few knots on ruled paper, and a smooth
  curve runs through them. Whoever moves the knots a little writes like a hand (`alphabet_hand`).
- `compose` leaves layout to its caller, who says which box each symbol fills, so that the layout
  of a formula is plain to see where it is written.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.ink.alphabet_shapes import SHAPES, WORDS
from san.ink.alphabet_signs import SIGN_WAYS
from san.ink.alphabet_ways import LETTER_WAYS
from san.ink.strokes import Box, Glyph, Ink, Points, Sheet, box_of

__all__ = [
    "SHAPES", "WAYS", "WORDS", "Outline", "compose", "curve", "gather", "outlines", "traced",
    "write"
]  # fmt: skip

Knots = NDArray[np.float64]

WAYS = {**LETTER_WAYS, **SIGN_WAYS}
"""Symbols that are written in more ways than one: those that the plain alphabet does not have."""
SAMPLES = 8
"""Points a curve takes from one knot to the next."""
BETWEEN_LETTERS = 1.6
"""Of a word, in units of the ruled paper."""


class Outline(NamedTuple):
    """One stroke before it is drawn out: its knots (n, 2), and which of them are corners.

    Of many writings of one stroke the knots are (many, n, 2).
    """

    knots: Knots
    corners: tuple[int, ...]


def compose(placed: Iterable[tuple[str, Box]], truth: str | None = None) -> Sheet:
    """Write each symbol into its box: ink, segmentation and truth of one expression."""
    return gather(((label, write(label, box)) for label, box in placed), truth)


def gather(written: Iterable[tuple[str, list[Points]]], truth: str | None = None) -> Sheet:
    """Symbols with their strokes, in writing order: ink, segmentation and truth."""
    strokes: list[Points] = []
    glyphs: list[Glyph] = []
    for label, own in written:
        indices = range(len(strokes), len(strokes) + len(own))
        strokes += own
        glyphs.append(Glyph(label, tuple(indices), box_of(own)))
    return Sheet(Ink(tuple(strokes)), tuple(glyphs), truth)


def write(label: str, box: Box) -> list[Points]:
    """The strokes of one symbol, stretched to fill its box; a bar or a dot lies in its middle."""
    strokes = [curve(outline) for outline in outlines(label)]
    low = np.min([stroke.min(axis=0) for stroke in strokes], axis=0)
    extent = np.max([stroke.max(axis=0) for stroke in strokes], axis=0) - low
    corner, size = np.array(box[:2]), np.array([box.width, box.height])
    start = np.where(extent > 0, corner, corner + size / 2)
    factor = size / np.where(extent > 0, extent, 1)
    return [np.asarray(start + (stroke - low) * factor, np.float32) for stroke in strokes]


def outlines(label: str) -> list[Outline]:
    """The strokes of a symbol on the ruled paper, from x = 0 on; a word's letters side by side."""
    if label not in WORDS:
        return traced(SHAPES[label])
    strokes: list[Outline] = []
    pen = 0.0
    for letter in WORDS[label]:
        own = outlines(letter)
        strokes += [Outline(knots + np.array([pen, 0]), corners) for knots, corners in own]
        pen = max(knots[:, 0].max() for knots, _ in strokes) + BETWEEN_LETTERS
    return strokes


def traced(shape: str) -> list[Outline]:
    """The strokes of a shape as the alphabet notes it down."""
    return [_outline(words) for words in shape.split("/")]


def _outline(words: str) -> Outline:
    points = words.split()
    knots = [[float(value) for value in point.rstrip("!").split(",")] for point in points]
    corners = tuple(index for index, point in enumerate(points) if point.endswith("!"))
    return Outline(np.array(knots), corners)


def curve(outline: Outline) -> NDArray[np.float64]:
    """Smooth curves from corner to corner."""
    count = outline.knots.shape[-2]
    ends = [0, *outline.corners, count - 1]
    pieces = [
        _smooth(outline.knots[..., start : end + 1, :])
        for start, end in pairwise(ends)
        if end > start or count == 1
    ]
    joined = [pieces[0], *(piece[..., 1:, :] for piece in pieces[1:])]
    return np.concatenate(joined, axis=-2)


def _smooth(knots: Knots) -> NDArray[np.float64]:
    """A centripetal Catmull-Rom curve: however uneven the knots, it neither loops nor overshoots.

    Two knots give a straight line, one a dot.
    """
    if knots.shape[-2] == 1:
        return knots
    first, last = knots[..., :1, :], knots[..., -1:, :]
    before, after = 2 * first - knots[..., 1:2, :], 2 * last - knots[..., -2:-1, :]
    steps = np.diff(np.concatenate([before, knots, after], axis=-2), axis=-2)
    time = np.sqrt(np.linalg.norm(steps, axis=-1)).clip(1e-6)[..., None]
    speed = steps / time
    early, late = time[..., :-1, :], time[..., 1:, :]
    # How fast the pen passes each knot: of the ways before and after, the shorter counts more.
    passing = (speed[..., :-1, :] * late + speed[..., 1:, :] * early) / (late + early)
    leave, arrive = (
        (own * time[..., 1:-1, :])[..., None, :]
        for own in (passing[..., :-1, :], passing[..., 1:, :])
    )
    start, end = knots[..., :-1, None, :], knots[..., 1:, None, :]
    t = np.linspace(0, 1, SAMPLES, endpoint=False)[:, None]
    bends = (
        start
        + leave * t
        + (3 * (end - start) - 2 * leave - arrive) * t**2
        + (2 * (start - end) + leave + arrive) * t**3
    )
    return np.concatenate([bends.reshape(*knots.shape[:-2], -1, 2), last], axis=-2)
