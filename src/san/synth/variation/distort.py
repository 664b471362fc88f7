"""Distortion of strokes: size, slant, slope and bends of an expression, of its symbols, of its pen.

- Everything is done to points, before anything is drawn: lines stay as thin and as sharp as they
  are drawn elsewhere.
- Spacing: looser or tighter gaps, now and then a wide one, a base line that wanders.
- Strokes may be joined as fast writers do: within a symbol, or from one symbol to the next. How
  often people do it was counted on photographs (experiments/synth.md).
- Wildness, spacing, aspect, bend and climb draw no random number where they are off, so that a seed
  still gives the samples that it gave before there were any.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from san.ink.draw import Picture
from san.ink.strokes import Points
from san.synth.random_stream import RandomStream
from san.synth.samples import Boxes
from san.synth.variation.config import DistortionConfig, JoinedStrokesConfig, SpacingConfig
from san.synth.variation.page import InkPage, draw_page

FULL_TURN = 6.28
"""Radians of a wave. No knob; with more digits a seed would give other samples."""


def draw_distorted(
    page: InkPage, config: DistortionConfig, random: RandomStream
) -> tuple[Picture, Boxes]:
    """Distort a page and draw it; the boxes are those of all its symbols."""
    return draw_page(distort(page, config, random), config, random)


def distort(page: InkPage, config: DistortionConfig, random: RandomStream) -> InkPage:
    """The page, varied; the one given is not to be used any more."""
    if config.wildness != (1.0, 1.0):
        config = _with_wildness(config, random)
    spacing = config.spacing
    if spacing.chance and random.uniform() < spacing.chance:
        change_spacing(page, spacing, random)
    size = _symbols(page, config, random)
    joining = config.joined_strokes
    if joining.chance and random.uniform() < joining.chance:
        page = join_strokes(page, size, joining, random)
    if config.cut and random.uniform() < config.cut:
        page = _cut(page, config, random)
    points = page.points
    if config.wobble:
        amount = size * config.wobble * random.between(*config.wobble_factor)
        _wobble(points, amount, config.wobble_period, random)
    if config.smooth and random.uniform() < config.smooth:
        _smooth(page)
    if config.warp:
        _warp(points, size, config, random)
    if config.bow:
        _bow(points, size, config, random)
    _affine(points, config, random)
    if config.keystone:
        _keystone(points, config, random)
    if config.climb or config.steep_climb_chance:
        _climb(points, config, random)
    return page


def _with_wildness(config: DistortionConfig, random: RandomStream) -> DistortionConfig:
    """The configuration of one expression: how careless its writer is."""
    low, high = config.wildness
    wildness = low + (high - low) * random.uniform() ** config.wildness_power
    return replace(
        config,
        **{
            name: min(wildness * getattr(config, name), config.max_wild_amount)
            for name in (
                "symbol_shift", "symbol_size", "symbol_slant", "symbol_turn", "symbol_aspect",
                "symbol_bend", "warp", "wobble",
            )
        },
    )  # fmt: skip


def _symbols(page: InkPage, config: DistortionConfig, random: RandomStream) -> float:
    """Scale, move, slant, turn and bend each symbol by itself; their mean size is returned."""
    starts, counts = page.starts, page.counts
    low = np.minimum.reduceat(page.points, starts)
    high = np.maximum.reduceat(page.points, starts)
    number = len(starts)
    # A bar or a root moves by its thickness, not by its length; and turning it would strike through
    # what it covers.
    width, height = (high - low).T
    longer = np.maximum(width, height)
    factor, extra = config.symbol_side
    side = np.minimum(longer, factor * np.minimum(width, height) + extra)
    free = side / np.maximum(longer, 1.0)
    chance = random.deviations(5, number, limit=config.max_symbol_deviations)
    turn = config.symbol_turn * chance[1] * free
    matrix = np.empty((number, 6), np.float32)
    matrix[:, 0] = grow = np.exp(
        config.symbol_size * chance[0] * np.maximum(free, config.min_size_freedom)
    )
    matrix[:, 1] = config.symbol_slant * chance[2] * free - turn
    matrix[:, 2] = turn
    matrix[:, 3] = grow
    if config.symbol_aspect:
        deviations = random.deviations(number, limit=config.max_symbol_deviations)
        aspect = np.exp(config.symbol_aspect * deviations * free)
        matrix[:, 0] *= aspect
        matrix[:, 3] /= aspect
    centre = (low + high) / 2
    matrix[:, 4:] = centre + config.symbol_shift * (chance[3:] * side).T
    page.points -= np.repeat(centre, counts, axis=0)
    if config.symbol_bend:
        _bend(page, side, longer, config, random)
    x, y = page.points.T
    a, b, c, d, e, f = np.repeat(matrix, counts, axis=0).T
    # All x, then all y: what follows looks at one of them at a time.
    page.points = np.stack((a * x + b * y + e, c * x + d * y + f)).T
    return float(longer.mean()) + 1.0


def _bend(
    page: InkPage,
    sides: NDArray[np.float32],
    longer_sides: NDArray[np.float32],
    config: DistortionConfig,
    random: RandomStream,
) -> None:
    """Waves about as long as a symbol, one along and one across; each stands around its origin."""
    number = len(sides)
    low, high = (np.float32(length) for length in config.symbol_bend_wavelength)
    chance = random.generator.random((4, number), np.float32)
    frequencies = FULL_TURN / ((low + (high - low) * chance[:2]) * longer_sides + 1.0)
    highest = config.max_bend_slope / frequencies
    deviations = random.deviations(2, number, limit=config.max_symbol_deviations)
    heights = (deviations * (config.symbol_bend * sides)).clip(-highest, highest)
    waves = np.concatenate((heights, frequencies, FULL_TURN * chance[2:]))
    height, frequency, phase = np.repeat(waves, page.counts, axis=1).reshape(3, 2, -1)
    across = page.points.T[::-1]
    page.points += (height * np.sin(frequency * across + phase)).T


def _cut(page: InkPage, config: DistortionConfig, random: RandomStream) -> InkPage:
    """Strokes that begin late or end early: each end loses a small part of a stroke at most."""
    lengths = page.lengths
    room = np.where(lengths > config.min_cut_points, lengths, 0) / config.cut_divisor
    first, last = (random.generator.random((2, len(lengths))) * room).astype(np.intp)
    place = np.arange(len(page.points)) - np.repeat(page.stroke_starts, lengths)
    keep = (place >= np.repeat(first, lengths)) & (place < np.repeat(lengths - last, lengths))
    return InkPage(page.points[keep], lengths - first - last, page.strokes, page.dragged)


def _wobble(points: Points, amount: float, period: tuple[int, int], random: RandomStream) -> None:
    """A pen that strays a little and comes back, over some points: it does not jump."""
    every = period[0] + int((period[1] - period[0]) * random.uniform())
    strays = random.generator.standard_normal((len(points) // every + 2, 2), np.float32)
    strays *= np.float32(amount)
    place = np.arange(len(points))
    knot = place // every
    here = strays[knot]
    points += here
    points += (strays[knot + 1] - here) * ((place % every) / np.float32(every))[:, None]


def _smooth(page: InkPage) -> None:
    """Each point moves halfway to the middle of its neighbours; ends stay."""
    points = page.points
    inner = np.ones(len(points), bool)
    starts = page.stroke_starts
    inner[starts] = False
    inner[starts + page.lengths - 1] = False
    place = np.flatnonzero(inner)
    points[place] = points[place] / 2 + (points[place - 1] + points[place + 1]) / 4


def _warp(points: Points, size: float, config: DistortionConfig, random: RandomStream) -> None:
    """Waves longer than a symbol, one along and one across."""
    for axis in (0, 1):
        length = size * random.between(*config.warp_wavelength)
        phase = random.between(0.0, FULL_TURN)
        height = size * config.warp * random.between(*config.warp_factor)
        height = min(height, config.max_warp_slope * length / FULL_TURN)
        # A wave that runs along x and lifts y bends the line; one along y bends what is tall.
        wave = np.sin(points[:, 1 - axis] * np.float32(FULL_TURN / length) + np.float32(phase))
        points[:, axis] += np.float32(height) * wave


def _bow(points: Points, size: float, config: DistortionConfig, random: RandomStream) -> None:
    """A line bent to a parabola: seldom much, and the less the shorter it is."""
    x = points[:, 0]
    low, high = float(x.min()), float(x.max())
    half = (high - low) / 2 + 1.0
    length = min(1.0, half / (config.bow_full_width * size / 2))
    depth = size * random.bell(config.bow) * config.bow_factor
    depth = depth * random.uniform() ** config.bow_power * length
    along = (x - np.float32((low + high) / 2)) / np.float32(half)
    points[:, 1] += np.float32(depth) * along * along


def _affine(points: Points, config: DistortionConfig, random: RandomStream) -> None:
    stretch = float(np.exp(random.bell(config.stretch)))
    slant = random.bell(config.slant)
    steepest = config.max_slope_deviations * config.slope
    turn = np.radians(max(-steepest, min(steepest, random.bell(config.slope))))
    cos, sin = float(np.cos(turn)), float(np.sin(turn))
    lean = np.array(((stretch, slant), (0.0, 1 / stretch)))
    matrix = np.array(((cos, -sin), (sin, cos))) @ lean
    points[:] = points @ matrix.T.astype(np.float32)


def _keystone(points: Points, config: DistortionConfig, random: RandomStream) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    half = float((high - low).max()) / 2 + 1.0
    tilts = (random.bell(config.keystone), random.bell(config.keystone))
    tilt = np.array(tilts, np.float32) / np.float32(half)
    offsets = points - middle
    divisor = np.maximum(1 + offsets @ tilt, np.float32(config.min_keystone_divisor))
    points[:] = offsets / divisor[:, None] + middle


def _climb(points: Points, config: DistortionConfig, random: RandomStream) -> None:
    """A line that rises or falls; other than with a slope its symbols stay upright."""
    steep = config.steep_climb_chance and random.uniform() < config.steep_climb_chance
    climb = random.bell(config.steep_climb if steep else config.climb)
    x = points[:, 0]
    climb = max(-config.max_climb, min(config.max_climb, climb))
    points[:, 1] += np.float32(climb) * (x - x.min())


def change_spacing(page: InkPage, config: SpacingConfig, random: RandomStream) -> None:
    """Change all gaps of a page by one factor; nothing overlaps that did not overlap before.

    A gap is where a vertical line meets no symbol's box: a fraction or a root moves as a whole, and
    symbols are only shifted, so their order from left to right stays.
    """
    low = np.minimum.reduceat(page.points, page.starts)
    high = np.maximum.reduceat(page.points, page.starts)
    order = np.argsort(low[:, 0], kind="stable")
    reach = np.maximum.accumulate(high[order, 0])
    gaps = np.maximum(low[order[1:], 0] - reach[:-1], 0.0)
    if not gaps.any():
        return
    size = float((high - low).max(axis=1).mean()) + 1.0
    lowest, highest = (math.log(bound) for bound in config.gap_factor)
    extra = gaps * (math.exp(random.between(lowest, highest)) - 1.0)
    if config.wide_gap_chance and random.uniform() < config.wide_gap_chance:
        widened = np.flatnonzero(gaps > config.min_widened * size)
        if len(widened):
            extra[random.choice(widened.tolist())] += size * random.between(*config.wide_gap)
    strays = random.deviations(len(gaps), limit=config.max_wander_deviations)
    strays = strays * (gaps > 0) * (config.wander * size)
    shifts = np.zeros((len(order), 2), np.float32)
    shifts[order[1:]] = np.stack((extra, strays), axis=1).cumsum(axis=0)
    page.points += np.repeat(shifts, page.counts, axis=0)


def join_strokes(
    page: InkPage, size: float, config: JoinedStrokesConfig, random: RandomStream
) -> InkPage:
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
    # The farther the pen has to go, the likelier it is lifted.
    factor = np.array((0.0, 1.0, 1.0, config.three_stroke_factor, 0.0))
    few = np.repeat(factor[np.minimum(page.strokes, 4)], page.strokes)[:-1]
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
    page: InkPage,
    joined: NDArray[np.bool_],
    dragged: NDArray[np.bool_],
    bow: float,
    random: RandomStream,
) -> InkPage:
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
    return InkPage(
        np.insert(page.points, where, middle, axis=0),
        np.add.reduceat(lengths, np.flatnonzero(first)),
        np.add.reduceat(first.astype(np.intp), of_symbol),
        number[:-1][dragged],
    )


def _meeting(page: InkPage, size: float, near: float) -> InkPage:
    """Symbols of two strokes turned so that ends that nearly meet follow one another.

    A 5 written in one go begins with its bar at the right; with a lifted pen both strokes begin at
    the left.
    """
    starts = page.stroke_starts
    pairs = (page.strokes.cumsum() - page.strokes)[page.strokes == 2]
    ends = np.stack((starts, starts + page.lengths - 1))
    first, second = page.points[ends[:, pairs]], page.points[ends[:, pairs + 1]]
    way = first[:, None] - second[None]  # (ends of the one, ends of the other, pairs, 2)
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
    return InkPage(page.points[place], page.lengths, page.strokes)


def _spans(page: InkPage) -> NDArray[np.float32]:
    """Each stroke's longer side."""
    starts = page.stroke_starts
    low = np.minimum.reduceat(page.points, starts)
    high = np.maximum.reduceat(page.points, starts)
    return np.asarray((high - low).max(axis=1), np.float32)
