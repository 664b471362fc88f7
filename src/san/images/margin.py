"""Cuts out what was laid on a page of one colour: a photograph in a document, a coloured panel.

Design choices
- Only where it is plainly there: a rectangle that stands upright, whose sides are not the page's
  colour all along, and in which a camera's noise is, or something on a ground of another colour
  than the page's. A drawing, print or a frame around a formula has the page's own within as well,
  and a bar has nothing: they are left as they are.
- Sides that have no page beside them are the picture's own.
- Of the photograph's edge a little is cut off too: where it was compressed it is no clean edge.
"""

import cv2
import numpy as np

from san.images.bitmap import Extent, Grey, Mask, extent
from san.images.clean.flat_ground import flat_ground
from san.images.view import ViewedImage

TOLERANCE = 12
"""Grey levels by which a page of one colour differs from it, compressed."""
MIN_FULL_SHARE = 0.95
"""Of a side: what is not of the page's colour."""
TRIMMED = 8
"""Pixels: compression goes by squares of as many."""
MIN_SIDE = 64
"""Pixels of what is left of it."""


def without_margin(image: ViewedImage) -> ViewedImage:
    """The photograph or the panel alone; the same image where there is no page around one."""
    box = find_laid_on(image.grey)
    return image if box is None else image.cut_out(box)


def find_laid_on(grey: Grey) -> Extent | None:
    """Where it is, in pixels; None where there is no page around one."""
    edges = (grey[0], grey[-1], grey[:, 0], grey[:, -1])
    page = next((int(edge[0]) for edge in edges if np.ptp(edge) <= TOLERANCE), None)
    if page is None:
        return None
    other = _unlike(grey, page)
    found = extent(other)
    height, width = grey.shape
    if found is None or found == (0, 0, width, height):
        return None
    left, top, right, bottom = found
    left, top = (side and side + TRIMMED for side in (left, top))
    right, bottom = (
        side if side == end else side - TRIMMED for side, end in ((right, width), (bottom, height))
    )
    if min(right - left, bottom - top) < MIN_SIDE:
        return None
    within = other[top:bottom, left:right]
    beside_page = (left > 0, top > 0, right < width, bottom < height)
    sides = (within[:, 0], within[0], within[:, -1], within[-1])
    if any(
        beside and (side > 0).mean() < MIN_FULL_SHARE
        for beside, side in zip(beside_page, sides, strict=True)
    ):
        return None
    ground = flat_ground(np.ascontiguousarray(grey[top:bottom, left:right]))
    if ground is not None and (
        abs(ground - page) <= TOLERANCE or not _unlike(grey[top:bottom, left:right], ground).any()
    ):
        return None
    return Extent(left, top, right, bottom)


def _unlike(grey: Grey, colour: int) -> Mask:
    """Where it is not of a colour."""
    alike = cv2.inRange(grey, np.array(colour - TOLERANCE), np.array(colour + TOLERANCE))
    return np.asarray(cv2.bitwise_not(alike, dst=alike), np.uint8)  # large images: one more
