"""Crossing out: scribbles and lines that a writer drew over strokes to take them back.

Two ways to cross out are known, both told from mathematics by what lies under them:
- a scribble: one stroke that goes back and forth at least `MIN_PASSES` times over strokes that were
  written before it, so that most of them lie inside it;
- a strike: one straight stroke through the middle of at least `MIN_STRUCK` strokes that stand side
  by side and were written before it. A fraction bar meets no stroke, a plus or a slash one, the
  slash of `\\neq` two that lie one above the other.
What is in doubt stays: a symbol that is lost is worse than a scribble that is read.
"""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.ink.draw import scale_of
from san.ink.strokes import Ink, Way, bounded_step

Floats = NDArray[np.float64]

MIN_PASSES = 5
"""Times that a scribble goes over; an m goes up and down four times."""
PASS_LENGTH = 0.35
"""Of the scribble's extent: what is shorter is no pass."""
MIN_COVERED = 0.7
"""Share of a stroke's points that lie inside a scribble that crosses it out."""
SCRIBBLE_MARGIN = 2.0
"""Pixels by which a scribble reaches farther than its line; a stroke is 28 high on average."""
MIN_COVERED_SIDE = 8.0
"""Pixels: a line that is drawn again and again, or drawn over a dot, is no scribble."""
MIN_STRUCK = 3
MAX_BEND = 1.08
"""Length of a strike's way to the distance of its ends."""
STRUCK_MIDDLE = (0.15, 0.85)
"""Between which parts of a stroke's height a strike crosses it."""
MIN_STRUCK_HEIGHT = 10.0
"""Pixels: bars and dots under a line are not struck."""
SPACING = 2.0
"""Pixels between the points that are looked at."""
MAX_STROKES = 1_000
"""Of ink that is looked at: more is no formula."""
MAX_SCRIBBLES = 100
"""That are looked at: what lies under one is told point by point. Of CROHME's strokes 2 in 100 go
to and fro like one."""
DISC = np.array([(np.cos(turn), np.sin(turn)) for turn in np.arange(32) * np.pi / 16])
"""Corners of a disc: a hull that is widened by it is round at its corners, by 1% of the margin."""


class CrossedOut(NamedTuple):
    """What one stroke crosses out."""

    by: int  # the stroke that crosses out
    strokes: tuple[int, ...]  # those that it crosses out, and itself


def crossed_out(ink: Ink) -> list[CrossedOut]:
    """Everything that is crossed out, in the order in which that was done."""
    if not 2 <= len(ink.strokes) <= MAX_STROKES:
        return []
    scale = scale_of(ink)
    strokes = _Strokes([Way(stroke * np.float32(scale)) for stroke in ink.strokes])
    found: list[CrossedOut] = []
    before = np.zeros(len(ink.strokes), bool)
    for number in range(len(ink.strokes)):
        under = strokes.scribbled(number, before) or strokes.struck(number, before)
        before[number] = True
        if under:
            found.append(CrossedOut(number, (*under, number)))
            before[list(found[-1].strokes)] = False
    return found


