"""Glyphs blended from several that were written, as if by further writers.

Design choices
- A few hundred people wrote CROHME's ink. Slanted, stretched and bent it is still theirs; between
  any two of them there is room for others.
- Only glyphs of one name with equally many strokes are blended, stroke by stroke; and only if the
  stroke that fits worst fits well enough that whatever lies between the two is the same symbol.
- Written points move by a share of the way from one shape to another. No point is lost, none is
  new, and a share of 0 moves none.
- What lies between two shapes is more usual than either, and easier to read. So an expression goes
  one of three ways: towards its partner; away from it, a caricature; or as two of the partner's
  glyphs differ from each other, which is transferred.
- Size and place stay those of the first: layouts need not know.
- One expression has one partner: glyphs are looked for around one place of the bank, where those of
  one writer lie together, and all go the same share of the way.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.ink.strokes import Points
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.config import BlendConfig
from san.synth.glyphs.stroke_shapes import (
    STROKE_POINTS,
    StrokeShapes,
    in_order,
    match_strokes,
    padded_sides,
)
from san.synth.random_stream import RandomStream


class Way(NamedTuple):
    """One of the ways that an expression is blended."""

    weight: float
    share: tuple[float, float]  # of the way from one shape to the other
    max_distance: float
    transferred: bool = False  # between two partners; else from the glyph itself to one


def ways_of(config: BlendConfig) -> tuple[Way, Way, Way]:
    """Towards, away, transferred."""
    far, beyond = config.max_distance, config.max_distance_beyond
    return (
        Way(config.towards, config.towards_share, far),
        Way(config.away, config.away_share, beyond),
        Way(config.transferred, config.transferred_share, beyond, transferred=True),
    )


class Blender:
    """Blends the glyphs of a bank."""

    def __init__(self, bank: GlyphBank, config: BlendConfig = BlendConfig()) -> None:
        self.bank, self.config = bank, config
        self.ways = ways_of(config)

    @cached_property
    def shapes(self) -> StrokeShapes:
        """Made when an expression is first blended: it takes a second."""
        return StrokeShapes(self.bank, self.config)

    def expression(self, random: RandomStream, ways: Sequence[Way] = ()) -> "Blend":
        """How one expression is blended, by one of these ways; by default of all three."""
        return Blend(self, random, ways or self.ways)


class Blend:
    """How one expression is blended."""

    def __init__(self, blender: Blender, random: RandomStream, ways: Sequence[Way]) -> None:
        self.bank, self.shapes, self.config = blender.bank, blender.shapes, blender.config
        self.random = random
        self.place = random.uniform()
        self.way = _draw_way(ways, random)
        self.share = random.between(*self.way.share)

    def blended(self, points: Points, glyphs: Sequence[int]) -> Points:
        """The points of these glyphs, as the bank has them, one after the other -> moved."""
        shapes, ends, chance = self.shapes, self.bank.point_ends, self.config.symbol_chance
        index = np.asarray(glyphs)
        first, last = shapes.first_stroke[index], shapes.first_stroke[index + 1]
        starts = np.cumsum(last - first) - (last - first)
        offsets = np.zeros((int((last - first).sum()), STROKE_POINTS, 2), np.float32)
        chosen = [
            number
            for number, (glyph, start) in enumerate(zip(glyphs, starts.tolist(), strict=True))
            if self.random.uniform() < chance and self._to_partner(glyph, offsets[start:])
        ]
        if not chosen:
            return points
        lengths = np.concatenate(
            [
                self.bank.stroke_lengths[a:b]
                for a, b in zip(first.tolist(), last.tolist(), strict=True)
            ]
        )
        positions = np.concatenate(
            [shapes.positions[ends[glyph] : ends[glyph + 1]] for glyph in glyphs]
        )
        moved = points + point_offsets(offsets, lengths, positions.astype(np.float32))
        counts = np.array([ends[glyph + 1] - ends[glyph] for glyph in glyphs])
        return _boxed(moved, points, counts, chosen, self.config.max_stretch)

    def _to_partner(self, glyph: int, offsets: Points) -> bool:
        """Write how a glyph's strokes are to move, if there is a partner for it."""
        shapes = self.shapes
        group = shapes.group_of[glyph]
        if group is None or not len(window := self._window(glyph, group)):
            return False
        first = shapes.first_stroke
        strokes = shapes.strokes[first[glyph] : first[glyph + 1]].astype(np.float32)
        firsts = first[window]
        others = shapes.strokes[firsts[:, None] + np.arange(len(strokes))].astype(np.float32)
        match = match_strokes(strokes, others)
        near = np.flatnonzero(match.worst < self.way.max_distance).tolist()
        writer = self.bank.writer[self._spot(group)]
        preferred = [self.bank.writer[other] == writer for other in window.tolist()]
        chosen = self._chosen(near, preferred)
        if not chosen:
            return False
        shown = [
            in_order(others[partner], match.order[partner], match.turned[partner])
            for partner in chosen
        ]
        start = shown[1] if self.way.transferred else strokes
        offsets[: len(strokes)] = (shown[0] - start) * (shapes.sides[glyph] * self.share)
        return True

    def _chosen(self, near: list[int], preferred: list[bool]) -> list[int]:
        """One partner, or two that differ; by the writer at this expression's place if any are."""
        needed = 2 if self.way.transferred else 1
        some = [number for number in near if preferred[number]]
        if len(some) < needed:
            some = near
        if len(some) < needed:
            return []
        chosen = []
        for _ in range(needed):
            chosen.append(self.random.choice(some))
            some = [number for number in some if number != chosen[0]]
        return chosen

    def _spot(self, group: int) -> int:
        """The glyph of the bank that partners are looked for around."""
        low, high = self.shapes.group_ranges[group]
        return low + int(self.place * (high - low))

    def _window(self, glyph: int, group: int) -> NDArray[np.intp]:
        """Glyphs that might be a partner: those around this expression's place."""
        every, count = self.shapes.groups[group], self.config.candidates
        middle = int(every.searchsorted(self._spot(group)))
        start = max(min(middle - count // 2, len(every) - count), 0)
        window = every[start : start + count]
        return np.asarray(window[window != glyph])


def point_offsets(offsets: Points, lengths: NDArray[np.intp], positions: Points) -> Points:
    """Offsets of written points, from those of the STROKE_POINTS of each stroke."""
    stroke = np.repeat(np.arange(len(lengths)), lengths)
    place = np.minimum(positions.astype(np.intp), STROKE_POINTS - 2)
    part = (positions - place)[:, None]
    before = offsets[stroke, place]
    moved: Points = before + (offsets[stroke, place + 1] - before) * part
    return moved


def _boxed(
    moved: Points,
    points: Points,
    counts: NDArray[np.intp],
    chosen: list[int],
    max_stretch: float,
) -> Points:
    """The chosen glyphs, moved, in the boxes that they had; all others as they were."""
    starts = counts.cumsum() - counts
    low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    new_low, new_high = np.minimum.reduceat(moved, starts), np.maximum.reduceat(moved, starts)
    # What is narrow keeps the width that it got: a bar that leans has one, an upright one has not.
    grow = padded_sides(low, high) / padded_sides(new_low, new_high)
    grow = grow.clip(1 / max_stretch, max_stretch)
    table = np.concatenate(((new_low + new_high) / 2, grow, (low + high) / 2), axis=1)
    result = points.copy()
    for number in chosen:
        glyph = slice(starts[number], starts[number] + counts[number])
        row = table[number].astype(np.float32)
        result[glyph] = (moved[glyph] - row[:2]) * row[2:4] + row[4:]
    return result


def _draw_way(ways: Sequence[Way], random: RandomStream) -> Way:
    roll = random.uniform() * sum(way.weight for way in ways)
    for way in ways:
        roll -= way.weight
        if roll < 0:
            break
    return way
