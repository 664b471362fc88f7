"""A hand-made stroke alphabet: ink of our own, for tests, samples and documentation.

Design choices
- The alphabet is data (`alphabet_letters`, `alphabet_signs`): a shape is a few knots on ruled
  paper, and a smooth curve runs through them.
- `compose` leaves layout to its caller, who says which box each symbol fills, so that the layout
  of a formula is plain to see where it is written.
- A simulated writer moves the KNOTS of a shape, not the points of its curve: strokes stay as smooth
  as a pen leaves them, and yet two letters of one word differ. Habits (slant, width, how unsteady)
  are the writer's own; a seed says the rest. The same seed writes the same ink.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.ink.alphabet_letters import LETTER_VARIANTS, SHAPES, WORDS
from san.ink.alphabet_signs import SIGN_VARIANTS
from san.ink.strokes import Box, Glyph, Ink, Points, Sheet, box_of

__all__ = [
    "SHAPES", "VARIANTS", "WORDS", "KnotStroke", "SimulatedWriter", "compose", "curve",
    "knot_strokes", "parse_shape", "sheet_of", "write"
]  # fmt: skip

Knots = NDArray[np.float64]

VARIANTS = {**LETTER_VARIANTS, **SIGN_VARIANTS}
"""Symbols that are written in more ways than one: those that the plain alphabet does not have."""
POINTS_PER_KNOT = 8
"""Points a curve takes from one knot to the next."""
LETTER_GAP = 1.6
"""Of a word, in units of the ruled paper."""


class KnotStroke(NamedTuple):
    """One stroke before it is drawn out: its knots (n, 2), and which of them are corners.

    Of many writings of one stroke the knots are (many, n, 2).
    """

    knots: Knots
    corners: tuple[int, ...]


def compose(placed: Iterable[tuple[str, Box]], truth: str | None = None) -> Sheet:
    """Write each symbol into its box: ink, segmentation and truth of one expression."""
    return sheet_of(((label, write(label, box)) for label, box in placed), truth)


def sheet_of(written: Iterable[tuple[str, list[Points]]], truth: str | None = None) -> Sheet:
    """Symbols with their strokes, in writing order: ink, segmentation and truth."""
    strokes: list[Points] = []
    glyphs: list[Glyph] = []
    for label, written_strokes in written:
        indices = range(len(strokes), len(strokes) + len(written_strokes))
        strokes += written_strokes
        glyphs.append(Glyph(label, tuple(indices), box_of(written_strokes)))
    return Sheet(Ink(tuple(strokes)), tuple(glyphs), truth)


def write(label: str, box: Box) -> list[Points]:
    """The strokes of one symbol, stretched to fill its box; a bar or a dot lies in its middle."""
    strokes = [curve(outline) for outline in knot_strokes(label)]
    low = np.min([stroke.min(axis=0) for stroke in strokes], axis=0)
    extent = np.max([stroke.max(axis=0) for stroke in strokes], axis=0) - low
    corner, size = np.array(box[:2]), np.array([box.width, box.height])
    start = np.where(extent > 0, corner, corner + size / 2)
    factor = size / np.where(extent > 0, extent, 1)
    return [np.asarray(start + (stroke - low) * factor, np.float32) for stroke in strokes]


def knot_strokes(label: str) -> list[KnotStroke]:
    """The strokes of a symbol on the ruled paper, from x = 0 on; a word's letters side by side."""
    if label not in WORDS:
        return parse_shape(SHAPES[label])
    strokes: list[KnotStroke] = []
    pen = 0.0
    for letter in WORDS[label]:
        letter_strokes = knot_strokes(letter)
        strokes += [
            KnotStroke(knots + np.array([pen, 0]), corners) for knots, corners in letter_strokes
        ]
        pen = max(knots[:, 0].max() for knots, _ in strokes) + LETTER_GAP
    return strokes


