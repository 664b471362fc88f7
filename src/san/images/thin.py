"""Strokes of any width -> their middle lines, and from those strokes of the field's nib at least.

Design choices
- Zhang and Suen's thinning: pixels are peeled off from two sides in turn, wherever that breaks
  nothing. A pixel's eight neighbours are one byte, so both rules are tables of 256 entries.
- A bounded number of peels: what is thicker is no stroke, and stays as it is.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import NIB, Mask

PEELS = 16
"""Strokes up to twice as wide are thinned."""

# The neighbours' bits, clockwise from north.
BITS = np.array([[128, 1, 2], [64, 0, 4], [32, 16, 8]], np.float32)


def _table(first: bool) -> NDArray[np.uint8]:
    """1 for every neighbourhood whose middle may go, in the first or second half of a peel."""
    table = np.zeros(256, np.uint8)
    for code in range(256):
        ring = [code >> bit & 1 for bit in range(8)]  # N NE E SE S SW W NW
        north, east, south, west = ring[::2]
        changes = sum(a < b for a, b in zip(ring, ring[1:] + ring[:1], strict=True))
        if first:
            open_side = not (north and east and south) and not (east and south and west)
        else:
            open_side = not (north and east and west) and not (north and south and west)
        table[code] = 2 <= sum(ring) <= 6 and changes == 1 and open_side
    return table


TABLES = (_table(True), _table(False))


def thin(mask: Mask) -> Mask:
    """The middle lines of the strokes."""
    mask = mask.copy()
    for _ in range(PEELS):
        gone = 0
        for table in TABLES:
            code = cv2.filter2D(mask, cv2.CV_8U, BITS, borderType=cv2.BORDER_CONSTANT)
            peel = np.asarray(cv2.LUT(code, table), np.uint8) & mask
            gone += int(cv2.countNonZero(peel))
            mask ^= peel
        if not gone:
            break
    return mask


def drawn_again(mask: Mask) -> Mask:
    """All strokes with the field's nib, along their middle lines."""
    return np.asarray(cv2.dilate(thin(mask), np.ones((NIB, NIB), np.uint8)), np.uint8)


def with_nib(mask: Mask) -> Mask:
    """The strokes as they are, but nowhere thinner than the field's nib."""
    return mask | drawn_again(mask)