class _Strokes:
    """Strokes with points at equal distances, and what lies under one of them.

    Files of strangers are looked at: all strokes below one are tested at once, and of those alone
    that may lie below it.
    """

    def __init__(self, ways: Sequence[Way]) -> None:
        self._step = bounded_step(ways, SPACING)
        self._strokes = [
            way.at(np.arange(0.0, way.length + self._step, self._step)) for way in ways
        ]
        self._points = np.concatenate(self._strokes)
        self._counts = np.array([len(stroke) for stroke in self._strokes])
        self._owner = np.repeat(np.arange(len(ways)), self._counts)
        starts = np.cumsum(self._counts) - self._counts
        self._low = np.minimum.reduceat(self._points, starts)
        self._high = np.maximum.reduceat(self._points, starts)
        self._scribbles = 0

    def scribbled(self, number: int, before: NDArray[np.bool_]) -> list[int]:
        """Which of the strokes before it lie under a scribble; none where it is no scribble."""
        stroke = self._strokes[number]
        if not before.any() or passes(stroke) < MIN_PASSES:
            return []
        hull = np.asarray(cv2.convexHull(stroke.astype(np.float32)), np.float32)
        if min(cv2.minAreaRect(hull)[1]) < MIN_COVERED_SIDE:
            return []
        low, high = self._low[number] - SCRIBBLE_MARGIN, self._high[number] + SCRIBBLE_MARGIN
        near = before & (self._low <= high).all(axis=1) & (self._high >= low).all(axis=1)
        if not near.any() or self._scribbles == MAX_SCRIBBLES:
            return []
        self._scribbles += 1
        some = np.flatnonzero(near[self._owner])
        wide = hull + SCRIBBLE_MARGIN * DISC.astype(np.float32)  # each corner becomes a disc
        inside = some[_inside(self._points[some], wide.reshape(-1, 2))]
        covered = np.bincount(self._owner[inside], minlength=len(near)) / self._counts
        under = np.flatnonzero(near & (covered >= MIN_COVERED))
        large = (self._high - self._low)[under].max(initial=0.0) >= MIN_COVERED_SIDE
        return under.tolist() if large else []

    def struck(self, number: int, before: NDArray[np.bool_]) -> list[int]:
        """Those in a row that a straight line goes through; none where they are few."""
        stroke = self._strokes[number]
        across, down = np.abs(stroke[-1] - stroke[0]).tolist()
        way = self._step * (len(stroke) - 1)
        if across < 2 * down or way > MAX_BEND * np.hypot(across, down) + 2 * self._step:
            return []
        left, right = self._low[number, 0] - SPACING, self._high[number, 0] + SPACING
        within = np.flatnonzero(before & (left <= self._low[:, 0]) & (self._high[:, 0] <= right))
        low, high = self._low[within], self._high[within]
        middle, height = (low + high) / 2, (high - low)[:, 1]
        at = np.interp(middle[:, 0], *_rising(stroke))
        first, last = (low[:, 1] + part * height for part in STRUCK_MIDDLE)
        hit = (height >= MIN_STRUCK_HEIGHT) & (first <= at) & (at <= last)
        if _side_by_side(low[hit, 0], high[hit, 0]) < MIN_STRUCK:
            return []
        highest, lowest = low[hit, 1].min(), high[hit, 1].max()
        row: list[int] = within[(highest <= middle[:, 1]) & (middle[:, 1] <= lowest)].tolist()
        return row


def _inside(points: Floats, corners: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which points lie in the convex hull of some others."""
    hull = cv2.convexHull(corners).reshape(-1, 2).astype(np.float64)
    hull = np.roll(hull, -int(hull[:, 0].argmin()), axis=0)
    end = int(hull[:, 0].argmax())
    # Two ways from its left end to its right one: a point inside is above one, below the other.
    ways = hull[: end + 1], np.concatenate([hull[end:], hull[:1]])[::-1]
    x, y = points.T
    one, other = (
        np.interp(x, np.maximum.accumulate(way[:, 0]), way[:, 1], left=np.nan, right=np.nan)
        for way in ways
    )
    return np.asarray((np.minimum(one, other) <= y) & (y <= np.maximum(one, other)))


def passes(stroke: Floats) -> int:
    """How often a way goes to and fro, along the direction in which it does so most."""
    middle = stroke - stroke.mean(axis=0)
    _, _, directions = np.linalg.svd(middle, full_matrices=False)
    return max(_runs(middle @ direction) for direction in directions)


def _runs(along: Floats) -> int:
    """Runs up and down a line that are not short."""
    least = PASS_LENGTH * float(np.ptp(along))
    if least <= 0:
        return 0
    runs, low, high, turn = 0, along[0], along[0], 0
    for place in along.tolist():
        low, high = min(low, place), max(high, place)
        if turn <= 0 and place - low >= least:
            runs, turn, high = runs + 1, 1, place
        elif turn >= 0 and high - place >= least:
            runs, turn, low = runs + 1, -1, place
        if turn > 0:
            low = place if place >= high else low
        elif turn < 0:
            high = place if place <= low else high
    return runs


def _rising(stroke: Floats) -> tuple[Floats, Floats]:
    """A straight way from left to right: x, y."""
    order = stroke if stroke[-1, 0] >= stroke[0, 0] else stroke[::-1]
    return np.maximum.accumulate(order[:, 0]), order[:, 1]


def _side_by_side(lefts: Floats, rights: Floats) -> int:
    """How many of some boxes stand beside one another, each clear of the next."""
    count, clear = 0, -np.inf
    for right, left in sorted(zip(rights.tolist(), lefts.tolist(), strict=True)):
        if left > clear:
            count, clear = count + 1, right
    return count
