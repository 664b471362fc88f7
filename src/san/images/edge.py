"""What the edge of a picture cuts: lines of other writing, rulings, the end of the page.

Design choices
- A crop often shows the feet of the line above and the heads of the line below: low pieces that
  touch the upper or lower edge. They come in numbers. A mark that is alone at its edge, close to
  the writing and as large as a script, is the formula's own: an exponent or a denominator.
- A long piece that runs from one edge around a corner to the next is the edge of the page, or a
  ruling that leaves the picture. Letters may stand on it: where a part of it is a line, that is cut
  out, and the rest is looked at again.
- What has more ink than a line of its length, or stands upright and is no line, in strokes no
  broader than the pen's, is writing: letters, a bracket or an integral sign in a close crop.
- So is a level line from side to side with writing above and beneath it: a fraction bar.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bar import is_between
from san.images.bitmap import Mask
from san.images.size import Pieces, mean_height, pieces, stroke_width

Which = NDArray[np.bool_]

CUT = 0.55
"""Of the writing's height: lower pieces at the edge were cut off."""
SEEN = 0.25
"""Of the writing's height: what is lower is no sign of another line of writing."""
SCRIPT, WIDEST = 0.3, 0.8
"""Of the writing's height: how high and wide a script is at least, and how wide at most."""
INKED = 4.0
"""Times the square of the pen's width: ink of a script, and more than the foot of a letter has."""
NEAR = 0.45
"""Of the writing's height, from a script to the nearest letter."""
LONG = 2.5
"""Times the writing's height: no letter is so long."""
DENSE = 2.2
"""Times its length and the pen's width: ink of more than a line."""
SLENDER = 0.15
"""Of its height: a line that stands as upright as pages are held is no wider, but for the pen."""
BROAD = 1.35
"""Times the pen's width: no stroke is so broad."""
THICK = 2.0
"""Times the pen's width: a line is thinner."""
CRUMB = 0.3
"""Of the writing's height: what is lower beside a line is a part of it."""


class _Sides:
    """Which pieces touch which edges of the picture."""

    def __init__(self, found: Pieces, shape: tuple[int, ...]) -> None:
        left, top, width, height, _ = found.stats.T
        self.left, self.right = left <= 1, left + width >= shape[1] - 1
        self.top, self.bottom = top <= 1, top + height >= shape[0] - 1
        self.corner = (self.left | self.right) & (self.top | self.bottom)
        self.free = ~(self.left | self.right | self.top | self.bottom)


def at_edge(found: Pieces, shape: tuple[int, ...]) -> Which:
    """Pieces that touch the edge of the picture."""
    return np.asarray(~_Sides(found, shape).free, bool)


def cut_off(found: Pieces, shape: tuple[int, ...], nib: float) -> Which:
    """Pieces of other writing or of the page itself, cut by the edge of the picture."""
    width, height = found.stats[:, 2], found.stats[:, 3]
    sides = _Sides(found, shape)
    edge = sides.top & sides.bottom & (sides.left | sides.right)  # of the page, or of a shadow
    if not sides.free.any():
        return np.asarray(edge, bool)
    usual = mean_height(found.stats[sides.free], nib) + nib
    # Letters may stand in a corner, and touch a ruling that stayed; lines are longer, and flat.
    long = edge | (sides.corner & (np.maximum(width, height) > LONG * usual))
    gone = long & ~_written(found, long, nib)
    across = sides.left & sides.right & (height < usual)
    gone |= across & ~_bars(found, across)
    for side in (sides.top, sides.bottom):
        low = side & (height < CUT * usual)
        gone |= low & ~_script(found, low, ~(low | gone), usual, nib)
    return np.asarray(gone, bool)


def _written(found: Pieces, which: Which, nib: float) -> Which:
    """Those of some pieces that a pen has written: lines have less ink, wedges are broader."""
    written = which.copy()
    for number in np.flatnonzero(which).tolist():
        left, top, width, height, area = found.stats[number].tolist()
        own = found.labels[top : top + height, left : left + width] == number + 1
        dense = area > DENSE * nib * max(width, height)
        upright = height > width > SLENDER * height + 1.5 * nib
        thin = stroke_width(own.astype(np.uint8)) < BROAD * nib
        written[number] = (dense or upright) and thin
    return written


