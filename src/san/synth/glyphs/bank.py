"""The glyph bank: every written symbol of the training ink, by name and by writer.

Design choices
- One flat array holds all points; a glyph is a range of it. The glyphs of one expression lie
  together in the order of its tree's walk, so the expression itself is a range, too.
- A glyph knows its box, and the em and the axis of the chain that it was written in: placed
  elsewhere it keeps its size and its height above the line, as its writer gave them to it.
- The bank is data; `san.synth.glyphs.build` fills it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from san.grammar.tree import NOTHING, Expression
from san.ink.strokes import Box, Points
from san.synth.glyphs.config import BankConfig
from san.synth.layout.measure import Outline
from san.synth.samples import LabelledPhotos

NO_SYMBOL = NOTHING
"""Name of ink that belongs to no symbol, or to symbols that could not be told apart."""
NO_WRITER = -1
"""The writer of derived glyphs."""


@dataclass(frozen=True, slots=True)
class WrittenExpression:
    """An expression that somebody wrote: its tree, and its range of the bank's glyphs."""

    tree: Expression
    first: int
    last: int
    writer: int
    aligned: bool
    outline: Outline
    steps: tuple[int, ...]  # which steps of its tree write a symbol
    length: int  # how many steps there are


class GlyphBank:
    """All glyphs: those of one expression in walk order, its unassigned ink behind them.

    Behind all expressions stand derived glyphs, behind those the glyphs from photographs, and last
    those of further hands.
    """

    def __init__(self, config: BankConfig = BankConfig()) -> None:
        self.config = config
        # Of each glyph:
        self.names: list[str] = []
        self.writer: list[int] = []
        self.em: list[float] = []
        self.axis: list[float] = []
        self.outlier: list[bool] = []  # far from what is usual for its name
        self.boxes: NDArray[np.float64] = np.empty((0, 4))  # left, top, right, bottom
        self.box: list[Box] = []  # the same, for those who ask for one at a time
        # Of its ink, where glyph k has the points from point_ends[k] to point_ends[k + 1]:
        self.points: Points = np.empty((0, 2), np.float32)
        self.point_ends: list[int] = [0]
        self.stroke_ends: list[int] = [0]
        self.stroke_lengths: NDArray[np.intp] = np.empty(0, np.intp)  # points of each stroke

        self.expressions: list[WrittenExpression] = []
        self.by_name: dict[str, list[int]] = {}
        """Glyphs to compose with, by name; those of photographs and fonts only where there are no
        others."""
        self.by_writer: dict[tuple[str, int], list[int]] = {}
        """The same by name and writer, with those of photographs and fonts."""
        self.derived: dict[str, list[list[int]]] = {}
        """Of each symbol that the ink lacks: its glyphs, in groups that one person could have
        written."""
        self.photo_writers: list[int] = []
        """The writers of photographs."""
        self.photo_writer_of: dict[str, int] = {}
        """The same by the photograph's id."""
        self.hands: list[int] = []
        """Further writers: handwriting fonts, and people who wrote characters one by one."""
        self.photographs: LabelledPhotos | None = None
        """The photographs themselves, where they are at hand: they show how their writers space."""
        self.excluded: set[str] = set()
        """Fingerprints of trees that nobody may compose from this bank."""

    def append(
        self,
        names: Sequence[str],
        writers: Sequence[int],
        em: Sequence[float],
        axis: Sequence[float],
        outlier: Sequence[bool],
        ink: "FlatInk",
    ) -> None:
        """Add glyphs behind all others; `ink` has as many as there are names."""
        self.names += names
        self.writer += writers
        self.em += em
        self.axis += axis
        self.outlier += outlier
        self.point_ends += (ink.point_ends[1:] + len(self.points)).tolist()
        self.stroke_ends += (ink.stroke_ends[1:] + len(self.stroke_lengths)).tolist()
        self.points = np.concatenate((self.points, ink.points))
        self.stroke_lengths = np.concatenate((self.stroke_lengths, ink.stroke_lengths))
        self.boxes = np.concatenate((self.boxes, ink.boxes))
        self.box += [Box(*row) for row in ink.boxes.tolist()]

    def count_known(self, writer: int, names: Iterable[str]) -> int:
        """How many of these symbols a writer wrote."""
        return sum((name, writer) in self.by_writer for name in names)

    def by_same_writer(self, name: str, glyph: int) -> list[int]:
        """All glyphs of a name by the writer of one: who writes it twice writes it alike."""
        return self.by_writer.get((name, self.writer[glyph])) or [glyph]


class FlatInk:
    """The strokes of some glyphs in flat arrays."""

    def __init__(
        self, points: Points, stroke_lengths: Sequence[int], stroke_counts: Sequence[int]
    ) -> None:
        """`stroke_lengths`: points of each stroke; `stroke_counts`: strokes of each glyph."""
        self.points = points
        self.stroke_lengths = np.array(stroke_lengths, np.intp)
        self.stroke_ends = np.concatenate(([0], np.cumsum(stroke_counts, dtype=np.intp)))
        ends = np.concatenate(([0], np.cumsum(self.stroke_lengths)))
        self.point_ends: NDArray[np.intp] = ends[self.stroke_ends]
        starts = self.point_ends[:-1]
        low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
        self.boxes: NDArray[np.float64] = np.concatenate((low, high), axis=1).astype(np.float64)
