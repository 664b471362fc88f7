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

from san.compose.blend_shapes import DENSE
from san.ink.strokes import Points

MOST_ORDERED = 4
"""Strokes up to which every order is tried: words of more are compared as they were written."""


class Match(NamedTuple):
    """The strokes of some glyphs beside those of one."""

    worst: NDArray[np.float32]  # (glyphs,): how far off the stroke is that fits worst
    order: NDArray[np.intp]  # (glyphs, strokes): which of its strokes stands beside each
    turned: NDArray[np.bool_]  # (glyphs, strokes): and whether from its end


def matched(own: Points, others: Points) -> Match:
    """(strokes, DENSE, 2) against (glyphs, strokes, DENSE, 2)."""
    count = len(own)
    ways = np.concatenate((own, own[:, ::-1])).reshape(2 * count, -1)
    rows = others.reshape(len(others) * count, -1)
    # |a - b|² of all pairs as one product; a little below 0 where rounding made it so.
    squares = (rows * rows).sum(axis=1)[:, None] + (ways * ways).sum(axis=1) - 2 * rows @ ways.T
    both = squares.reshape(len(others), count, 2, count) / DENSE
    off = np.sqrt(np.maximum(both.min(axis=2), 0.0))  # (glyphs, their strokes, own strokes)
    orders = _orders(count)
    worst = off[:, orders, np.arange(count)].max(axis=2)
    best = worst.argmin(axis=1)
    glyphs = np.arange(len(others))
    order = orders[best]
    turned = both[:, :, 1] < both[:, :, 0]
    return Match(worst[glyphs, best], order, turned[glyphs[:, None], order, np.arange(count)])


def beside(other: Points, order: NDArray[np.intp], turned: NDArray[np.bool_]) -> Points:
    """The strokes of a glyph in another order, some from their ends."""
    found = other[order]
    return np.where(turned[:, None, None], found[:, ::-1], found)


@cache
def _orders(count: int) -> NDArray[np.intp]:
    if count > MOST_ORDERED:
        return np.arange(count)[None]
    return np.array(list(permutations(range(count))), np.intp)
