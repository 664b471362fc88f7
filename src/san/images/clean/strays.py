"""Removes marks that are no part of the formula: specks, cut or far marks, remains of rulings.

Design choices
- A dot is as large as the pen is wide; what is much smaller is a speck.
- What the edge of the picture cuts is told from writing that touches it by `cut_off`. A little mark
  far from the writing does not belong to it.
- What lies where a ruling was and is paler than ink is what was left of it. Where nothing lies
  elsewhere, it is writing if it is clearly darker than the ruling; or darker, and beside it too.
  What lies beside a bar and is as long as it, is the other bar of an equals sign.
"""

from math import inf

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Grey, Mask
from san.images.clean.components import (
    Components,
    Which,
    at_edge,
    find_components,
    mean_height,
    stroke_width,
)
from san.images.clean.contrast import Contrast
from san.images.clean.cut_off import cut_off
from san.images.clean.edge_lines import without_lines
from san.images.clean.edge_marks import (
    MAX_GAP_HEIGHTS,
    MAX_SPECK_AREA_PEN_SQUARES,
    MIN_FLAT_WIDTH_TO_HEIGHT,
    MIN_OVERLAP_SHARE,
)

MIN_SPACE_HEIGHTS = 3.0
"""Times the writing's height: a space that parts what does not belong together."""
MAX_WINDOW_PIXELS = 200
"""Pixels: beyond that a window takes longer than distances do."""
MAX_FAR_INK_SHARE = 0.05
"""Of the ink of the largest group."""
MIN_SHARE_ON_RULING = 0.6
"""Share of a piece where rulings were."""
MIN_SHARE_BESIDE_RULING = 0.2
"""Share of a piece beside the rulings that it lies on: what is left of them keeps to them."""
MIN_CONTRAST_BESIDE_RULING, MIN_CONTRAST_ON_RULING = 1.5, 2.3
"""Times the rulings' contrast: ink that lies beside them too; ink wherever it lies."""
MIN_LENGTH_PIXELS = 7.0
"""Pixels of a piece's longer side, in the mean over all ink: below that nothing can be read."""
MIN_LENGTH_PEN_WIDTHS = 1.8
"""Times its own width: how long a piece is at least, in the same mean."""
MIN_BAR_INK_SHARE = 0.25
"""Of the ink on bars: a piece with more is one."""
MAX_REMAINS_CONTRAST = 0.7
"""Of the ink's contrast."""
MAX_POINT_PEN_WIDTHS = 2.0
"""Times the pen's width: how long a point is at most."""
MAX_SECOND_BARS = 50
"""Pieces that may be the second bars of signs; where there are more, they are dashes of rulings."""


def without_strays(
    ink: Mask,
    difference: Contrast | Grey,
    removed: Mask,
    level: float,
    ruled: float = inf,
    bars: Mask | None = None,
    seen: Mask | None = None,
) -> Mask:
    """`removed`: where rulings were; `level`, `ruled`: contrast of the ink and of the rulings.

    `bars`: where bars are that run to the sides of the picture as rulings do; `seen`: what a look
    from nearer took for ink.
    """
    components = find_components(ink)
    if not len(components.stats):
        return ink
    nib = stroke_width(ink)
    loose = without_lines(ink, components, nib, bars)
    if loose is not ink:
        ink, components = loose, find_components(loose)
    stray = components.stats[:, 4] < MAX_SPECK_AREA_PEN_SQUARES * nib * nib
    if seen is not None:  # the smaller a point is drawn, the more of it is edge
        stray &= np.bincount(components.labels[seen > 0], minlength=len(stray) + 1)[1:] == 0
    stray |= cut_off(components, ink.shape, nib) & ~_barred(components, bars)
    stray |= _far(components, ink, nib)
    if removed.any():
        share = _share_on_line(components, removed)
        on_line = share > MIN_SHARE_ON_RULING
        dark = _darkness(components, difference)
        if (on_line | stray).all():
            beside = (share < 1 - MIN_SHARE_BESIDE_RULING) & (
                dark > MIN_CONTRAST_BESIDE_RULING * ruled
            )
            over = (
                (beside | (dark > MIN_CONTRAST_ON_RULING * ruled))
                & ~stray
                & ~at_edge(components, ink.shape)
            )
            if not over.any():  # a ruled page with nothing on it
                return np.zeros_like(ink)
        pale = on_line & (dark < MAX_REMAINS_CONTRAST * level) & ~stray
        # A blurred point is as pale as that, and still far darker than the ruling.
        points = components.stats[:, 2:4].max(axis=1) <= MAX_POINT_PEN_WIDTHS * nib
        pale &= ~(points & (dark > MIN_CONTRAST_ON_RULING * ruled))
        stray |= pale & ~second_bars(components, pale, ~(stray | pale), nib)
    if not stray.any():
        return ink
    keep = np.concatenate([[False], ~stray])
    return np.asarray(keep[components.labels], np.uint8)


