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

Strokes are made comparable, and matched
- A glyph is centred and brought to a box of side 1; what is narrow keeps its proportions, or the
  tremor of a bar would count as much as its length.
- A stroke is resampled by arc length in that box. Both of its ends are kept, and so dense are the
  points that corners and loops are, too.
- How far along its stroke each written point lies is kept beside: what is known of the resampled
  points can then be said of the written ones, and these need not be given up.
- Halves of a float are exact enough (a thousandth of a glyph) and make 32 MB of CROHME's ink.
- Glyphs that may be blended are in one group: of one name, with as many strokes, and all of the
  corpus, all derived, or all of photographs. A group is in the order of the bank: glyphs of one
  writer lie together.
- Matching: nobody must write in the same order, so the order counts whose worst stroke is best,
  since one stroke in a wrong place makes another symbol. Nor in the same direction: each stroke is
  taken from the end that fits better. One glyph against many at once: all pairs of strokes are one
  product of matrices.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache, cached_property
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.ink.strokes import Points
from san.synth.glyphs.bank import NO_SYMBOL, GlyphBank
from san.synth.glyphs.config import BlendConfig
from san.synth.random_stream import RandomStream

BATCH = 8192
"""Glyphs that are resampled together. No knob: it bounds the memory that it takes, no more."""
NEVER_BLENDED = (NO_SYMBOL, r"\sqrt")
"""Unassigned ink; and roots, whose corners lie where the width of what they cover puts them."""


class StrokeShapes:
    """Of each stroke its resampled points, of each written point its position; groups of glyphs."""

    def __init__(self, bank: GlyphBank, config: BlendConfig = BlendConfig()) -> None:
        self.first_stroke = np.array(bank.stroke_ends)
        """The first stroke of each glyph, and behind the last one the number of all."""
        low, high = bank.boxes[:, :2], bank.boxes[:, 2:]
        self.sides = padded_sides(low, high, config.min_side)
        """What x and y were divided by."""
        self.strokes = np.empty((len(bank.stroke_lengths), config.stroke_points, 2), np.float16)
        self.positions = np.empty(len(bank.points), np.float16)
        """Of each written point along its stroke, from 0 to the last of its resampled ones."""
        middles = (low + high) / 2
        for start in range(0, len(bank.names), BATCH):
            end = min(start + BATCH, len(bank.names))
            written = slice(bank.point_ends[start], bank.point_ends[end])
            counts = np.diff(bank.point_ends[start : end + 1])
            points = bank.points[written] - np.repeat(middles[start:end], counts, axis=0)
            points /= np.repeat(self.sides[start:end], counts, axis=0)
            strokes = slice(bank.stroke_ends[start], bank.stroke_ends[end])
            lengths = bank.stroke_lengths[strokes]
            self.strokes[strokes], self.positions[written] = resampled(
                points, lengths, config.stroke_points
            )
        self.groups: list[NDArray[np.intp]] = []
        self.group_ranges: list[tuple[int, int]] = []
        """Between which glyphs of the bank the writers of a group are to be looked for."""
        self.group_of: list[int | None] = [None] * len(bank.names)
        """Which group a glyph belongs to; None where blending it is of no use."""
        self._group(bank, config)

    def _group(self, bank: GlyphBank, config: BlendConfig) -> None:
        derived_from = bank.expressions[-1].last
        count_of = Counter(bank.writer)
        hands_from = len(bank.names) - sum(count_of[writer] for writer in bank.hands)
        photos_from = hands_from - sum(count_of[writer] for writer in bank.photo_writers)
        counts = np.diff(self.first_stroke)
        single = np.flatnonzero(counts == 1)
        strokes = self.strokes[self.first_stroke[single]] * self.sides[single, None].astype(
            np.float32
        )
        small = self.sides[single].max(axis=1) < config.dot_size * np.array(bank.em)[single]
        plain = {*single[small | is_straight(strokes, config.bar_straightness)].tolist()}
        alike: dict[tuple[str, int, int], list[int]] = {}
        for glyph, (name, count) in enumerate(zip(bank.names, counts.tolist(), strict=True)):
            if name not in NEVER_BLENDED and glyph not in plain:
                source = sum(glyph >= start for start in (derived_from, photos_from, hands_from))
                alike.setdefault((name, count, source), []).append(glyph)
        for number, ((_, _, source), glyphs) in enumerate(alike.items()):
            for glyph in glyphs:
                self.group_of[glyph] = number
            # An outlier may become less of one; no other shall become like it.
            usual = [glyph for glyph in glyphs if not bank.outlier[glyph]]
            self.groups.append(np.array(usual, np.intp))
            derived = (glyphs[0], glyphs[-1] + 1)
            ranges = (
                (0, derived_from), derived, (photos_from, hands_from),
                (hands_from, len(bank.names)),
            )  # fmt: skip
            self.group_ranges.append(ranges[source])


def padded_sides(
    low: NDArray[np.floating], high: NDArray[np.floating], min_side: float
) -> NDArray[np.float64]:
    """Of boxes, width and height; never 0, and neither less than `min_side` of the other."""
    both = np.asarray(high - low, np.float64)
    longer = np.maximum(both.max(axis=1, keepdims=True), 1e-3)
    return np.asarray(np.maximum(both, min_side * longer))


