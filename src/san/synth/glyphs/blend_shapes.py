"""The shapes of all glyphs of a bank, made comparable: each stroke as the same number of points.

Design choices
- A glyph is centred and brought to a box of side 1; what is narrow keeps its proportions, or the
  tremor of a bar would count as much as its length.
- A stroke is walked by arc length in that box. Both of its ends are kept, and so dense are the
  points that corners and loops are, too.
- How far along its stroke each written point lies is kept beside: what is known of the comparable
  points can then be said of the written ones, and these need not be given up.
- Halves of a float are exact enough (a thousandth of a glyph) and make 32 MB of CROHME's ink.
- Glyphs that may be blended lie in one pile: of one name, with as many strokes, and all of tablets,
  all made, or all of photographs. A pile is in the order of the bank: glyphs of one hand lie
  together.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from san.ink.strokes import Points

if TYPE_CHECKING:
    from san.synth.glyphs.bank import Bank

DENSE = 32
"""Points of a stroke."""
NARROW = 0.3
"""Of the longer side: a shorter one counts as if it were as long."""
AT_ONCE = 8192
"""Glyphs that are walked together: bounds the memory that it takes."""
STRAIGHT, DOT = 0.96, 0.25
"""A stroke whose ends are so much of its way apart is a bar; one that is so small, in em, a dot.

By themselves they have no shape that is worth blending."""
UNBLENDED = ("", r"\sqrt")
"""Stray ink; and roots, whose corners lie where the width of what they cover puts them."""

Pile = NDArray[np.intp]


class Shapes:
    """Of each stroke its points, of each written point its place; piles of glyphs."""

    def __init__(self, bank: "Bank") -> None:
        self.first = np.array(bank.stroke_ends)
        """The first stroke of each glyph, and behind the last one the number of all."""
        low, high = bank.boxes[:, :2], bank.boxes[:, 2:]
        self.sides = sides(low, high)
        """What x and y were divided by."""
        self.strokes = np.empty((len(bank.lengths), DENSE, 2), np.float16)
        self.along = np.empty(len(bank.points), np.float16)
        """From 0 to DENSE - 1."""
        middles = (low + high) / 2
        for start in range(0, len(bank.names), AT_ONCE):
            end = min(start + AT_ONCE, len(bank.names))
            own = slice(bank.ends[start], bank.ends[end])
            counts = np.diff(bank.ends[start : end + 1])
            points = bank.points[own] - np.repeat(middles[start:end], counts, axis=0)
            points /= np.repeat(self.sides[start:end], counts, axis=0)
            strokes = slice(bank.stroke_ends[start], bank.stroke_ends[end])
            self.strokes[strokes], self.along[own] = walked(points, bank.lengths[strokes])
        self.piles: list[Pile] = []
        self.reach: list[tuple[int, int]] = []
        """Between which glyphs of the bank the hands of a pile are to be looked for."""
        self.pile: list[int | None] = [None] * len(bank.names)
        """Which pile a glyph belongs to; None where blending it is of no use."""
        self._pile_up(bank)

    def _pile_up(self, bank: "Bank") -> None:
        written = bank.written[-1].last
        pupils = {*bank.pupils}
        harvested = next((n for n, hand in enumerate(bank.hand) if hand in pupils), len(bank.hand))
        counts = np.diff(self.first)
        single = np.flatnonzero(counts == 1)
        own = self.strokes[self.first[single]] * self.sides[single, None].astype(np.float32)
        small = self.sides[single].max(axis=1) < DOT * np.array(bank.em)[single]
        plain = {*single[small | straight(own)].tolist()}
        like: dict[tuple[str, int, int], list[int]] = {}
        for glyph, (name, count) in enumerate(zip(bank.names, counts.tolist(), strict=True)):
            if name not in UNBLENDED and glyph not in plain:
                source = (glyph >= written) + (glyph >= harvested)
                like.setdefault((name, count, source), []).append(glyph)
        for number, ((_, _, source), glyphs) in enumerate(like.items()):
            for glyph in glyphs:
                self.pile[glyph] = number
            # What is strange may become less so; no other shall become like it.
            self.piles.append(np.array([own for own in glyphs if not bank.strange[own]], np.intp))
            made = (glyphs[0], glyphs[-1] + 1)
            self.reach.append(((0, written), made, (harvested, len(bank.names)))[source])


def sides(low: NDArray[np.floating], high: NDArray[np.floating]) -> NDArray[np.float64]:
    """Of boxes, width and height; never 0, and neither much smaller than the other."""
    both = np.asarray(high - low, np.float64)
    longer = np.maximum(both.max(axis=1, keepdims=True), 1e-3)
    return np.asarray(np.maximum(both, NARROW * longer))


def walked(
    points: NDArray[np.floating], lengths: NDArray[np.intp]
) -> tuple[Points, NDArray[np.float64]]:
    """Strokes one behind the other -> DENSE points of each, and how far along each point was."""
    starts = lengths.cumsum() - lengths
    steps = np.hypot(*np.diff(points, axis=0, prepend=points[:1]).T)
    steps[starts] = 0.0
    way = np.cumsum(steps)
    way -= np.repeat(way[starts], lengths)
    whole = way[starts + lengths - 1]
    along = way / np.repeat(np.where(whole > 0, whole, 1.0), lengths)
    # One long line of all strokes, two apart, so that none reaches into the next.
    apart = 2.0 * np.arange(len(lengths))
    asked = apart[:, None] + np.linspace(0.0, 1.0, DENSE)
    known = along + np.repeat(apart, lengths)
    dense = np.stack([np.interp(asked, known, axis) for axis in points.T], axis=-1)
    dots = np.flatnonzero(whole <= 0)
    dense[dots] = points[starts[dots], None]
    return dense.astype(np.float32), along * (DENSE - 1)


def straight(strokes: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which of these strokes are lines, or single points."""
    steps = np.diff(strokes, axis=1)
    way = np.sqrt((steps * steps).sum(axis=2)).sum(axis=1)
    ends = strokes[:, -1] - strokes[:, 0]
    return np.asarray(np.sqrt((ends * ends).sum(axis=1)) >= STRAIGHT * way)
