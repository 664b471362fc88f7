"""Packs ink as small integers: sixteenths of a pixel, each point as its step from the last one.

A pixel is one of the field's drawing of this ink. Sixteenths are rounded DOWN and the ink is moved
by whole pixels only, so each point stays in the pixel where it was: drawn again at scale 1, packed
ink gives the picture of the original, bit for bit.

Positions are in [0, 65536), so steps are kept modulo 65536: no jump of the pen is too long.
"""

import numpy as np
from numpy.typing import NDArray

from san.ink.draw import BITMAP_PEN, Pen, scale_of
from san.ink.strokes import Ink

PARTS_PER_PIXEL = 16
Steps = NDArray[np.uint16]


def to_steps(ink: Ink, pen: Pen = BITMAP_PEN) -> Steps:
    """The points of the ink, (n, 2), as steps from each to the next; the first from the corner."""
    scale = scale_of(ink, pen.height)
    extent = max(ink.box.width, ink.box.height)
    # A pixel less than `draw` allows: else the ink, as packed, could be too long by a sixteenth,
    # and drawing it would shrink it once more.
    room = pen.max_side - pen.border - 2
    if extent * scale > room:
        scale = room / extent
    scaled = ink.points * np.float32(scale)  # in single precision, as `draw` has it
    parts = np.floor(scaled.astype(np.float64) * PARTS_PER_PIXEL).astype(np.int64)
    parts -= parts.min(axis=0) // PARTS_PER_PIXEL * PARTS_PER_PIXEL
    return np.diff(parts, axis=0, prepend=0).astype(np.uint16)


def to_ink(steps: Steps, lengths: NDArray[np.integer]) -> Ink:
    """The ink in pixels, from its steps and the number of points of each stroke."""
    parts = np.cumsum(steps, axis=0, dtype=np.uint16)
    points = parts.astype(np.float32) / np.float32(PARTS_PER_PIXEL)
    return Ink(tuple(np.split(points, np.cumsum(lengths[:-1]))))
