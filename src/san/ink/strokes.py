"""Ink: what a pen left behind, as plain values.

Design choices
- x to the right, y DOWN, as on a screen; units are the writer's own and mean nothing by themselves.
- A stroke is a float32 array (n, 2), n >= 1: a dot is a stroke of one point. Strokes keep the order
  in which they were written.
- Every Ink is sound: `Ink(...)` refuses what cannot be drawn, so nothing downstream checks again.
- No knowledge of files or pictures here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from san.errors import SanError

MAX_COORDINATE = 1e7
"""Farthest a coordinate may lie from the origin: beyond it float32 loses whole units."""
MAX_NUMBERS = 8
"""Of a point that is given: x, y and what pens tell besides (pressure, tilt, time)."""
MAX_WAY_POINTS = 200_000
"""Points at even distances along some strokes: where there would be more, they are farther apart.
A small file may go to and fro over millions of pixels."""

Points = NDArray[np.float32]


class InkError(SanError):
    """Ink that cannot be used; the message is one line that says why."""


class Box(NamedTuple):
    """An upright rectangle; a dot's box has no width and no height."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True, eq=False)
class Ink:
    """The strokes of one expression, in writing order."""

    strokes: tuple[Points, ...]

    def __post_init__(self) -> None:
        if not self.strokes:
            raise InkError("the ink has no strokes")
        for number, stroke in enumerate(self.strokes, 1):
            if stroke.ndim != 2 or stroke.shape[1] != 2 or not len(stroke):
                raise InkError(f"stroke {number} is not a list of x, y points")
            if stroke.dtype != np.float32:
                raise InkError(f"stroke {number} is {stroke.dtype}, not float32: use Ink.of")
        # Written so that NaN fails too; the whole ink at once, for speed.
        if not np.abs(self.points).max() <= MAX_COORDINATE:
            raise InkError(f"a coordinate is not a number within ±{MAX_COORDINATE:g}")

    @classmethod
    def of(cls, strokes: Iterable[ArrayLike]) -> "Ink":
        """Ink from anything that numpy can turn into points. The first two numbers of a point are x
        and y; what follows, up to MAX_NUMBERS in all, is passed over."""
        try:
            with np.errstate(over="ignore"):  # too large becomes inf, which __post_init__ refuses
                return cls(tuple(map(_first_two, strokes)))
        except (TypeError, ValueError, OverflowError) as error:  # the last: 10 ** 400
            raise InkError(f"a stroke is not a list of x, y points: {error}") from error

    @cached_property
    def points(self) -> Points:
        """All points, stroke after stroke."""
        return np.concatenate(self.strokes)

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where each stroke begins in `points`."""
        lengths = [len(stroke) for stroke in self.strokes]
        return np.cumsum([0, *lengths[:-1]])

    @cached_property
    def sizes(self) -> Points:
        """Width and height of each stroke, (n, 2)."""
        lows, highs = self._corners
        return highs - lows

    @cached_property
    def _corners(self) -> tuple[Points, Points]:
        """The upper left and the lower right corner of each stroke, (n, 2)."""
        lows = np.minimum.reduceat(self.points, self.starts)
        return lows, np.maximum.reduceat(self.points, self.starts)

    @cached_property
    def box(self) -> Box:
        return box_of(self.strokes)

    def glyph(self, label: str, strokes: Iterable[int]) -> "Glyph":
        """The symbol that some strokes make. Points are looked at once, however many it is asked
        for: files of strangers may name a long stroke thousands of times."""
        indices = sorted(set(strokes))
        lows, highs = self._corners
        left, top = lows[indices].min(axis=0).tolist()
        right, bottom = highs[indices].max(axis=0).tolist()
        return Glyph(label, tuple(indices), Box(left, top, right, bottom))


def _first_two(stroke: Any) -> Points:
    """x and y of each point."""
    try:
        points = np.asarray(stroke, np.float32)
    except ValueError:
        # Perhaps they differ in length: not every sample of a pen has a pressure.
        points = np.asarray([point[:2] for point in stroke], np.float32)
        numbers = max(map(len, stroke))
    else:
        numbers = points.shape[1] if points.ndim == 2 else 0
    if numbers > MAX_NUMBERS:
        raise ValueError(f"a point has {numbers} numbers")
    return np.ascontiguousarray(points[:, :2]) if numbers > 2 else points


def box_of(strokes: Iterable[Points]) -> Box:
    """The smallest box around some strokes."""
    points = np.concatenate(tuple(strokes))
    left, top = points.min(axis=0).tolist()
    right, bottom = points.max(axis=0).tolist()
    return Box(left, top, right, bottom)


class Way:
    """A stroke by how far the pen has gone: a pen that is fast leaves few points."""

    def __init__(self, stroke: NDArray[np.floating]) -> None:
        self._points = stroke.astype(np.float64)
        steps = np.hypot(*np.diff(self._points, axis=0).T)
        self._gone = np.concatenate([[0.0], np.cumsum(steps)])
        self.length = float(self._gone[-1])

    def at(self, gone: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where the pen is when it has gone so far: (n, 2)."""
        return np.stack([np.interp(gone, self._gone, axis) for axis in self._points.T], axis=1)

    def dense(self, step: float) -> NDArray[np.float64]:
        """Its own points, then one after each step."""
        return np.concatenate([self._points, self.at(np.arange(step, self.length, step))])


def bounded_step(ways: Sequence[Way], step: float) -> float:
    """The same step; a longer one where the points along some ways would be too many."""
    return max(step, sum(way.length for way in ways) / MAX_WAY_POINTS)


@dataclass(frozen=True)
class Glyph:
    """A symbol as somebody wrote it: its label and the indices of its strokes."""

    label: str
    strokes: tuple[int, ...]
    box: Box


@dataclass(frozen=True, eq=False)
class Sheet:
    """One written expression with all that is known about it."""

    ink: Ink
    glyphs: tuple[Glyph, ...] = ()
    truth: str | None = None  # LaTeX, without the dollar signs
    mathml: str | None = None
    name: str = ""  # the file's name without its suffix
    ui: str | None = None  # the collector's own id
    writer: str | None = None
