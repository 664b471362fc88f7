"""Removes straight edges of the ground: where paper ends and a desk begins, or a hard shadow.

Such an edge is as dark as ink beside the paper, and far larger than any letter: what it goes around
would be a few specks by its size. A stroke has the same ground on both sides, and an edge has not.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Grey, Mask
from san.images.clean.components import find_components, mean_height, stroke_width

MIN_LENGTH_HEIGHTS = 2.5
"""Times as long as letters are high."""
MAX_PEN_WIDTHS = 4.0
"""Mean width of an edge."""
MAX_OFF_PEN_WIDTHS = 1.5
"""From an edge's pixels to the straight line through it, on average."""
AWAY_PEN_WIDTHS = 3.0
"""From that line to the ground on either side."""
INK_WINDOW_PEN_WIDTHS = 6.0
"""Of the window in which all ink vanishes, so that ground is left."""
MIN_STEP = 12
"""Grey levels from one side to the other."""
MIN_SHARE = 0.8
"""Of an edge's length, where that is so, and always to the same side."""
SAMPLES = 40


def without_ground_edges(ink: Mask, grey: Grey) -> Mask:
    """The ink of a picture less its straight edges; all of it where nothing else is."""
    components = find_components(ink)
    stats = components.stats
    if len(stats) < 2:
        return ink
    length = stats[:, 2:4].max(axis=1)
    long = length >= MIN_LENGTH_HEIGHTS * mean_height(stats, 0.0)
    if not long.any():
        return ink
    nib = stroke_width(ink)
    long &= length >= MIN_LENGTH_HEIGHTS * (mean_height(stats, nib) + nib)
    long &= stats[:, 4] <= MAX_PEN_WIDTHS * nib * length
    keep = np.concatenate([[False], np.ones(len(stats), bool)])
    for number in np.flatnonzero(long).tolist():
        left, top, width, height, _ = stats[number].tolist()
        own = components.labels[top : top + height, left : left + width] == number + 1
        margin = round(2 * INK_WINDOW_PEN_WIDTHS * nib)
        first, above = max(left - margin, 0), max(top - margin, 0)
        around = grey[above : top + height + margin, first : left + width + margin]
        points = np.argwhere(own)[:, ::-1] + (left - first, top - above)
        keep[number + 1] = not _is_edge(points, around, nib)
    if keep[1:].all() or not keep.any():
        return ink
    return np.asarray(keep[components.labels], np.uint8)


def _ground(grey: Grey, nib: float) -> Grey:
    side = round(INK_WINDOW_PEN_WIDTHS * nib) | 1
    window = cv2.getStructuringElement(cv2.MORPH_RECT, (side, side))
    smooth = cv2.blur(grey, (3, 3))
    return np.asarray(cv2.morphologyEx(smooth, cv2.MORPH_CLOSE, window), np.uint8)


def _is_edge(points: NDArray[np.int64], grey: Grey, nib: float) -> bool:
    """Whether some ink is a straight line with another ground on either side."""
    x, y, x0, y0 = cv2.fitLine(points.astype(np.float32), cv2.DIST_L2, 0, 0.01, 0.01).ravel()
    along, across = np.array([x, y], np.float64), np.array([-y, x], np.float64)
    offset = points - np.array([x0, y0])
    if np.abs(offset @ across).mean() > MAX_OFF_PEN_WIDTHS * nib:
        return False
    ground = _ground(grey, nib)
    reach = offset @ along
    places = (x0, y0) + np.linspace(reach.min(), reach.max(), SAMPLES)[:, None] * along
    ends = np.array(grey.shape[::-1]) - 1
    sides = []
    for away in (AWAY_PEN_WIDTHS * nib, -AWAY_PEN_WIDTHS * nib):
        column, row = np.clip(np.rint(places + away * across), 0, ends).astype(int).T
        sides.append(ground[row, column].astype(int))
    step = sides[0] - sides[1]
    return bool(max((step > MIN_STEP).mean(), (step < -MIN_STEP).mean()) >= MIN_SHARE)
