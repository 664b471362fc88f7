"""Finds what leaves the picture and is far broader than any stroke: a finger, a book's gutter.

Taken for ink it would be most of it. Then the pen seems as broad, what is written is specks beside
it, and what is paler than it is paper. So it is looked for where it would be taken for the pen, and
nowhere else: in a close crop what is broad at an edge may be a letter's own blur.
"""

import cv2
import numpy as np

from san.images.bitmap import Mask
from san.images.clean.components import Sides, find_components, stroke_width
from san.images.clean.strays import has_strokes

MIN_BREADTH_PEN_WIDTHS = 5.0
"""Times the pen's width: no stroke is so broad."""
MIN_WIDTH_TO_PEN = 1.7
"""Times the pen's width: the mean over all ink, where much of it is no stroke."""
MIN_FREE_PIECES = 3
"""Pieces that touch no edge: what the pen is known by."""
RIM_BREADTHS = 0.75
"""Of that breadth: how far it reaches beyond its core, blur and all."""
MIN_COVERED_SHARE = 0.5
"""Of a piece that is broad, or near to where it is: all of it goes."""
MIN_RUN_PIXELS = 10
"""Pixels along an edge: what is broad has more."""


def broad_edges(ink: Mask) -> Mask | None:
    """Where it is, with its rim; None where there is none."""
    if not _has_run(ink):
        return None
    components = find_components(ink)
    free = Sides(components, ink.shape).free
    written = np.asarray(np.concatenate([[False], free])[components.labels], np.uint8)
    if np.count_nonzero(free) < MIN_FREE_PIECES or not has_strokes(written):
        return None
    nib = stroke_width(written)
    if stroke_width(ink) < MIN_WIDTH_TO_PEN * nib:
        return None
    breadth = MIN_BREADTH_PEN_WIDTHS * nib
    # Beyond the picture it goes on: there is no paper.
    core = cv2.distanceTransform(ink, cv2.DIST_L2, 3) > breadth / 2
    within = np.bincount(components.labels[core], minlength=len(free) + 1)[1:] > 0
    leaving = np.concatenate([[False], within & ~free])[components.labels]
    if not leaving.any():
        return None
    core &= leaving
    away = cv2.distanceTransform(1 - core.astype(np.uint8), cv2.DIST_L2, 3)
    near = away <= RIM_BREADTHS * breadth
    # Of a finger that is broader than paper's window no more than its rim is dark.
    covered = np.bincount(components.labels[near & leaving], minlength=len(free) + 1)[1:]
    whole = np.concatenate([[False], covered > MIN_COVERED_SHARE * components.stats[:, 4]])
    pieces = np.asarray(whole[components.labels], np.uint8)
    blurred = cv2.dilate(pieces, np.ones((5, 5), np.uint8))
    return np.asarray(near | (blurred > 0), np.uint8)


def _has_run(ink: Mask) -> bool:
    """Whether a good part of an edge is ink without a gap."""
    run = np.ones((1, MIN_RUN_PIXELS), np.uint8)
    sides = (ink[0], ink[-1], ink[:, 0], ink[:, -1])
    return any(cv2.erode(np.ascontiguousarray(side)[None], run).any() for side in sides)
