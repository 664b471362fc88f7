"""Hands too hasty to lift the pen: strokes of a symbol run together, or on to the next one.

How often pupils do it was counted on photographs (docs/synth.md).
"""

import numpy as np
from numpy.typing import NDArray

from san.synth.random_stream import RandomStream
from san.synth.variation.page import Page

DOT, BAR = 0.3, 2.5
"""Mean symbols' sizes: a dot (of an i, of a division) and a long bar are run together with
nothing."""
NEAR, REACH = 0.3, 1.0
"""The same: ends of strokes that nearly meet; and how far apart they may be at all."""
FAR = 0.3
"""Of symbols of two strokes whose ends do not nearly meet: how many are written in one go at most.
Of three half as many, of more none: they become a zigzag that nobody reads."""
DRAGGING, DRAG = 0.5, 0.4
"""Hasty hands that drag the pen to the next symbol, and how often they do at most."""


def in_haste(page: Page, size: float, random: RandomStream) -> Page:
    """A hand that does not lift the pen between some strokes of a symbol, nor always after it."""
    if len(page.lengths) < 2:
        return page
    page = _meeting(page, size)
    starts = page.stroke_starts
    ends = starts + page.lengths
    points = page.points
    span = _spans(page) / np.float32(size)
    able = (span > DOT) & (span < BAR)
    able = able[:-1] & able[1:]
    way = (points[starts[1:]] - points[ends[:-1] - 1]) / np.float32(size)
    gap = np.hypot(*way.T)
    inner = np.ones(len(starts), bool)
    inner[page.strokes.cumsum() - 1] = False
    inner = inner[:-1]
    # The farther the pen has to go, the likelier it is lifted.
    few = np.repeat((4 - page.strokes).clip(0, 2) / 2, page.strokes)[:-1]
    far = FAR * few * (1 - gap / REACH)
    chance = np.maximum(1 - gap / NEAR, far)
    chance *= random.between(0.3, 1.0) * able
    if random.uniform() < DRAGGING:
        # On to what stands at the right: neither up to a script nor down to a denominator.
        ahead = (way[:, 0] > 0) & (np.abs(way[:, 1]) < 1.5 * way[:, 0])
        chance = np.where(inner, chance, DRAG * (1 - gap / REACH) * able * ahead)
    else:
        chance *= inner
    joined = random.generator.random(len(chance)) < chance
    dragged = joined & ~inner
    joined &= inner
    if not joined.any() and not dragged.any():
        return page
    return _run_together(page, joined, dragged, random)


def _run_together(
    page: Page, joined: NDArray[np.bool_], dragged: NDArray[np.bool_], random: RandomStream
) -> Page:
    """The same points and one more in the middle of each join: a hasty pen goes in bows."""
    ends = page.stroke_starts + page.lengths
    first = np.concatenate(([True], ~joined))  # whether a stroke begins one of the new ones
    number = first.cumsum() - 1
    where = ends[:-1][joined]
    before, after = page.points[where - 1], page.points[where]
    way = after - before
    bow = np.float32(0.1) * random.generator.standard_normal((len(where), 1), np.float32)
    middle = (before + after) / 2 + bow * np.stack((-way[:, 1], way[:, 0]), axis=1)
    lengths = page.lengths.copy()
    lengths[:-1][joined] += 1
    of_symbol = page.strokes.cumsum() - page.strokes
    return Page(
        np.insert(page.points, where, middle, axis=0),
        np.add.reduceat(lengths, np.flatnonzero(first)),
        np.add.reduceat(first.astype(np.intp), of_symbol),
        number[:-1][dragged],
    )


def _meeting(page: Page, size: float) -> Page:
    """Symbols of two strokes turned so that ends that nearly meet follow one another.

    Who writes a 5 in one go begins with its bar at the right; who lifts the pen begins it twice at
    the left.
    """
    starts = page.stroke_starts
    pairs = (page.strokes.cumsum() - page.strokes)[page.strokes == 2]
    ends = np.stack((starts, starts + page.lengths - 1))
    one, other = page.points[ends[:, pairs]], page.points[ends[:, pairs + 1]]
    way = one[:, None] - other[None]  # (ends of the one, ends of the other, pairs, 2)
    gap = np.hypot(way[..., 0], way[..., 1]).reshape(4, -1) / np.float32(size)
    best = gap.argmin(axis=0)
    near = gap.min(axis=0, initial=np.inf) < NEAR
    turned = np.zeros(len(starts), bool)
    turned[pairs] = near & (best < 2)  # it would have to end where it begins
    turned[pairs + 1] = near & (best % 2 == 1)
    if not turned.any():
        return page
    place = np.arange(len(page.points))
    back = np.repeat(2 * starts + page.lengths - 1, page.lengths) - place
    place = np.where(np.repeat(turned, page.lengths), back, place)
    return Page(page.points[place], page.lengths, page.strokes)


def _spans(page: Page) -> NDArray[np.float32]:
    """Each stroke's longer side."""
    starts = page.stroke_starts
    low = np.minimum.reduceat(page.points, starts)
    high = np.maximum.reduceat(page.points, starts)
    return np.asarray((high - low).max(axis=1), np.float32)
