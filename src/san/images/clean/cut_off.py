"""What the edge of a picture cuts: lines of other writing, rulings, the end of the page.

Design choices
- A crop often shows the feet of the line above and the heads of the line below: low pieces that
  touch the upper or lower edge. They come in numbers. A mark that is alone at its edge, close to
  the writing and as large as a script, is the formula's own: an exponent or a denominator. So is a
  dot or a bar that lies less at the edge than it is wide: it just touches it, nothing is cut off.
  So is what another piece vouches for: the second bar of a sign, what stands over or under the bar
  of a fraction, a script on the line of another.
- A long piece that runs from one edge around a corner to the next is the edge of the page, or a
  ruling. What stood on it has been cut off before (`level`).
- What has more ink than a line of its length, stands upright and is no straight line, or has the
  shape of a root, in strokes no broader than the pen's, is writing: letters, a bracket or an
  integral sign in a close crop. Where a letter fills the crop, it may be all there is.
- A level piece from side to side with writing above and beneath it is the bar of a fraction.
"""

import numpy as np

from san.images.clean.bars import is_between
from san.images.clean.components import Components, Sides, Which, mean_height, stroke_width
from san.images.clean.edge_lines import LONG, is_bar, level_line

CUT = 0.55
"""Of the writing's height: lower pieces at the edge were cut off."""
SEEN = 0.25
"""Of the writing's height: what is lower is no sign of another line of writing."""
SCRIPT, WIDEST = 0.3, 0.8
"""Of the writing's height: how high and wide a script is at least, and how wide at most."""
INKED = 4.0
"""Times the square of the pen's width: ink of a script, and more than the foot of a letter has."""
SPECK = 0.4
"""Of the square of the pen's width: what has less ink is a speck."""
TANGENT = 0.45
"""Of its width: what is whole lies less at the edge."""
FLAT = 2.0
"""Times its height: a bar is wider."""
ALIKE = 0.6
"""Of the wider: what two bars of a sign have in common, and of a mark what lies over a bar."""
NEAR = 0.45
"""Of the writing's height, from a script or a dot to the nearest letter."""
DENSE = 2.2
"""Times its length and the pen's width: ink of more than a line."""
SLENDER = 0.15
"""Of its length: a line that lies as straight as pages are held is no wider, but for the pen."""
LEG = 0.45
"""Of its width: how far a root's leg and hook reach to the right, of a short one."""
TOUCHED = 0.25
"""Of the rest of its width: where letters touch a root's bar from beneath, at most."""
BOWED = 0.25
"""Of the pen's width: how far a bracket's middle lies off a straight line, in the mean."""
BROAD = 1.35
"""Times the pen's width: no stroke is so broad."""


def cut_off(found: Components, shape: tuple[int, ...], nib: float) -> Which:
    """Pieces of other writing or of the page itself, cut by the edge of the picture."""
    width, height = found.stats[:, 2], found.stats[:, 3]
    sides = Sides(found, shape)
    edge = sides.top & sides.bottom & (sides.left | sides.right)  # of the page, or of a shadow
    free = sides.free.any()
    usual = mean_height(found.stats[sides.free] if free else found.stats, nib) + nib
    if not free:  # a letter fills the crop, or the lines of squared paper do
        letters = _dense(found, nib) | (height > width)
        return np.asarray(edge & ~(letters & _written(found, edge, usual, nib)), bool)
    # Letters may stand in a corner, and touch a ruling that stayed; lines are longer, and flat.
    long = edge | (sides.corner & (np.maximum(width, height) > LONG * usual))
    gone = long & ~_written(found, long, usual, nib)
    across = sides.left & sides.right & (height < usual)
    gone |= across & ~_bars(found, across)
    for side in (sides.top, sides.bottom):
        low = side & (height < CUT * usual)
        if not low.any():
            continue
        over = _low_bars(found, low & long & ~gone, usual, nib)
        low &= ~over
        others = ~(low | gone)
        gone |= low & ~_own(found, low, others, usual, nib) & ~_joined(found, low, others, usual)
    return np.asarray(gone, bool)


def _written(found: Components, which: Which, usual: float, nib: float) -> Which:
    """Those of some pieces that a pen has written: lines have less ink, wedges are broader."""
    written, dense = which.copy(), _dense(found, nib)
    for number in np.flatnonzero(which).tolist():
        left, top, width, height, _ = found.stats[number].tolist()
        own = found.labels[top : top + height, left : left + width] == number + 1
        if height > width:
            shaped = _is_bowed(own, nib)
        else:
            shaped = _is_root(own) or _has_bar(found, number, usual, nib)
        thin = stroke_width(own.astype(np.uint8)) < BROAD * nib
        written[number] = (dense[number] or shaped) and thin
    return written


def _dense(found: Components, nib: float) -> Which:
    """Pieces with more ink than a line of their length."""
    return np.asarray(found.stats[:, 4] > DENSE * nib * found.stats[:, 2:4].max(axis=1), bool)


def _is_bowed(own: Which, nib: float) -> bool:
    """Whether an upright piece is no line: too wide for one, or bent, as brackets are."""
    height, width = own.shape
    if width > SLENDER * height + 1.5 * nib:
        return True
    rows, columns = np.nonzero(own)
    middle = np.bincount(rows, columns) / np.bincount(rows)
    place = np.arange(height)
    off = middle - np.polyval(np.polyfit(place, middle, 1), place)
    return float(np.abs(off).mean()) > BOWED * nib


