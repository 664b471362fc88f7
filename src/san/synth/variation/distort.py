"""Distortion of strokes: size, slant, slope and bends of an expression, of its symbols, of its pen.

Everything is done to points, before anything is drawn: lines stay as thin and as sharp as they are
drawn elsewhere. Wildness, spacing, aspect, bend and climb draw no random number where they are off,
so that a seed still gives the samples that it gave before there were any.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from san.ink.strokes import Points
from san.synth.random_stream import RandomStream
from san.synth.variation.config import DistortionConfig
from san.synth.variation.joined_strokes import join_strokes
from san.synth.variation.page import Page
from san.synth.variation.spacing import change_spacing

MAX_AMOUNT = 1.0
"""Of what wildness multiplies: no expression goes farther than a configuration may."""
FULL_TURN = 6.28


def distort(page: Page, config: DistortionConfig, random: RandomStream) -> Page:
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
            name: min(wildness * getattr(config, name), MAX_AMOUNT)
            for name in (
                "symbol_shift", "symbol_size", "symbol_slant", "symbol_turn", "symbol_aspect",
                "symbol_bend", "warp", "wobble",
            )
        },
    )  # fmt: skip


def _symbols(page: Page, config: DistortionConfig, random: RandomStream) -> float:
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
    page: Page,
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


def _cut(page: Page, config: DistortionConfig, random: RandomStream) -> Page:
    """Strokes that begin late or end early: each end loses a small part of a stroke at most."""
    lengths = page.lengths
    room = np.where(lengths > config.min_cut_points, lengths, 0) / config.cut_divisor
    first, last = (random.generator.random((2, len(lengths))) * room).astype(np.intp)
    place = np.arange(len(page.points)) - np.repeat(page.stroke_starts, lengths)
    keep = (place >= np.repeat(first, lengths)) & (place < np.repeat(lengths - last, lengths))
    return Page(page.points[keep], lengths - first - last, page.strokes, page.dragged)


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


def _smooth(page: Page) -> None:
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
