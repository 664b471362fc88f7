"""Glyphs drawn from our own alphabet's shapes, as different people would write them.

Design choices
- Nobody is there to imitate, so writers are imagined. Each has habits that all its glyphs of a
  symbol share (slant, proportions, size, how round its corners are, where its knots lie), and
  misses them a little each time.
- Done for all writers and all glyphs at once: a bank is made in every process that composes.
"""

import numpy as np
from numpy.typing import NDArray

from san.ink.alphabet import Knots, KnotStroke, curve, parse_shape
from san.ink.strokes import Points
from san.synth.glyphs.config import DrawnConfig

GlyphInk = tuple[Points, list[int]]
"""Ink of one glyph on the ruled paper: its points, and how many each stroke has."""


def drawn(
    shape: str,
    rng: np.random.Generator,
    writers: int,
    each: int,
    config: DrawnConfig = DrawnConfig(),
) -> list[list[GlyphInk]]:
    """Glyphs of a shape: so many imagined writers, so many glyphs of each."""
    strokes = [_with_length(outline, config.dot_length) for outline in parse_shape(shape)]
    sizes = [len(outline.knots) for outline in strokes]
    all_knots = np.concatenate([outline.knots for outline in strokes])
    knots = np.repeat(_habits(all_knots, rng, writers, config), each, axis=0)
    knots += rng.normal(0, config.knot_jitter, knots.shape)
    firsts = np.cumsum([0, *sizes])
    pieces = []
    passes = np.repeat(rng.integers(0, config.max_smoothing + 1, writers), each)
    for first, outline in zip(firsts, strokes, strict=False):
        stroke = knots[:, first : first + len(outline.knots)]
        stroke += rng.normal(0, config.stroke_jitter, (len(stroke), 1, 2))
        if len(outline.corners) < len(outline.knots) - 1:
            stroke = _overshot(stroke, rng, config)
        pieces.append(_smoothed(curve(KnotStroke(stroke, outline.corners)), passes))
    lengths = [piece.shape[1] for piece in pieces]
    points = _turned(np.concatenate(pieces, axis=1), rng, config.turn).astype(np.float32)
    return [
        [(points[writer * each + number], lengths) for number in range(each)]
        for writer in range(writers)
    ]


def _with_length(outline: KnotStroke, dot_length: float) -> KnotStroke:
    """A dot becomes the shortest of strokes: no pen comes down and rises in one point."""
    if len(outline.knots) > 1:
        return outline
    half = dot_length / 2
    return KnotStroke(np.concatenate((outline.knots - half, outline.knots + half)), ())


def _habits(knots: Knots, rng: np.random.Generator, writers: int, config: DrawnConfig) -> Knots:
    """The knots (writers, n, 2) as each writer means them."""
    meant = knots + rng.normal(0, config.knot_habit, (writers, *knots.shape))
    middle = (knots.min(axis=0) + knots.max(axis=0)) / 2
    grow = np.exp(rng.normal(0, config.size_habit, (writers, 1, 1)))
    wide = np.exp(rng.normal(0, config.width_habit, (writers, 1)))
    meant = (meant - middle) * grow
    slant = rng.normal(*config.slant_habit, (writers, 1))
    meant[..., 0] = meant[..., 0] * wide - meant[..., 1] * slant
    return np.asarray(meant + middle)


def _overshot(knots: Knots, rng: np.random.Generator, config: DrawnConfig) -> Knots:
    """Strokes that begin early or late, and end so."""
    knots = knots.copy()
    for end, inner in ((0, 1), (-1, -2)):
        way = knots[:, end] - knots[:, inner]
        length = np.linalg.norm(way, axis=1, keepdims=True).clip(1e-6)
        way *= np.minimum(1, config.overshoot_reach / length)
        knots[:, end] += way * rng.normal(*config.overshoot, (len(knots), 1))
    return knots


def _smoothed(points: NDArray[np.float64], passes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Each point moves to the middle of its neighbours, as often as its writer does that."""
    for number in range(int(passes.max(initial=0))):
        smooth = points[passes > number]
        smooth[:, 1:-1] = smooth[:, 1:-1] / 2 + (smooth[:, :-2] + smooth[:, 2:]) / 4
        points[passes > number] = smooth
    return points


def _turned(
    points: NDArray[np.float64], rng: np.random.Generator, deviation: float
) -> NDArray[np.float64]:
    """Each glyph turned a little about its middle."""
    middle = (points.min(axis=1, keepdims=True) + points.max(axis=1, keepdims=True)) / 2
    turn = rng.normal(0, deviation, (len(points), 1))
    x, y = np.moveaxis(points - middle, -1, 0)
    return np.asarray(np.stack((x - turn * y, y + turn * x), axis=-1) + middle)
