"""The bitmaps that the network knows (white ink on black), and whether a picture is one.

They are drawn as `san.ink.draw.BITMAP_PEN` draws ink. A picture that is such a bitmap already is
left untouched.
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.ink.draw import BITMAP_PEN

Grey = NDArray[np.uint8]
Picture = NDArray[np.uint8]
"""255 where there is ink, 0 elsewhere."""
Mask = NDArray[np.uint8]
"""1 where something is, 0 elsewhere."""

NIB = BITMAP_PEN.width
"""Width of a stroke."""
MARGIN = BITMAP_PEN.margin
FAR_MARGIN = BITMAP_PEN.far_margin
"""To the right and below."""
MAX_SIDE = BITMAP_PEN.max_side
"""No side of a picture is longer."""


class Extent(NamedTuple):
    """Rows and columns that hold something, as slices take them."""

    left: int
    top: int
    right: int
    bottom: int


def extent(mask: NDArray[np.uint8]) -> Extent | None:
    """The smallest rectangle around all that is not 0."""
    left, top, width, height = cv2.boundingRect(mask)
    return Extent(left, top, left + width, top + height) if width else None


def resized(grey: Grey, factor: float) -> Grey:
    """The picture, so many times as large; at least one pixel of it."""
    if factor == 1:
        return grey
    size = (max(1, round(grey.shape[1] * factor)), max(1, round(grey.shape[0] * factor)))
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(grey, size, interpolation=how), np.uint8)


def is_bitmap(grey: Grey) -> bool:
    """Whether a picture is drawn as the field's bitmaps are: values, margins, square nib."""
    height, width = grey.shape
    if min(height, width) < 2 * MARGIN or max(height, width) > MAX_SIDE:
        return False
    if grey[:MARGIN].any() or ((grey != 0) & (grey != 255)).any():
        return False
    if extent(grey) != (MARGIN, MARGIN, width - FAR_MARGIN, height - FAR_MARGIN):
        return False
    opened = cv2.morphologyEx(grey, cv2.MORPH_OPEN, np.ones((NIB, NIB), np.uint8))
    # Strokes are narrow: hardly any pixel lies deep within the ink, as in a filled shape.
    return bool((opened == grey).all()) and _narrow(grey)


def _narrow(grey: Grey) -> bool:
    deep = cv2.erode(grey, np.ones((2 * NIB + 1, 2 * NIB + 1), np.uint8))
    return int(np.count_nonzero(deep)) * 10 <= int(np.count_nonzero(grey))
