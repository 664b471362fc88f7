"""Glyphs from photographs (`san.synth.extraction`), for a bank: rows of symbols, a row a writer.

Design choices
- A row is ink like any other. What stands in it beside symbols is the ruler: a stroke one em tall
  whose middle is on the axis. All symbols of a row were brought to its size.
- An em means what the bank's ink says that it is: pupils' letters are as large in it, and as high,
  as those of the bank, in the middle of all letters and digits that both have.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.errors import SanError
from san.grammar.tree import NOTHING
from san.ink.strokes import Box, Ink, Points, box_of

if TYPE_CHECKING:
    from san.synth.glyphs.bank import Bank, Samples

Shape = tuple[float, float]
"""Of a symbol: the logarithm of its diagonal, and its middle's height; both in em."""
ENOUGH = 4
"""Glyphs of a name that tell how large it is."""
GAP = 0.4
"""Em between the symbols of a row."""
UNIT = 64.0
"""Units of ink in an em of a row."""


class Row(NamedTuple):
    """All that was harvested of one photograph."""

    names: list[str]
    strokes: list[list[Points]]
    ruler: Box

    @property
    def em(self) -> float:
        return self.ruler.height

    @property
    def axis(self) -> float:
        return (self.ruler.top + self.ruler.bottom) / 2


class Rule(NamedTuple):
    """The bank's em in ems of a ruler, and how far its axis lies below the ruler's, in those."""

    em: float
    axis: float


def rows_of(samples: "Samples") -> list[Row]:
    """SanError where these are no rows."""
    rows = []
    for place in range(len(samples)):
        ink, glyphs = samples.ink(place), samples.glyphs(place)
        rulers = [own.box for own in glyphs if own.label == NOTHING]
        if ink is None or len(rulers) != 1 or not rulers[0].height > 0:
            raise SanError(f"{samples.ids[place]}: no row of harvested symbols (`san ink harvest`)")
        kept = [own for own in glyphs if own.label != NOTHING]
        strokes = [[ink.strokes[stroke] for stroke in own.strokes] for own in kept]
        rows.append(Row([own.label for own in kept], strokes, rulers[0]))
    return rows


def row_of(names: list[str], strokes: list[list[Points]]) -> tuple[Ink, list[tuple[str, int]]]:
    """Ink of a row: symbols in em about their axes, side by side, the ruler first.

    With it, of the ruler and of each symbol, its label and how many strokes it has.
    """
    pieces: list[Points] = [np.array(((0, -0.5), (0, 0.5)), np.float32)]
    counts = [(NOTHING, 1)]
    pen = GAP
    for name, own in zip(names, strokes, strict=True):
        box = box_of(own)
        pieces += [stroke + np.array((pen - box.left, 0), np.float32) for stroke in own]
        counts.append((name, len(own)))
        pen += box.width + GAP
    return Ink(tuple(piece * np.float32(UNIT) for piece in pieces)), counts


def ruled(bank: "Bank", rows: list[Row]) -> Rule:
    """How the rulers meet the bank's ink; as they are where nothing can be compared."""
    shapes: dict[str, list[Shape]] = {}
    for row in rows:
        for name, strokes in zip(row.names, row.strokes, strict=True):
            shapes.setdefault(name, []).append(shape_of(box_of(strokes), row.em, row.axis))
    return rule_of(bank, shapes)


def rule_of(bank: "Bank", shapes: dict[str, list[Shape]]) -> Rule:
    """The same, of symbols that were measured by whatever em and axis."""
    sizes, lifts = [], []
    for name, found in shapes.items():
        if not name.isalnum() or name not in bank.of_name or name in bank.made:
            continue
        own = bank.of_name[name]
        if min(len(found), len(own)) >= ENOUGH:
            theirs = [shape_of(bank.box[one], bank.em[one], bank.axis[one]) for one in own]
            (size, height), (other, low) = _middle(found), _middle(theirs)
            sizes.append(size - other)
            lifts.append(height - low * np.exp(size - other))
    return Rule(float(np.exp(np.median(sizes))), float(np.median(lifts))) if sizes else Rule(1, 0)


def shape_of(box: Box, em: float, axis: float) -> Shape:
    size = float(np.log(max(np.hypot(box.width, box.height), 1e-3) / em))
    return size, ((box.top + box.bottom) / 2 - axis) / em


def _middle(shapes: list[Shape]) -> NDArray[np.float64]:
    return np.asarray(np.median(np.array(shapes), axis=0))
