"""The file format of glyphs from photographs (`san.synth.extraction`): a row of symbols a writer.

Design choices
- A row is ink like any other. What stands in it beside symbols is the ruler: a stroke one em tall
  whose middle is on the axis. All symbols of a row were brought to its size.
- An em means what the bank's ink says that it is: letters of photographs are as large in it, and as
  high, as those of the bank, in the median of all letters and digits that both have.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.errors import SanError
from san.grammar.tree import NOTHING
from san.ink.strokes import Box, Ink, Points, box_of
from san.synth.glyphs.bank import GlyphBank
from san.synth.samples import InkSamples

SizeAndHeight = tuple[float, float]
"""Of a symbol: the logarithm of its diagonal, and its middle's height; both in em."""
ROW_GAP = 0.4
"""Em between the symbols of a row: part of the format, as is the next. No knobs, for whoever reads
a row takes each symbol by itself, and its size from the ruler."""
INK_PER_EM = 64.0
"""Units of ink in an em of a row."""
MIN_DIAGONAL = 1e-3
"""Units of ink: keeps the logarithm of a point's size finite."""


class Row(NamedTuple):
    """All glyphs of one photograph."""

    names: list[str]
    strokes: list[list[Points]]
    ruler: Box

    @property
    def em(self) -> float:
        return self.ruler.height

    @property
    def axis(self) -> float:
        return (self.ruler.top + self.ruler.bottom) / 2


class RowScale(NamedTuple):
    """The bank's em in ems of a ruler, and how far its axis lies below the ruler's, in those."""

    em: float
    axis: float


def rows_of(samples: InkSamples) -> list[Row]:
    """Rows as `row_of` made them; SanError where these are none."""
    rows = []
    for place in range(len(samples)):
        ink, glyphs = samples.ink(place), samples.glyphs(place)
        rulers = [glyph.box for glyph in glyphs if glyph.label == NOTHING]
        if ink is None or len(rulers) != 1 or not rulers[0].height > 0:
            raise SanError(
                f"{samples.ids[place]}: no row of extracted glyphs (`san ink extract-glyphs`)"
            )
        symbols = [glyph for glyph in glyphs if glyph.label != NOTHING]
        strokes = [[ink.strokes[stroke] for stroke in glyph.strokes] for glyph in symbols]
        rows.append(Row([glyph.label for glyph in symbols], strokes, rulers[0]))
    return rows


def row_of(names: list[str], strokes: list[list[Points]]) -> tuple[Ink, list[tuple[str, int]]]:
    """Ink of a row: symbols in em about their axes, side by side, the ruler first.

    With it, of the ruler and of each symbol, its label and how many strokes it has.
    """
    pieces: list[Points] = [np.array(((0, -0.5), (0, 0.5)), np.float32)]
    counts = [(NOTHING, 1)]
    x = ROW_GAP
    for name, symbol in zip(names, strokes, strict=True):
        box = box_of(symbol)
        pieces += [stroke + np.array((x - box.left, 0), np.float32) for stroke in symbol]
        counts.append((name, len(symbol)))
        x += box.width + ROW_GAP
    return Ink(tuple(piece * np.float32(INK_PER_EM) for piece in pieces)), counts


def calibrate_rows(bank: GlyphBank, rows: list[Row]) -> RowScale:
    """How the rulers meet the bank's ink; as they are where nothing can be compared."""
    measured: dict[str, list[SizeAndHeight]] = {}
    for row in rows:
        for name, strokes in zip(row.names, row.strokes, strict=True):
            size = size_and_height(box_of(strokes), row.em, row.axis)
            measured.setdefault(name, []).append(size)
    return calibrate(bank, measured)


def calibrate(bank: GlyphBank, measured: dict[str, list[SizeAndHeight]]) -> RowScale:
    """The same, of symbols that were measured by whatever em and axis."""
    sizes, lifts = [], []
    for name, theirs in measured.items():
        if not name.isalnum() or name not in bank.by_name or name in bank.derived:
            continue
        glyphs = bank.by_name[name]
        if min(len(theirs), len(glyphs)) >= bank.config.min_glyphs:
            ours = [
                size_and_height(bank.box[glyph], bank.em[glyph], bank.axis[glyph])
                for glyph in glyphs
            ]
            (size, height), (bank_size, bank_height) = _median(theirs), _median(ours)
            sizes.append(size - bank_size)
            lifts.append(height - bank_height * np.exp(size - bank_size))
    if not sizes:
        return RowScale(1, 0)
    return RowScale(float(np.exp(np.median(sizes))), float(np.median(lifts)))


def size_and_height(box: Box, em: float, axis: float) -> SizeAndHeight:
    size = float(np.log(max(np.hypot(box.width, box.height), MIN_DIAGONAL) / em))
    return size, ((box.top + box.bottom) / 2 - axis) / em


def _median(measured: list[SizeAndHeight]) -> NDArray[np.float64]:
    return np.asarray(np.median(np.array(measured), axis=0))
