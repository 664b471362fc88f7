"""Which stroke of one glyph stands beside which of another.

Design choices
- Nobody must write in the same order: the order counts whose worst stroke is best, since one stroke
  in a wrong place makes another symbol. Nor in the same direction: each stroke is taken from the
  end that fits better.
- One glyph against many at once: all pairs of strokes are one product of matrices.
"""

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.ink.strokes import Points
from san.synth.glyphs.blend_shapes import DENSE

MOST_ORDERED = 4
"""Strokes up to which every order is tried: words of more are compared as they were written."""


class Match(NamedTuple):
    """The strokes of some glyphs beside those of one."""

    worst: NDArray[np.float32]  # (glyphs,): how far off the stroke is that fits worst
    order: NDArray[np.intp]  # (glyphs, strokes): which of its strokes stands beside each
    turned: NDArray[np.bool_]  # (glyphs, strokes): and whether from its end


def matched(own: Points, others: Points) -> Match:
    """(strokes, DENSE, 2) against (glyphs, strokes, DENSE, 2)."""
    glyphs, count = others.shape[:2]
    ways = np.concatenate((own, own[:, ::-1])).reshape(2 * count, -1)
    rows = others.reshape(glyphs * count, -1)
    # |a - b|² of all pairs as one product; a little below 0 where rounding made it so.
    squares = (rows * rows).sum(axis=1)[:, None] + (ways * ways).sum(axis=1) - 2 * (rows @ ways.T)
    both = squares.reshape(glyphs, count, 2, count) / DENSE
    ahead, back = both[:, :, 0], both[:, :, 1]
    off = np.sqrt(np.maximum(np.minimum(ahead, back), 0.0))  # (glyphs, their strokes, own strokes)
    turned = back < ahead
    if count == 1:  # of most glyphs
        return Match(off[:, 0, 0], np.zeros((glyphs, 1), np.intp), turned[:, 0])
    orders, strokes, each = _orders(count), np.arange(count), np.arange(glyphs)
    worst = off[:, orders, strokes].max(axis=2)
    best = worst.argmin(axis=1)
    order = orders[best]
    return Match(worst[each, best], order, turned[each[:, None], order, strokes])


def beside(other: Points, order: NDArray[np.intp], turned: NDArray[np.bool_]) -> Points:
    """The strokes of a glyph in another order, some from their ends."""
    found = other[order]
    return np.where(turned[:, None, None], found[:, ::-1], found)


@cache
def _orders(count: int) -> NDArray[np.intp]:
    if count > MOST_ORDERED:
        return np.arange(count)[None]
    return np.array(list(permutations(range(count))), np.intp)