def resampled(
    points: NDArray[np.floating], lengths: NDArray[np.intp], count: int
) -> tuple[Points, NDArray[np.float64]]:
    """Strokes one behind the other -> `count` points of each, and each point's position."""
    starts = lengths.cumsum() - lengths
    steps = np.hypot(*np.diff(points, axis=0, prepend=points[:1]).T)
    steps[starts] = 0.0
    way = np.cumsum(steps)
    way -= np.repeat(way[starts], lengths)
    whole = way[starts + lengths - 1]
    along = way / np.repeat(np.where(whole > 0, whole, 1.0), lengths)
    # One long line of all strokes, two apart, so that none reaches into the next.
    apart = 2.0 * np.arange(len(lengths))
    asked = apart[:, None] + np.linspace(0.0, 1.0, count)
    known = along + np.repeat(apart, lengths)
    dense = np.stack([np.interp(asked, known, axis) for axis in points.T], axis=-1)
    dots = np.flatnonzero(whole <= 0)
    dense[dots] = points[starts[dots], None]
    return dense.astype(np.float32), along * (count - 1)


def is_straight(strokes: NDArray[np.floating], share: float) -> NDArray[np.bool_]:
    """Which strokes are lines or points: their ends are that share of their length apart."""
    steps = np.diff(strokes, axis=1)
    way = np.sqrt((steps * steps).sum(axis=2)).sum(axis=1)
    ends = strokes[:, -1] - strokes[:, 0]
    return np.asarray(np.sqrt((ends * ends).sum(axis=1)) >= share * way)


class Match(NamedTuple):
    """The strokes of some glyphs matched with those of one."""

    worst: NDArray[np.float32]  # (glyphs,): how far off the stroke is that fits worst
    order: NDArray[np.intp]  # (glyphs, strokes): which of its strokes matches each
    turned: NDArray[np.bool_]  # (glyphs, strokes): and whether from its end


def match_strokes(glyph: Points, others: Points, max_permuted: int) -> Match:
    """(strokes, points, 2) against (glyphs, strokes, points, 2).

    Of up to `max_permuted` strokes every order is tried.
    """
    glyphs, count = others.shape[:2]
    ways = np.concatenate((glyph, glyph[:, ::-1])).reshape(2 * count, -1)
    rows = others.reshape(glyphs * count, -1)
    # |a - b|² of all pairs as one product; a little below 0 where rounding made it so.
    squares = (rows * rows).sum(axis=1)[:, None] + (ways * ways).sum(axis=1) - 2 * (rows @ ways.T)
    both = squares.reshape(glyphs, count, 2, count) / glyph.shape[1]
    ahead, back = both[:, :, 0], both[:, :, 1]
    off = np.sqrt(np.maximum(np.minimum(ahead, back), 0.0))  # (glyphs, their strokes, its strokes)
    turned = back < ahead
    if count == 1:  # of most glyphs
        return Match(off[:, 0, 0], np.zeros((glyphs, 1), np.intp), turned[:, 0])
    orders, strokes, each = _orders(count, max_permuted), np.arange(count), np.arange(glyphs)
    worst = off[:, orders, strokes].max(axis=2)
    best = worst.argmin(axis=1)
    order = orders[best]
    return Match(worst[each, best], order, turned[each[:, None], order, strokes])


def in_order(other: Points, order: NDArray[np.intp], turned: NDArray[np.bool_]) -> Points:
    """The strokes of a glyph in another order, some from their ends."""
    strokes = other[order]
    return np.where(turned[:, None, None], strokes[:, ::-1], strokes)


@cache
def _orders(count: int, max_permuted: int) -> NDArray[np.intp]:
    if count > max_permuted:
        return np.arange(count)[None]
    return np.array(list(permutations(range(count))), np.intp)


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
        offsets = np.zeros((int((last - first).sum()), *shapes.strokes.shape[1:]), np.float32)
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
        return _boxed(moved, points, counts, chosen, self.config)

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
        match = match_strokes(strokes, others, self.config.max_permuted)
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
    """Offsets of written points, from those of the resampled ones of each stroke."""
    stroke = np.repeat(np.arange(len(lengths)), lengths)
    place = np.minimum(positions.astype(np.intp), offsets.shape[1] - 2)
    part = (positions - place)[:, None]
    before = offsets[stroke, place]
    moved: Points = before + (offsets[stroke, place + 1] - before) * part
    return moved


def _boxed(
    moved: Points,
    points: Points,
    counts: NDArray[np.intp],
    chosen: list[int],
    config: BlendConfig,
) -> Points:
    """The chosen glyphs, moved, in the boxes that they had; all others as they were."""
    starts = counts.cumsum() - counts
    low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    new_low, new_high = np.minimum.reduceat(moved, starts), np.maximum.reduceat(moved, starts)
    # What is narrow keeps the width that it got: a bar that leans has one, an upright one has not.
    before, after = (
        padded_sides(*corners, config.min_side) for corners in ((low, high), (new_low, new_high))
    )
    grow = (before / after).clip(1 / config.max_stretch, config.max_stretch)
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
