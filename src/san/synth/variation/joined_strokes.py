"""Joins strokes as fast writers do: within a symbol, or from one symbol to the next.

How often people do it was counted on photographs (experiments/synth.md).
"""

import numpy as np
from numpy.typing import NDArray

from san.synth.random_stream import RandomStream
from san.synth.variation.config import JoinedStrokesConfig
from san.synth.variation.page import Page


def join_strokes(
    page: Page, size: float, config: JoinedStrokesConfig, random: RandomStream
) -> Page:
    """A page by a writer who joins some strokes; `size` is that of its mean symbol."""
    if len(page.lengths) < 2:
        return page
    page = _meeting(page, size, config.near)
    starts = page.stroke_starts
    ends = starts + page.lengths
    points = page.points
    span = _spans(page) / np.float32(size)
    able = (span > config.min_stroke) & (span < config.max_stroke)
    able = able[:-1] & able[1:]
    way = (points[starts[1:]] - points[ends[:-1] - 1]) / np.float32(size)
    gap = np.hypot(*way.T)
    inner = np.ones(len(starts), bool)
    inner[page.strokes.cumsum() - 1] = False
    inner = inner[:-1]
    # The farther the pen has to go, the likelier it is lifted. Symbols of three strokes are joined
    # half as often as those of two; more strokes would become a zigzag that nobody reads.
    few = np.repeat((4 - page.strokes).clip(0, 2) / 2, page.strokes)[:-1]
    far = config.far_chance * few * (1 - gap / config.reach)
    chance = np.maximum(1 - gap / config.near, far)
    chance *= random.between(*config.chance_factor) * able
    if random.uniform() < config.drag_share:
        # On to what stands at the right: neither up to a script nor down to a denominator.
        ahead = (way[:, 0] > 0) & (np.abs(way[:, 1]) < config.max_drag_slope * way[:, 0])
        dragging = config.drag_chance * (1 - gap / config.reach) * able * ahead
        chance = np.where(inner, chance, dragging)
    else:
        chance *= inner
    joined = random.generator.random(len(chance)) < chance
    dragged = joined & ~inner
    joined &= inner
    if not joined.any() and not dragged.any():
        return page
    return _joined(page, joined, dragged, config.bow, random)


def _joined(
    page: Page,
    joined: NDArray[np.bool_],
    dragged: NDArray[np.bool_],
    bow: float,
    random: RandomStream,
) -> Page:
    """The same points, and one more in the middle of each join, which is bowed a little."""
    ends = page.stroke_starts + page.lengths
    first = np.concatenate(([True], ~joined))  # whether a stroke begins one of the new ones
    number = first.cumsum() - 1
    where = ends[:-1][joined]
    before, after = page.points[where - 1], page.points[where]
    way = after - before
    bows = np.float32(bow) * random.generator.standard_normal((len(where), 1), np.float32)
    middle = (before + after) / 2 + bows * np.stack((-way[:, 1], way[:, 0]), axis=1)
    lengths = page.lengths.copy()
    lengths[:-1][joined] += 1
    of_symbol = page.strokes.cumsum() - page.strokes
    return Page(
        np.insert(page.points, where, middle, axis=0),
        np.add.reduceat(lengths, np.flatnonzero(first)),
        np.add.reduceat(first.astype(np.intp), of_symbol),
        number[:-1][dragged],
    )


def _meeting(page: Page, size: float, near: float) -> Page:
    """Symbols of two strokes turned so that ends that nearly meet follow one another.

    A 5 written in one go begins with its bar at the right; with a lifted pen both strokes begin at
    the left.
    """
    starts = page.stroke_starts
    pairs = (page.strokes.cumsum() - page.strokes)[page.strokes == 2]
    ends = np.stack((starts, starts + page.lengths - 1))
    one, other = page.points[ends[:, pairs]], page.points[ends[:, pairs + 1]]
    way = one[:, None] - other[None]  # (ends of the one, ends of the other, pairs, 2)
    gap = np.hypot(way[..., 0], way[..., 1]).reshape(4, -1) / np.float32(size)
    best = gap.argmin(axis=0)
    meets = gap.min(axis=0, initial=np.inf) < near
    turned = np.zeros(len(starts), bool)
    turned[pairs] = meets & (best < 2)  # it would have to end where it begins
    turned[pairs + 1] = meets & (best % 2 == 1)
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