def _is_root(own: Which) -> bool:
    """Whether a flat piece is a bar that has a leg at its left, and little else beneath it."""
    height, width = own.shape
    beneath: Which = np.asarray(own[height // 2 :].any(axis=0), bool)
    leg = round(LEG * width)
    return bool(beneath[:leg].any() and beneath[leg:].mean() < TOUCHED)


def _has_bar(found: Components, number: int, usual: float, nib: float) -> bool:
    """Whether the level line of a piece is the bar of a root or of a fraction."""
    own = np.asarray(found.labels == number + 1, np.uint8)
    line = level_line(own, usual, nib)
    others = np.asarray(found.labels > 0, np.uint8) & (1 - own)
    return bool(line.any()) and is_bar(own, line, others, usual, nib)


def _low_bars(found: Components, which: Which, usual: float, nib: float) -> Which:
    """Those of some long low pieces that are bars."""
    bars = which.copy()
    for number in np.flatnonzero(which).tolist():
        bars[number] = _has_bar(found, number, usual, nib)
    return bars


def _bars(found: Components, which: Which) -> Which:
    """Those of some level pieces that part what is above from what is beneath."""
    bars = which.copy()
    ink = (found.labels > 0).astype(np.uint8)
    for number in np.flatnonzero(which).tolist():
        _, top, _, height, _ = found.stats[number].tolist()
        bars[number] = is_between(top + height / 2, height / 2 + 1, ink)
    return bars


def _own(found: Components, low: Which, others: Which, usual: float, nib: float) -> Which:
    """Of the low pieces at one edge the one that belongs to the others; mostly there is none."""
    left, top, width, height, area = found.stats.T
    none = np.zeros_like(low)
    narrow = low & (width < LONG * usual)
    scripts = np.flatnonzero(narrow & (height >= SEEN * usual))
    alone = np.flatnonzero(low & (area >= SPECK * nib * nib))
    if len(scripts) == 1 and _is_script(found, scripts[0], usual, nib):
        (mark,) = scripts
    elif len(alone) == 1 and narrow[alone[0]] and _is_whole(found, alone[0], nib):
        (mark,) = alone
    else:
        return none
    if not others.any():
        return none
    right, bottom = left + width, top + height
    across = np.maximum(left - right[mark], left[mark] - right)[others]
    down = np.maximum(top - bottom[mark], top[mark] - bottom)[others]
    apart = np.hypot(np.maximum(across, 0), np.maximum(down, 0)).min()
    none[mark] = apart <= NEAR * usual
    return none


def _joined(found: Components, low: Which, others: Which, usual: float) -> Which:
    """Low pieces at one edge that another piece tells to be ink.

    The second bar of =, of a sign over a bar; what is over or under the bar of a fraction; and a
    script beside another, on whose line no feet of other writing are.
    """
    joined = np.zeros_like(low)
    left, top, width, height, _ = found.stats.T
    right, bottom, middle = left + width, top + height, top + height / 2
    flat = (FLAT * height < width) & (width < LONG * usual)
    alone = int((low & (height >= SEEN * usual)).sum()) == 1
    for mark in np.flatnonzero(low & (width < LONG * usual)).tolist():
        shared = np.minimum(right, right[mark]) - np.maximum(left, left[mark])
        down = np.maximum(top - bottom[mark], top[mark] - bottom)
        over = others & (down <= NEAR * usual)
        if flat[mark]:
            alike = ALIKE * np.maximum(width, width[mark])
            joined[mark] = (over & (shared >= alike) & (height < WIDEST * usual)).any()
        elif height[mark] >= SEEN * usual:
            bars = over & flat & (shared >= ALIKE * width[mark])
            joined[mark] = any(
                _parts(found, mark, bar, others, usual) for bar in np.flatnonzero(bars).tolist()
            )
            level = (top[mark] < middle) & (middle < bottom[mark]) & (height < CUT * usual)
            beside = (-shared <= NEAR * usual) & (shared <= 0)
            joined[mark] |= alone and (others & level & beside).any()
    return joined


def _parts(found: Components, mark: int, bar: int, others: Which, usual: float) -> bool:
    """Whether a bar has another piece on its other side, near it."""
    left, top, width, height, _ = found.stats.T
    shared = np.minimum(left + width, left[bar] + width[bar]) - np.maximum(left, left[bar])
    beneath = top[mark] < top[bar]
    away = top - top[bar] - height[bar] if beneath else top[bar] - top - height
    near = (np.abs(away) <= NEAR * usual) & (height >= SCRIPT * usual) & (shared > 0)
    near[[mark, bar]] = False
    return bool((others & near).any())


def _is_script(found: Components, mark: int, usual: float, nib: float) -> bool:
    """Whether a low piece is as large as an exponent or a subscript."""
    _, _, width, height, area = found.stats[mark].tolist()
    large = height >= SCRIPT * usual and SCRIPT * usual <= width <= WIDEST * usual
    return bool(large and area >= INKED * nib * nib)


def _is_whole(found: Components, mark: int, nib: float) -> bool:
    """Whether a dot or a bar just touches the edge: what is cut off is as wide there as within."""
    left, top, width, height, area = found.stats[mark].tolist()
    if area < nib * nib:
        return False
    own = found.labels[top : top + height, left : left + width] == mark + 1
    rows = [np.flatnonzero(row) for row in own]
    wide = [int(row[-1] - row[0]) + 1 for row in rows]
    cut = wide[0] if top == 0 else wide[-1] if top + height == len(found.labels) else 0
    return bool(cut < TANGENT * max(wide))
