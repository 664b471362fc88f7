"""A page: the strokes of one expression in flat arrays, symbol by symbol, before they are drawn.

Written and composed expressions become pages; from there on they are treated alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from san.ink.strokes import Ink, Points
from san.synth.glyphs.bank import GlyphBank, WrittenExpression
from san.synth.glyphs.blend import Blend
from san.synth.layout.writer import PlacedGlyph


@dataclass
class Page:
    """Strokes of an expression, symbol by symbol. Points may move; their number is fixed."""

    points: Points  # (n, 2)
    lengths: NDArray[np.intp]  # points of each stroke
    strokes: NDArray[np.intp]  # strokes of each symbol
    dragged: NDArray[np.intp] | None = None
    """After which strokes the pen stays on the paper until the next symbol, whose stroke follows.
    The line between belongs to neither of the two."""

    @cached_property
    def stroke_starts(self) -> NDArray[np.intp]:
        """Where each stroke begins among the points."""
        return self.lengths.cumsum() - self.lengths

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """Where each symbol begins among the points."""
        return self.stroke_starts[self.strokes.cumsum() - self.strokes]

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """Points of each symbol."""
        return np.add.reduceat(self.lengths, self.strokes.cumsum() - self.strokes)

    def ink(self) -> Ink:
        ends = (self.stroke_starts + self.lengths).tolist()
        if self.dragged is not None:
            for stroke in reversed(self.dragged.tolist()):
                del ends[stroke]
        return Ink(tuple(self.points[a:b] for a, b in zip([0, *ends], ends, strict=False)))


def copy_written(bank: GlyphBank, written: WrittenExpression) -> Page:
    """An expression as it was written."""
    first, last = written.first, written.last
    lines = slice(bank.stroke_ends[first], bank.stroke_ends[last])
    points = bank.points[bank.point_ends[first] : bank.point_ends[last]].copy()
    return Page(points, bank.stroke_lengths[lines], np.diff(bank.stroke_ends[first : last + 1]))


def write_glyphs(
    bank: GlyphBank, placed: Sequence[PlacedGlyph], blend: Blend | None = None
) -> Page:
    """Copy glyphs of the bank to their places, perhaps blended with others."""
    ends, stroke_ends = bank.point_ends, bank.stroke_ends
    glyphs = [part.glyph for part in placed]
    points = np.concatenate([bank.points[ends[glyph] : ends[glyph + 1]] for glyph in glyphs])
    if blend is not None:
        points = blend.blended(points, glyphs)
    lengths, counts, strokes = [], [], []
    start = 0
    for part in placed:
        glyph = part.glyph
        count = ends[glyph + 1] - ends[glyph]
        if part.bend is not None:
            points[start : start + count] = _bend(points[start : start + count], part)
        start += count
        counts.append(count)
        first, last = stroke_ends[glyph], stroke_ends[glyph + 1]
        lengths.append(bank.stroke_lengths[first:last])
        strokes.append(last - first)
    table = [(part.ox, part.oy, part.sx, part.sy, part.tx, part.ty) for part in placed]
    row = np.repeat(np.array(table, np.float32), counts, axis=0)
    points -= row[:, :2]
    points *= row[:, 2:4]
    points += row[:, 4:]
    return Page(points, np.concatenate(lengths), np.array(strokes))


def _bend(points: Points, placed: PlacedGlyph) -> Points:
    """One end keeps its width while the other stretches; `sx`, which follows, is undone here."""
    assert placed.bend is not None
    start, left_factor, right_factor = placed.bend
    x = points[:, 0]
    far = (start - placed.ox) * left_factor + (x - start) * right_factor
    moved = np.where(x < start, (x - placed.ox) * left_factor, far) / placed.sx + placed.ox
    return np.stack((moved, points[:, 1]), axis=1).astype(np.float32)