def _bars(found: Pieces, which: Which) -> Which:
    """Those of some level pieces that part what is above from what is beneath."""
    bars = which.copy()
    for number in np.flatnonzero(which).tolist():
        _, top, _, height, _ = found.stats[number].tolist()
        others = (found.labels > 0).astype(np.uint8)
        bars[number] = is_between(top + height / 2, height / 2 + 1, others)
    return bars


def _script(found: Pieces, low: Which, others: Which, usual: float, nib: float) -> Which:
    """Of the low pieces at one edge the one that belongs to the others; mostly there is none."""
    left, top, width, height, area = found.stats.T
    none = np.zeros_like(low)
    marks = np.flatnonzero(low & (height >= SEEN * usual) & (width < LONG * usual))
    if len(marks) != 1 or not others.any():
        return none
    (mark,) = marks
    large = height[mark] >= SCRIPT * usual and SCRIPT * usual <= width[mark] <= WIDEST * usual
    if not large or area[mark] < INKED * nib * nib:
        return none
    right, bottom = left + width, top + height
    across = np.maximum(left - right[mark], left[mark] - right)[others]
    down = np.maximum(top - bottom[mark], top[mark] - bottom)[others]
    apart = np.hypot(np.maximum(across, 0), np.maximum(down, 0)).min()
    none[mark] = apart <= NEAR * usual
    return none


def without_lines(ink: Mask, found: Pieces, nib: float) -> Mask:
    """The ink, less the level lines of long pieces that leave the picture around a corner."""
    sides = _Sides(found, ink.shape)
    doubtful = sides.corner & (found.stats[:, 2] > LONG * nib)
    if not doubtful.any() or not sides.free.any():
        return ink
    # Where most letters stand on a line, few others are left to tell the writing's height by.
    usual = max(mean_height(some, nib) for some in (found.stats, found.stats[sides.free])) + nib
    rest = ink.copy()
    for number in np.flatnonzero(doubtful & (found.stats[:, 2] > LONG * usual)).tolist():
        own = np.asarray(found.labels == number + 1, np.uint8)
        line = _level_line(own, usual, nib)
        if line.any():
            rest[own > 0] = _off(own, line, usual, nib)[own > 0]
    return rest


def _level_line(own: Mask, usual: float, nib: float) -> Mask:
    """The parts of a piece that are long, thin and level, and leave the picture."""
    run = np.ones((1, max(round(usual), 3)), np.uint8)
    parts = pieces(np.asarray(cv2.morphologyEx(own, cv2.MORPH_OPEN, run), np.uint8))
    sides = _Sides(parts, own.shape)
    width, area = parts.stats[:, 2], parts.stats[:, 4]
    # Not by the upper edge: so does the bar of a root.
    lines = (sides.left | sides.right | sides.bottom) & (width > LONG * usual)
    lines &= area < THICK * nib * width
    return np.asarray(np.concatenate([[False], lines])[parts.labels], np.uint8)


def _off(own: Mask, line: Mask, usual: float, nib: float) -> Mask:
    """A piece without its line; strokes that go on beyond it are carried across."""
    line = np.asarray(cv2.dilate(line, np.ones((3, 1), np.uint8)), np.uint8) & own
    rest = own & (1 - line)
    reach = np.ones((round(2 * nib) + 2, 1), np.uint8)
    both = cv2.min(
        cv2.dilate(rest, reach, anchor=(0, len(reach) - 1)), cv2.dilate(rest, reach, anchor=(0, 0))
    )
    parts = pieces(rest | (line & np.asarray(both, np.uint8)))
    keep = np.concatenate([[False], parts.stats[:, 3] >= CRUMB * usual])
    return np.asarray(keep[parts.labels], np.uint8)
