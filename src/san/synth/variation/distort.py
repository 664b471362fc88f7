"""What varies between two writings of the same ink: size, slant, slope, paper, pen and nerves.

Everything is done to points, before anything is drawn: lines stay as thin and as sharp as the
field's drawing makes them.
"""

from dataclasses import dataclass

import numpy as np

from san.ink.strokes import Points
from san.synth.random_stream import RandomStream
from san.synth.variation.joined_strokes import in_haste
from san.synth.variation.page import Page

LONG = 16
"""Mean symbols' sizes: lines of that width, or wider, bend in full."""


@dataclass(frozen=True)
class Range:
    """How far each variation goes; deviations where nothing else is said."""

    scale: tuple[float, float] = (0.7, 1.4)  # log-uniform, after the field's own scale
    stretch: float = 0.08  # log of width over height
    slant: float = 0.10  # tangent
    slope: float = 1.5  # degrees; never beyond twice that
    keystone: float = 0.04  # how much nearer one edge of the paper may be
    warp: float = 0.06  # of the mean symbol's size: smooth bends of the paper
    bow: float = 0.0  # of the mean symbol's size: how a long line sags or rises; at most 12 times
    symbol_shift: float = 0.03  # of its own size
    symbol_size: float = 0.05  # log
    symbol_slant: float = 0.05
    symbol_turn: float = 0.03  # radians
    wobble: float = 0.012  # of the mean symbol's size: an unsteady pen
    smooth: float = 0.15  # how likely a line is smoothed
    cut: float = 0.15  # how likely strokes lose part of their ends
    merge: float = 0.0  # how likely a hand is too hasty to lift the pen
    pen: tuple[float, ...] = (0.0, 0.1, 0.8, 0.1)  # how likely widths 1, 2, 3, 4 are
    nib: tuple[float, ...] = (1.0,)  # how likely it is square, round, broad


GENTLE = Range(
    scale=(1.0, 1.0), stretch=0.03, slant=0.03, slope=0.5, keystone=0.0, warp=0.02, wobble=0.004,
    smooth=0.0, cut=0.0, pen=(0.0, 0.0, 1.0)
)  # fmt: skip
"""For a picture that a person looks at."""


def distort(page: Page, how: Range, random: RandomStream) -> Page:
    """The page, varied; the one given is not to be used any more."""
    size = _symbols(page, how, random)
    if how.merge and random.uniform() < how.merge:
        page = in_haste(page, size, random)
    if how.cut and random.uniform() < how.cut:
        page = _cut(page, random)
    points = page.points
    if how.wobble:
        _wobble(points, size * how.wobble * random.between(0.0, 2.0), random)
    if how.smooth and random.uniform() < how.smooth:
        _smooth(page)
    if how.warp:
        _warp(points, size, how.warp, random)
    if how.bow:
        _bow(points, size, how.bow, random)
    _affine(points, how, random)
    if how.keystone:
        _keystone(points, how.keystone, random)
    return page


def _symbols(page: Page, how: Range, random: RandomStream) -> float:
    """Each symbol by itself: a little larger, moved, slanted, turned. Tells their mean size."""
    starts, counts = page.starts, page.counts
    low = np.minimum.reduceat(page.points, starts)
    high = np.maximum.reduceat(page.points, starts)
    number = len(starts)
    # A bar or a root moves by its thickness, not by its length; and turning it would strike through
    # what it covers.
    width, height = (high - low).T
    longer = np.maximum(width, height)
    side = np.minimum(longer, 1.5 * np.minimum(width, height) + 8)
    free = side / np.maximum(longer, 1.0)
    chance = random.generator.standard_normal((5, number), np.float32).clip(-2.5, 2.5)
    turn = how.symbol_turn * chance[1] * free
    matrix = np.empty((number, 6), np.float32)
    matrix[:, 0] = grow = np.exp(how.symbol_size * chance[0] * np.maximum(free, 0.4))
    matrix[:, 1] = how.symbol_slant * chance[2] * free - turn
    matrix[:, 2] = turn
    matrix[:, 3] = grow
    centre = (low + high) / 2
    matrix[:, 4:] = centre + how.symbol_shift * (chance[3:] * side).T
    page.points -= np.repeat(centre, counts, axis=0)
    x, y = page.points.T
    a, b, c, d, e, f = np.repeat(matrix, counts, axis=0).T
    # All x, then all y: what follows looks at one of them at a time.
    page.points = np.stack((a * x + b * y + e, c * x + d * y + f)).T
    return float(longer.mean()) + 1.0


def _cut(page: Page, random: RandomStream) -> Page:
    """Strokes that begin late or end early: up to a twelfth of a stroke."""
    lengths = page.lengths
    room = np.where(lengths > 8, lengths, 0) / 12
    first, last = (random.generator.random((2, len(lengths))) * room).astype(np.intp)
    place = np.arange(len(page.points)) - np.repeat(page.stroke_starts, lengths)
    keep = (place >= np.repeat(first, lengths)) & (place < np.repeat(lengths - last, lengths))
    return Page(page.points[keep], lengths - first - last, page.strokes, page.dragged)


def _wobble(points: Points, amount: float, random: RandomStream) -> None:
    """A pen that strays a little and comes back, over some points: a hand does not jump."""
    every = 3 + int(6 * random.uniform())
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


def _warp(points: Points, size: float, amount: float, random: RandomStream) -> None:
    """Waves longer than a symbol, a few of them, along and across."""
    for axis in (0, 1):
        length = size * random.between(2.5, 8.0)
        phase = random.between(0.0, 6.28)
        height = size * amount * random.between(0.0, 1.5)
        # A wave that runs along x and lifts y bends the line; one along y bends what is tall.
        wave = np.sin(points[:, 1 - axis] * np.float32(6.28 / length) + np.float32(phase))
        points[:, axis] += np.float32(height) * wave


def _bow(points: Points, size: float, amount: float, random: RandomStream) -> None:
    """A line that is not straight: seldom much, and the less the shorter it is."""
    x = points[:, 0]
    low, high = float(x.min()), float(x.max())
    half = (high - low) / 2 + 1.0
    depth = (
        size * random.bell(amount) * 4 * random.uniform() ** 3 * min(1.0, half / (LONG * size / 2))
    )
    along = (x - np.float32((low + high) / 2)) / np.float32(half)
    points[:, 1] += np.float32(depth) * along * along


def _affine(points: Points, how: Range, random: RandomStream) -> None:
    stretch = float(np.exp(random.bell(how.stretch)))
    slant = random.bell(how.slant)
    turn = np.radians(max(-2 * how.slope, min(2 * how.slope, random.bell(how.slope))))
    cos, sin = float(np.cos(turn)), float(np.sin(turn))
    lean = np.array(((stretch, slant), (0.0, 1 / stretch)))
    matrix = np.array(((cos, -sin), (sin, cos))) @ lean
    points[:] = points @ matrix.T.astype(np.float32)


def _keystone(points: Points, amount: float, random: RandomStream) -> None:
    low, high = points.min(axis=0), points.max(axis=0)
    middle = (low + high) / 2
    half = float((high - low).max()) / 2 + 1.0
    tilt = np.array((random.bell(amount), random.bell(amount)), np.float32) / np.float32(half)
    own = points - middle
    points[:] = own / (1 + own @ tilt)[:, None] + middle
