"""Crossing out: scribbles and lines that a writer drew over strokes to take them back.

Two ways to cross out are known, both told from mathematics by what lies under them:
- a scribble: one stroke that goes back and forth at least `MIN_PASSES` times over strokes that were
  written before it, so that most of them lie inside it;
- a strike: one straight stroke through the middle of at least `MIN_STRUCK` strokes that stand side
  by side and were written before it. A fraction bar meets no stroke, a plus or a slash one, the
  slash of `\\neq` two that lie one above the other.
What is in doubt stays: a symbol that is lost is worse than a scribble that is read.
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.ink.draw import scale_of
from san.ink.strokes import Ink, Way

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


class CrossedOut(NamedTuple):
    """What one stroke crosses out."""

    by: int  # the stroke that crosses out
    strokes: tuple[int, ...]  # those that it crosses out, and itself


def crossed_out(ink: Ink) -> list[CrossedOut]:
    """Everything that is crossed out, in the order in which that was done."""
    if not 2 <= len(ink.strokes) <= MAX_STROKES:
        return []
    scale = scale_of(ink)
    strokes = [_dense(Way(stroke * np.float32(scale))) for stroke in ink.strokes]
    found: list[CrossedOut] = []
    gone: set[int] = set()
    for number, stroke in enumerate(strokes):
        before = [other for other in range(number) if other not in gone]
        under = _scribbled(stroke, strokes, before) or _struck(stroke, strokes, before)
        if under:
            found.append(CrossedOut(number, tuple(sorted([*under, number]))))
            gone.update(found[-1].strokes)
    return found


def _dense(way: Way) -> NDArray[np.float64]:
    """A way by points at equal distances."""
    return way.at(np.arange(0.0, way.length + SPACING, SPACING))


def _scribbled(
    stroke: NDArray[np.float64], strokes: list[NDArray[np.float64]], before: list[int]
) -> list[int]:
    """The strokes under a scribble; none where it is no scribble."""
    if not before or passes(stroke) < MIN_PASSES:
        return []
    hull = np.asarray(cv2.convexHull(stroke.astype(np.float32)), np.float32)
    if min(cv2.minAreaRect(hull)[1]) < MIN_COVERED_SIDE:
        return []
    under = [one for one in before if _share_inside(strokes[one], hull) >= MIN_COVERED]
    large = any(np.ptp(strokes[one], axis=0).max() >= MIN_COVERED_SIDE for one in under)
    return under if large else []


def passes(stroke: NDArray[np.float64]) -> int:
    """How often a way goes to and fro, along the direction in which it does so most."""
    middle = stroke - stroke.mean(axis=0)
    _, _, directions = np.linalg.svd(middle, full_matrices=False)
    return max(_runs(middle @ direction) for direction in directions)


def _runs(along: NDArray[np.float64]) -> int:
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


def _share_inside(points: NDArray[np.float64], hull: NDArray[np.float32]) -> float:
    inside = [
        cv2.pointPolygonTest(hull, (x, y), True) >= -SCRIBBLE_MARGIN for x, y in points.tolist()
    ]
    return float(np.mean(inside))


def _struck(
    stroke: NDArray[np.float64], strokes: list[NDArray[np.float64]], before: list[int]
) -> list[int]:
    """The strokes in a row that a straight line goes through; none where they are few."""
    ends = stroke[-1] - stroke[0]
    across, down = np.abs(ends).tolist()
    way = SPACING * (len(stroke) - 1)
    if across < 2 * down or way > MAX_BEND * np.hypot(across, down) + 2 * SPACING:
        return []
    left, right = float(stroke[:, 0].min()) - SPACING, float(stroke[:, 0].max()) + SPACING
    boxes = {one: (*strokes[one].min(axis=0), *strokes[one].max(axis=0)) for one in before}
    within = {one: box for one, box in boxes.items() if left <= box[0] and box[2] <= right}
    struck = []
    for start, top, end, bottom in within.values():
        at = float(np.interp((start + end) / 2, *_rising(stroke)))
        low, high = (top + part * (bottom - top) for part in STRUCK_MIDDLE)
        if bottom - top >= MIN_STRUCK_HEIGHT and low <= at <= high:
            struck.append((start, top, end, bottom))
    if _side_by_side(struck) < MIN_STRUCK:
        return []
    highest, lowest = min(box[1] for box in struck), max(box[3] for box in struck)
    return [one for one, box in within.items() if highest <= (box[1] + box[3]) / 2 <= lowest]


def _rising(stroke: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A straight way from left to right: x, y."""
    order = stroke if stroke[-1, 0] >= stroke[0, 0] else stroke[::-1]
    return np.maximum.accumulate(order[:, 0]), order[:, 1]


def _side_by_side(boxes: list[tuple[float, float, float, float]]) -> int:
    """How many of them stand beside one another, each clear of the next."""
    count, clear = 0, -np.inf
    for left, _, right, _ in sorted(boxes, key=lambda box: box[2]):
        if left > clear:
            count, clear = count + 1, right
    return count