def _barred(components: Components, bars: Mask | None) -> NDArray[np.bool_]:
    """Pieces that hold a bar, or a good part of it."""
    if bars is None or not bars.any():
        return np.zeros(len(components.stats), bool)
    amount = np.bincount(components.labels[bars > 0], minlength=len(components.stats) + 1)[1:]
    return np.asarray(amount > MIN_BAR_INK_SHARE * max(amount.sum(), 1), bool)


def second_bars(components: Components, which: Which, others: Which, nib: float) -> Which:
    """Those of some pieces that are bars beside another one of their length, as the bars of =."""
    left, top, width, height, _ = components.stats.T
    flat = MIN_FLAT_WIDTH_TO_HEIGHT * height < width
    bars = np.asarray(which & flat, bool)
    if not 0 < np.count_nonzero(bars) <= MAX_SECOND_BARS:
        return np.zeros_like(bars)
    height_of_writing = mean_height(components.stats, nib) + nib
    for bar in np.flatnonzero(bars).tolist():
        shared = np.minimum(left + width, left[bar] + width[bar]) - np.maximum(left, left[bar])
        down = np.maximum(top - top[bar] - height[bar], top[bar] - top - height)
        twin = others & flat & (down <= MAX_GAP_HEIGHTS * height_of_writing)
        bars[bar] = (twin & (shared >= MIN_OVERLAP_SHARE * np.maximum(width, width[bar]))).any()
    return bars


def _far(components: Components, ink: Mask, nib: float) -> NDArray[np.bool_]:
    """Marks far from the writing: a wide space parts them, and they are little beside it."""
    reach = round(MIN_SPACE_HEIGHTS * (mean_height(components.stats, nib) + nib)) // 2
    count, groups = cv2.connectedComponents(near_to(ink, reach), connectivity=8)
    if count == 2:  # all of it is one group
        return np.zeros(len(components.stats), bool)
    amount = np.bincount(groups[ink > 0])
    group_of = np.zeros(len(components.stats) + 1, np.int64)
    group_of[components.labels[ink > 0]] = groups[ink > 0]
    return np.asarray(amount[group_of[1:]] < MAX_FAR_INK_SHARE * amount.max(), bool)


def near_to(ink: Mask, reach: int) -> Mask:
    """What is so close to ink, across or down.

    To dilate takes the longer the farther that is: a minute for a large page. A sum over a window
    is the quickest, but not of windows that are taller than many a picture.
    """
    if reach > MAX_WINDOW_PIXELS:
        away = cv2.distanceTransform(1 - ink, cv2.DIST_C, 3)
        return np.asarray(away <= reach, np.uint8)
    window = (2 * reach + 1, 2 * reach + 1)
    near = cv2.boxFilter(ink, cv2.CV_32F, window, normalize=False, borderType=cv2.BORDER_CONSTANT)
    return np.asarray(near > 0, np.uint8)


def _share_on_line(components: Components, removed: Mask) -> NDArray[np.float64]:
    """How much of each piece lies where rulings were, or next to it."""
    near = cv2.dilate(removed, np.ones((5, 5), np.uint8)) > 0
    amount = np.bincount(components.labels[near], minlength=len(components.stats) + 1)[1:]
    return np.asarray(amount / components.stats[:, 4], np.float64)


def _darkness(components: Components, difference: Contrast | Grey) -> NDArray[np.float64]:
    """Mean contrast of each piece."""
    inked = components.labels > 0
    dark = np.bincount(
        components.labels[inked], weights=difference[inked], minlength=len(components.stats) + 1
    )
    return np.asarray(dark[1:] / components.stats[:, 4], np.float64)


def has_strokes(ink: Mask) -> bool:
    """Whether there are strokes: pieces that are longer than they are thick, and large enough."""
    stats = find_components(ink).stats
    if not len(stats):
        return False
    side = stats[:, 2:4].max(axis=1)
    usual = float((side * stats[:, 4]).sum() / stats[:, 4].sum())
    return usual >= max(MIN_LENGTH_PIXELS, MIN_LENGTH_PEN_WIDTHS * stroke_width(ink))
