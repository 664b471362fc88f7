"""Hands between hands: glyphs blended from two that were written.

Design choices
- A few hundred hands wrote CROHME's ink. Slanted, stretched and bent they are still the same ones;
  between any two of them there is room for others.
- Only glyphs of one name with equally many strokes are blended, stroke by stroke; and only if the
  stroke that fits worst fits well enough that whatever lies between the two is the same symbol.
- Written points move by a share of the way from one shape to another. No point is lost, none is
  new, and a share of 0 moves none.
- What lies between two shapes is more usual than either, and easier to read. So an expression goes
  one of three ways: towards its partner; away from it, a caricature; or as two of the partner's
  glyphs differ from each other, which is carried over.
- Size and place stay those of the first: layouts need not know.
- One expression has one partner: glyphs are looked for around one place of the bank, where those of
  one hand lie together, and all go the same share of the way.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.ink.strokes import Points
from san.synth.glyphs.blend_match import beside, matched
from san.synth.glyphs.blend_shapes import DENSE, sides
from san.synth.random_stream import RandomStream

if TYPE_CHECKING:
    from san.synth.glyphs.bank import Bank

NEAR = 0.27
"""Of a glyph's side: how far apart matched strokes may lie (root mean square)."""
NEARER = 0.2
"""The same for what lies between nothing."""
EACH = 0.8
"""How likely each symbol is blended."""
WINDOW = 24
"""So many glyphs are compared."""
GROWTH = 1.3
"""How far a blend may be stretched to the first one's box."""


class Way(NamedTuple):
    """One of the ways that an expression is blended."""

    likely: float
    share: tuple[float, float]  # of the way from one shape to the other
    near: float
    carried: bool = False  # between two partners; else from the glyph itself to one


TOWARDS = Way(0.2, (0.3, 0.7), NEAR)
AWAY = Way(0.3, (-0.4, -0.15), NEARER)
CARRIED = Way(0.5, (0.3, 0.7), NEARER, carried=True)
WAYS = (TOWARDS, AWAY, CARRIED)


class Blend:
    """How one expression is blended."""

    def __init__(self, bank: "Bank", random: RandomStream, ways: Sequence[Way] = WAYS) -> None:
        self.bank, self.shapes, self.random = bank, bank.shapes, random
        self.place = random.uniform()
        self.way = _one_of(ways, random)
        self.share = random.between(*self.way.share)

    def blended(self, points: Points, glyphs: Sequence[int]) -> Points:
        """The points of these glyphs, as the bank has them, one after the other -> moved."""
        shapes, ends = self.shapes, self.bank.ends
        index = np.asarray(glyphs)
        first, last = shapes.first[index], shapes.first[index + 1]
        starts = np.cumsum(last - first) - (last - first)
        way = np.zeros((int((last - first).sum()), DENSE, 2), np.float32)
        chosen = [
            number
            for number, (glyph, start) in enumerate(zip(glyphs, starts.tolist(), strict=True))
            if self.random.uniform() < EACH and self._to_partner(glyph, way[start:])
        ]
        if not chosen:
            return points
        lengths = np.concatenate(
            [self.bank.lengths[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)]
        )
        along = np.concatenate([shapes.along[ends[own] : ends[own + 1]] for own in glyphs])
        moved = points + moves(way, lengths, along.astype(np.float32))
        counts = np.array([ends[own + 1] - ends[own] for own in glyphs])
        return _boxed(moved, points, counts, chosen)

    def _to_partner(self, glyph: int, way: Points) -> bool:
        """Write how a glyph's strokes are to move, if there is a partner for it."""
        shapes = self.shapes
        pile = shapes.pile[glyph]
        if pile is None or not len(window := self._window(glyph, pile)):
            return False
        own = shapes.strokes[shapes.first[glyph] : shapes.first[glyph + 1]].astype(np.float32)
        firsts = shapes.first[window]
        others = shapes.strokes[firsts[:, None] + np.arange(len(own))].astype(np.float32)
        match = matched(own, others)
        near = np.flatnonzero(match.worst < self.way.near).tolist()
        mine = self.bank.hand[self._spot(pile)]
        chosen = self._chosen(near, [self.bank.hand[one] == mine for one in window.tolist()])
        if not chosen:
            return False
        shown = [beside(others[one], match.order[one], match.turned[one]) for one in chosen]
        start = shown[1] if self.way.carried else own
        way[: len(own)] = (shown[0] - start) * (shapes.sides[glyph] * self.share)
        return True

    def _chosen(self, near: list[int], mine: list[bool]) -> list[int]:
        """One partner, or two that differ; by the hand of this expression's place if it has any."""
        needed = 2 if self.way.carried else 1
        some = [one for one in near if mine[one]]
        if len(some) < needed:
            some = near
        if len(some) < needed:
            return []
        chosen = []
        for _ in range(needed):
            chosen.append(self.random.choice(some))
            some = [one for one in some if one != chosen[0]]
        return chosen

    def _spot(self, pile: int) -> int:
        """The glyph of the bank that partners are looked for around."""
        low, high = self.shapes.reach[pile]
        return low + int(self.place * (high - low))

    def _window(self, glyph: int, pile: int) -> NDArray[np.intp]:
        """Glyphs that might be a partner: those around this expression's place."""
        every = self.shapes.piles[pile]
        middle = int(every.searchsorted(self._spot(pile)))
        start = max(min(middle - WINDOW // 2, len(every) - WINDOW), 0)
        window = every[start : start + WINDOW]
        return np.asarray(window[window != glyph])


def moves(way: Points, lengths: NDArray[np.intp], along: Points) -> Points:
    """Of written points: `way` says it of the DENSE ones of each stroke."""
    stroke = np.repeat(np.arange(len(lengths)), lengths)
    place = np.minimum(along.astype(np.intp), DENSE - 2)
    part = (along - place)[:, None]
    before = way[stroke, place]
    moved: Points = before + (way[stroke, place + 1] - before) * part
    return moved


def _boxed(moved: Points, points: Points, counts: NDArray[np.intp], chosen: list[int]) -> Points:
    """The chosen glyphs, moved, in the boxes that they had; all others as they were."""
    starts = counts.cumsum() - counts
    low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    new_low, new_high = np.minimum.reduceat(moved, starts), np.maximum.reduceat(moved, starts)
    # What is narrow keeps the width that it got: a bar that leans has one, an upright one has not.
    grow = (sides(low, high) / sides(new_low, new_high)).clip(1 / GROWTH, GROWTH)
    table = np.concatenate(((new_low + new_high) / 2, grow, (low + high) / 2), axis=1)
    result = points.copy()
    for number in chosen:
        own = slice(starts[number], starts[number] + counts[number])
        row = table[number].astype(np.float32)
        result[own] = (moved[own] - row[:2]) * row[2:4] + row[4:]
    return result


def _one_of(ways: Sequence[Way], random: RandomStream) -> Way:
    roll = random.uniform() * sum(way.likely for way in ways)
    for way in ways:
        roll -= way.likely
        if roll < 0:
            break
    return way
