"""A page: the strokes of one expression in flat arrays, symbol by symbol, until they are drawn.

Written and composed expressions become pages; from there on they are treated alike. A page is drawn
by `san.ink.draw`, as ink is when it is read, at a random scale. A symbol's box is where its ink is,
to the pixel, the width of the pen included.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from san.ink.draw import Nib, Pen, Picture, draw, reading_scale, scale_of
from san.ink.strokes import Ink, Points
from san.synth.glyphs.bank import GlyphBank, WrittenExpression
from san.synth.glyphs.blend import Blend
from san.synth.layout.writer import PlacedGlyph
from san.synth.random_stream import RandomStream
from san.synth.samples import Boxes
from san.synth.variation.config import DistortionConfig

NIBS: tuple[Nib, ...] = ("square", "round", "broad")


@dataclass
class InkPage:
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

    def symbols_of_strokes(self) -> NDArray[np.intp]:
        """Of each stroke of the ink its symbol; -1 where the pen went on to another symbol."""
        symbols = np.repeat(np.arange(len(self.strokes)), self.strokes)
        if self.dragged is None:
            return symbols
        symbols[self.dragged] = symbols[self.dragged + 1] = -1
        return np.delete(symbols, self.dragged)


def copy_written(bank: GlyphBank, written: WrittenExpression) -> InkPage:
    """An expression as it was written."""
    first, last = written.first, written.last
    lines = slice(bank.stroke_ends[first], bank.stroke_ends[last])
    points = bank.points[bank.point_ends[first] : bank.point_ends[last]].copy()
    return InkPage(points, bank.stroke_lengths[lines], np.diff(bank.stroke_ends[first : last + 1]))


def write_glyphs(
    bank: GlyphBank, placed: Sequence[PlacedGlyph], blend: Blend | None = None
) -> InkPage:
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
    return InkPage(points, np.concatenate(lengths), np.array(strokes))


def _bend(points: Points, placed: PlacedGlyph) -> Points:
    """One end keeps its width while the other stretches; `sx`, which follows, is undone here."""
    assert placed.bend is not None
    start, left_factor, right_factor = placed.bend
    x = points[:, 0]
    far = (start - placed.ox) * left_factor + (x - start) * right_factor
    moved = np.where(x < start, (x - placed.ox) * left_factor, far) / placed.sx + placed.ox
    return np.stack((moved, points[:, 1]), axis=1).astype(np.float32)


def draw_page(
    page: InkPage, config: DistortionConfig, random: RandomStream
) -> tuple[Picture, Boxes]:
    """The page with a random pen, at a random scale; the boxes are those of all its symbols."""
    ink = page.ink()
    pen = _random_pen(config, random)
    low, high = (math.log(bound) for bound in config.scale)
    usual = reading_scale if config.reading_scale else scale_of
    scale = usual(ink, pen.height) * math.exp(random.between(low, high))
    extent = max(ink.box.width, ink.box.height, 1.0)
    # One pixel less than `draw` allows, or it might make the picture smaller than the boxes say.
    scale = min(scale, (pen.max_side - pen.border - 1) / extent)
    return draw(ink, pen, scale), _boxes(page, pen, scale)


def _random_pen(config: DistortionConfig, random: RandomStream) -> Pen:
    width = 1 + _weighted_choice(config.pen, random)
    several = any(config.nib[1:])
    nib = NIBS[_weighted_choice(config.nib, random)] if several else NIBS[0]
    # A broad nib is thinner than it is wide: one pixel more makes up for it.
    return Pen(width=width + (nib == "broad" and width < len(config.pen)), nib=nib)


def _weighted_choice(weights: Sequence[float], random: RandomStream) -> int:
    drawn = random.uniform() * sum(weights)
    for place, weight in enumerate(weights):
        drawn -= weight
        if drawn < 0:
            return place
    return len(weights) - 1


def _boxes(page: InkPage, pen: Pen, scale: float) -> Boxes:
    pixels = np.floor(page.points * np.float32(scale))  # as `draw` does it
    pixels -= pixels.min(axis=0)
    starts = page.starts
    low = np.minimum.reduceat(pixels, starts) + pen.margin
    high = np.maximum.reduceat(pixels, starts) + (pen.margin + pen.width)
    return np.concatenate((low, high), axis=1).astype(np.float32)