def parse_shape(shape: str) -> list[KnotStroke]:
    """The strokes of a shape as the alphabet notes it down."""
    return [_knot_stroke(words) for words in shape.split("/")]


def _knot_stroke(words: str) -> KnotStroke:
    points = words.split()
    knots = [[float(value) for value in point.rstrip("!").split(",")] for point in points]
    corners = tuple(index for index, point in enumerate(points) if point.endswith("!"))
    return KnotStroke(np.array(knots), corners)


def curve(outline: KnotStroke) -> NDArray[np.float64]:
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
        (speed_at * time[..., 1:-1, :])[..., None, :]
        for speed_at in (passing[..., :-1, :], passing[..., 1:, :])
    )
    start, end = knots[..., :-1, None, :], knots[..., 1:, None, :]
    t = np.linspace(0, 1, POINTS_PER_KNOT, endpoint=False)[:, None]
    bends = (
        start
        + leave * t
        + (3 * (end - start) - 2 * leave - arrive) * t**2
        + (2 * (start - end) + leave + arrive) * t**3
    )
    return np.concatenate([bends.reshape(*knots.shape[:-2], -1, 2), last], axis=-2)


BASELINE = 20.0
"""Where symbols stand on the alphabet's ruled paper."""
ROOT_TICK_WIDTH = 6.8
"""Width of a root's tick: only the bar after it grows with what is under it."""


@dataclass
class SimulatedWriter:
    """Somebody's way of writing."""

    seed: int
    slant: float = 0.08  # to the right, per unit of height
    width: float = 1.0  # of letters
    unsteady: float = 0.22  # how far a knot may miss its place, in units of the ruled paper
    drift: float = 0.5  # how far a symbol may leave its line, in the same units
    random: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.random = np.random.default_rng(self.seed)

    def write(
        self, label: str, size: float, width: float = 0.0, height: float = 0.0
    ) -> list[Points]:
        """One symbol that stands on y = 0, about x = 0; a width or a height stretches it."""
        strokes = knot_strokes(label)
        knots = np.concatenate([stroke_knots for stroke_knots, _ in strokes]) - (0, BASELINE)
        knots[:, 0] *= self.width
        knots *= size * self.random.normal(1, 0.045)
        tall = np.ptp(knots[:, 1])
        if height and tall:
            knots[:, 1] *= height / tall
        if width:
            knots[:, 0] = _stretched(
                knots[:, 0], width, ROOT_TICK_WIDTH * size if label == r"\sqrt" else 0
            )
        knots = self._moved(knots, size)
        cuts = np.cumsum([len(stroke_knots) for stroke_knots, _ in strokes])[:-1]
        return [
            curve(KnotStroke(stroke_knots, corners)).astype(np.float32)
            for stroke_knots, (_, corners) in zip(np.split(knots, cuts), strokes, strict=True)
        ]

    def jitter(self, spread: float) -> float:
        """A small error of the hand, never beyond twice its spread."""
        return float(np.clip(self.random.normal(0, spread), -2 * spread, 2 * spread))

    def _moved(self, knots: Knots, size: float) -> Knots:
        turn = self.jitter(0.035)
        missed = self.random.normal(0, self.unsteady * size, knots.shape)
        x, y = (knots + missed.clip(-2 * self.unsteady * size, 2 * self.unsteady * size)).T
        # A long bar would swing far with the turn that suits a letter.
        turn *= min(1.0, 20 * size / max(np.ptp(x), 1e-6))
        lean = self.slant + self.jitter(0.035)
        return np.stack([x - lean * y - turn * y, y + turn * (x - x.mean())], axis=1)


def _stretched(x: Knots, width: float, stiff: float) -> Knots:
    """What lies beyond the stiff part grows until the whole is this wide."""
    extent = np.ptp(x)
    if extent <= stiff:
        return x
    factor = (width - stiff) / (extent - stiff)
    return np.where(x > stiff, stiff + (x - stiff) * factor, x)
