"""Own shapes as different people would write them: many writings of one shape at a time.

Design choices
- Nobody is there to imitate, so hands are imagined. Each has habits that all its writings of a
  symbol share (slant, proportions, size, how round its corners are, where its knots lie), and
  misses them a little each time.
- Done for all hands and all writings at once: a bank is made in every process that composes.
"""

import numpy as np
from numpy.typing import NDArray

from san.ink.alphabet import Knots, Outline, curve, traced
from san.ink.strokes import Points

Piece = tuple[Points, list[int]]
"""Ink of one symbol on the ruled paper: its points, and how many each stroke has."""

DOT = 0.45
"""How far a pen slips that makes a dot."""
FREE = 8.0
"""How much of a stroke's end counts for how far it may miss where it should end."""
ROUNDINGS = 4
"""How often corners are smoothed at most."""


def drawn(shape: str, rng: np.random.Generator, hands: int, each: int) -> list[list[Piece]]:
    """Writings of a shape: so many hands, so many of each."""
    strokes = [_slipped(own) for own in traced(shape)]
    sizes = [len(own.knots) for own in strokes]
    knots = np.repeat(
        _habits(np.concatenate([own.knots for own in strokes]), rng, hands), each, axis=0
    )
    knots += rng.normal(0, 0.2, knots.shape)
    firsts = np.cumsum([0, *sizes])
    pieces = []
    passes = np.repeat(rng.integers(0, ROUNDINGS + 1, hands), each)
    for first, outline in zip(firsts, strokes, strict=False):
        own = knots[:, first : first + len(outline.knots)]
        own += rng.normal(0, 0.3, (len(own), 1, 2))  # where the pen is put down again
        if len(outline.corners) < len(outline.knots) - 1:
            own = _overshot(own, rng)
        pieces.append(_rounded(curve(Outline(own, outline.corners)), passes))
    lengths = [piece.shape[1] for piece in pieces]
    points = _leant(np.concatenate(pieces, axis=1), rng).astype(np.float32)
    return [
        [(points[hand * each + number], lengths) for number in range(each)] for hand in range(hands)
    ]


def _slipped(outline: Outline) -> Outline:
    """A dot becomes the shortest of strokes: no pen comes down and rises in one point."""
    if len(outline.knots) > 1:
        return outline
    return Outline(np.concatenate((outline.knots - DOT / 2, outline.knots + DOT / 2)), ())


def _habits(knots: Knots, rng: np.random.Generator, hands: int) -> Knots:
    """The knots (hands, n, 2) as each hand means them."""
    own = knots + rng.normal(0, 0.4, (hands, *knots.shape))
    middle = (knots.min(axis=0) + knots.max(axis=0)) / 2
    grow = np.exp(rng.normal(0, 0.1, (hands, 1, 1)))
    wide = np.exp(rng.normal(0, 0.13, (hands, 1)))
    own = (own - middle) * grow
    own[..., 0] = own[..., 0] * wide - own[..., 1] * rng.normal(0.06, 0.1, (hands, 1))
    return np.asarray(own + middle)


def _overshot(knots: Knots, rng: np.random.Generator) -> Knots:
    """Strokes that begin early or late, and end so."""
    knots = knots.copy()
    for end, inner in ((0, 1), (-1, -2)):
        way = knots[:, end] - knots[:, inner]
        way *= np.minimum(1, FREE / np.linalg.norm(way, axis=1, keepdims=True).clip(1e-6))
        knots[:, end] += way * rng.normal(0.02, 0.12, (len(knots), 1))
    return knots


def _rounded(points: NDArray[np.float64], passes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Each point moves to the middle of its neighbours, as often as its hand is hasty."""
    for number in range(ROUNDINGS):
        hasty = points[passes > number]
        hasty[:, 1:-1] = hasty[:, 1:-1] / 2 + (hasty[:, :-2] + hasty[:, 2:]) / 4
        points[passes > number] = hasty
    return points


def _leant(points: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Each writing turned a little about its middle."""
    middle = (points.min(axis=1, keepdims=True) + points.max(axis=1, keepdims=True)) / 2
    turn = rng.normal(0, 0.04, (len(points), 1))
    x, y = np.moveaxis(points - middle, -1, 0)
    return np.asarray(np.stack((x - turn * y, y + turn * x), axis=-1) + middle)
