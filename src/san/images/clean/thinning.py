"""Thins strokes to their middle lines, and widens thin strokes to the width of the nib.

Design choices
- Zhang and Suen's thinning: pixels are peeled off from two sides in turn, wherever that breaks
  nothing. The rules are theirs: of the ring of eight around a pixel two to six are ink, all in one
  row; and the side that is peeled lies open.
- Eight pixels are a byte: the picture is cut into eight strips that lie on one another, so a
  pixel's neighbours are in the neighbouring bytes, and the rules are a few dozen bitwise operations
  on whole pictures, an eighth as large.
- A bounded number of peels: what is thicker is no stroke, and stays as it is.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import NIB, Mask

MAX_PEELS = 16
"""Strokes up to twice as wide are thinned."""

Bits = NDArray[np.uint8]
STRIP_BITS = np.arange(8, dtype=np.uint8)[:, None, None]
"""Of the eight strips."""


def thin(mask: Mask) -> Mask:
    """The middle lines of the strokes."""
    columns = mask.shape[1]
    high, wide = -(-len(mask) // 8), columns + 1  # an empty column parts a row from the next
    strips = np.zeros((8, high, columns), np.uint8)
    strips.reshape(-1, columns)[: len(mask)] = mask
    flat = np.zeros((high + 2) * wide + 2, np.uint8)  # two more rows, and a byte at either end
    rows = flat[1:-1].reshape(high + 2, wide)
    rows[1:-1, :columns] = (strips << STRIP_BITS).sum(axis=0, dtype=np.uint8)
    ink = flat[wide + 1 : -wide - 1]
    idle_halves = 0
    for half in range(2 * MAX_PEELS):
        rows[0], rows[-1] = rows[-2] << 1, rows[1] >> 1  # a strip goes on where the last one ends
        peeled = _peeled(flat, wide, half % 2 == 0)
        ink ^= peeled
        idle_halves = 0 if np.count_nonzero(peeled) else idle_halves + 1
        if idle_halves == 2:
            break
    lines = np.asarray((rows[1:-1, :columns] >> STRIP_BITS) & 1, np.uint8)
    return lines.reshape(-1, columns)[: len(mask)]


def _peeled(flat: Bits, wide: int, first: bool) -> Bits:
    """What may go in the first or second half of a peel; a row has so many bytes."""
    left, right, above, below = flat[:-1], flat[1:], flat[:-wide], flat[wide:]
    # Of all pairs side by side, and of all pairs one above the other: whether both are ink, and
    # whether ink begins between them: to the right or left, down or up.
    both, pile = left & right, above & below
    rightward, leftward, down, up = both ^ right, both ^ left, pile ^ below, pile ^ above
    # A side of the ring has two pairs. The upper side is its lower one to the pixel above.
    level, upright = both[:-1] | both[1:], pile[:-wide] | pile[wide:]
    close = level[: -2 * wide] | level[2 * wide :] | upright[:-2] | upright[2:]  # two or more
    # Clockwise ink begins once on a side at most, and has to on one side alone.
    north = (rightward[:-1] | rightward[1:])[: -2 * wide]
    south = (leftward[:-1] | leftward[1:])[2 * wide :]
    west, east = (up[:-wide] | up[wide:])[:-2], (down[:-wide] | down[wide:])[2:]
    once, often = (north | east) ^ (south | west), (north & east) | (south & west)
    over, under = flat[1 : -2 * wide - 1], flat[2 * wide + 1 : -1]
    before, behind = flat[wide : -wide - 2], flat[wide + 2 : -wide]
    # Where all but one are ink, and the open side is that one, it lies between two corners.
    if first:
        side = behind & under & (over | before)
        closed = flat[2 * wide + 2 :] & (up[2:-wide] | leftward[2 * wide : -1])
    else:
        side = over & before & (behind | under)
        closed = flat[: -2 * wide - 2] & (down[wide:-2] | rightward[1 : -2 * wide])
    return flat[wide + 1 : -wide - 1] & once & close & ~(often | side | closed)


def redrawn_with_nib(mask: Mask) -> Mask:
    """All strokes with the field's nib, along their middle lines."""
    return np.asarray(cv2.dilate(thin(mask), np.ones((NIB, NIB), np.uint8)), np.uint8)


def widened_to_nib(mask: Mask) -> Mask:
    """The strokes as they are, but nowhere thinner than the field's nib."""
    return mask | redrawn_with_nib(mask)
