"""Finds what the edge of a picture cuts: lines of other writing, rulings, the end of the page.

Design choices
- A crop often shows the feet of the line above and the heads of the line below: low pieces that
  touch the upper or lower edge. Which of them are the formula's own, `edge_marks` tells.
- A long piece that runs from one edge around a corner to the next is the edge of the page, or a
  ruling. What stood on it has been cut off before (`edge_lines`). Long is what no letter is; bars
  tell nothing of that.
- What has more ink than a line of its length, stands upright and is no straight line, is crossed
  twice where a line is crossed once, or has the shape of a root, in strokes no broader than the
  pen's, is writing: letters, a bracket or an integral sign in a close crop. Where a letter fills
  the crop, it may be all there is.
- A level piece from side to side with writing above and beneath it is the bar of a fraction.
"""

import numpy as np

from san.images.clean.bars import is_between
from san.images.clean.components import Components, Sides, Which, mean_height, stroke_width
from san.images.clean.edge_lines import MIN_LINE_LENGTH_HEIGHTS, is_bar, level_line
from san.images.clean.edge_marks import MAX_CUT_HEIGHTS, MIN_FLAT_WIDTH_TO_HEIGHT, of_writing

MIN_DENSE_INK_TO_LINE = 2.2
"""Times its length and the pen's width: ink of more than a line."""
MAX_LINE_WIDTH_TO_HEIGHT = 0.15
"""Of its length: a line that lies as straight as pages are held is no wider, but for the pen."""
ROOT_LEG_SHARE = 0.45
"""Of its width: how far a root's leg and hook reach to the right, of a short one."""
MAX_TOUCHED_SHARE = 0.25
"""Of the rest of its width: where letters touch a root's bar from beneath, at most."""
MIN_LAYERED_SHARE = 0.3
"""Of a piece's columns, or of its rows: those that cross several strokes, where it is no line."""
MIN_BOW_PEN_WIDTHS = 0.25
"""Of the pen's width: how far a bracket's middle lies off a straight line, in the mean."""
MAX_STROKE_PEN_WIDTHS = 1.35
"""Times the pen's width: no stroke is so broad."""


def cut_off(components: Components, shape: tuple[int, ...], nib: float) -> Which:
    """Pieces of other writing or of the page itself, cut by the edge of the picture."""
    width, height = components.stats[:, 2], components.stats[:, 3]
    sides = Sides(components, shape)
    edge = sides.top & sides.bottom & (sides.left | sides.right)  # of the page, or of a shadow
    free = sides.free.any()
    height_of_writing = (
        mean_height(components.stats[sides.free] if free else components.stats, nib) + nib
    )
    if not free:  # a letter fills the crop, or the lines of squared paper do
        letters = _dense(components, nib) | (height > width)
        return np.asarray(
            edge & ~(letters & _written(components, edge, height_of_writing, nib)), bool
        )
    # Letters may stand in a corner, and touch a ruling that stayed; lines are longer, and flat.
    letters = components.stats[~sides.corner & (width < MIN_FLAT_WIDTH_TO_HEIGHT * height)]
    letter_height = max(height_of_writing, mean_height(letters, nib) + nib if len(letters) else 0)
    long = edge | (
        sides.corner & (np.maximum(width, height) > MIN_LINE_LENGTH_HEIGHTS * letter_height)
    )
    gone = long & ~_written(components, long, height_of_writing, nib)
    across = sides.left & sides.right & (height < height_of_writing)
    gone |= across & ~_bars(components, across)
    for side in (sides.top, sides.bottom):
        low = side & (height < MAX_CUT_HEIGHTS * height_of_writing)
        if not low.any():
            continue
        over = _low_bars(components, low & long & ~gone, height_of_writing, nib)
        low &= ~over
        gone |= low & ~of_writing(components, low, gone, side, height_of_writing, nib)
    return np.asarray(gone, bool)


def _written(components: Components, which: Which, height_of_writing: float, nib: float) -> Which:
    """Those of some pieces that a pen has written: lines have less ink, wedges are broader."""
    written, dense = which.copy(), _dense(components, nib)
    for number in np.flatnonzero(which).tolist():
        left, top, width, height, _ = components.stats[number].tolist()
        inside = components.labels[top : top + height, left : left + width] == number + 1
        if height > width:
            shaped = _is_bowed(inside, nib)
        else:
            shaped = _is_root(inside) or _has_bar(components, number, height_of_writing, nib)
        thin = stroke_width(inside.astype(np.uint8)) < MAX_STROKE_PEN_WIDTHS * nib
        written[number] = (dense[number] or shaped or _is_layered(inside)) and thin
    return written


def _dense(components: Components, nib: float) -> Which:
    """Pieces with more ink than a line of their length."""
    return np.asarray(
        components.stats[:, 4] > MIN_DENSE_INK_TO_LINE * nib * components.stats[:, 2:4].max(axis=1),
        bool,
    )


def _is_layered(inside: Which) -> bool:
    """Whether many columns, or rows, cross several strokes of a piece: a line is crossed once."""
    return any(
        float((np.diff(side, axis=0, prepend=False).sum(axis=0) > 2).mean()) > MIN_LAYERED_SHARE
        for side in (inside, inside.T)
    )


def _is_bowed(inside: Which, nib: float) -> bool:
    """Whether an upright piece is no line: too wide for one, or bent, as brackets are."""
    height, width = inside.shape
    if width > MAX_LINE_WIDTH_TO_HEIGHT * height + 1.5 * nib:
        return True
    rows, columns = np.nonzero(inside)
    middle = np.bincount(rows, columns) / np.bincount(rows)
    place = np.arange(height)
    off = middle - np.polyval(np.polyfit(place, middle, 1), place)
    return float(np.abs(off).mean()) > MIN_BOW_PEN_WIDTHS * nib


def _is_root(inside: Which) -> bool:
    """Whether a flat piece is a bar that has a leg at its left, and little else beneath it."""
    height, width = inside.shape
    beneath: Which = np.asarray(inside[height // 2 :].any(axis=0), bool)
    leg = round(ROOT_LEG_SHARE * width)
    return bool(beneath[:leg].any() and beneath[leg:].mean() < MAX_TOUCHED_SHARE)


def _has_bar(components: Components, number: int, height_of_writing: float, nib: float) -> bool:
    """Whether the level line of a piece is the bar of a root or of a fraction."""
    inside = np.asarray(components.labels == number + 1, np.uint8)
    line = level_line(inside, height_of_writing, nib)
    others = np.asarray(components.labels > 0, np.uint8) & (1 - inside)
    return bool(line.any()) and is_bar(inside, line, others, height_of_writing, nib)


def _low_bars(components: Components, which: Which, height_of_writing: float, nib: float) -> Which:
    """Those of some long low pieces that are bars."""
    bars = which.copy()
    for number in np.flatnonzero(which).tolist():
        bars[number] = _has_bar(components, number, height_of_writing, nib)
    return bars


def _bars(components: Components, which: Which) -> Which:
    """Those of some level pieces that part what is above from what is beneath."""
    bars = which.copy()
    ink = (components.labels > 0).astype(np.uint8)
    for number in np.flatnonzero(which).tolist():
        _, top, _, height, _ = components.stats[number].tolist()
        bars[number] = is_between(top + height / 2, height / 2 + 1, ink)
    return bars
