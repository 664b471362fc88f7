"""A small corpus of our own: expressions by simulated writers, where there is no other ink.

The strokes are those of our own alphabet (`san.ink.alphabet`); here they are put side by side, so
that there are not only glyphs but a layout to learn from: how a script sits, how far a bar hangs
over, where a root begins. Tests and documentation compose from it, and whoever has no corpus.

Its numbers are no knobs: they are one drawing, as the shapes of the alphabet are.
"""

from collections.abc import Sequence

import numpy as np

from san.grammar import Expression, parse
from san.ink.alphabet import SHAPES, WORDS, SimulatedWriter, sheet_of
from san.ink.strokes import Glyph, Ink, Points, Sheet, box_of

LabelledStrokes = list[tuple[str, list[Points]]]

WRITERS = 4
INK_UNIT = 2.0
"""Units of ink in one of the alphabet's ruled paper."""
AXIS_HEIGHT = 7.0
"""How far above the line a minus stands on that paper."""
SYMBOL_GAP = 4.5
"""Between neighbours, on that paper."""
ROW_LENGTH = 6
"""Symbols of the alphabet in one row."""
COVERS = (r"\frac", r"\sqrt")
"""What is written only together with what it covers."""
_ROWS = (
    r"x + y = 2 \times 3 . 1 4",
    "( a - b ) ( a + b )",
    r"y = 1 0 \pm 2 \cdot 5",
    r"\sum x + \int y d x",
)


class _RowWriter:
    """A simulated writer who puts symbols side by side."""

    def __init__(self, seed: int) -> None:
        self.writer = SimulatedWriter(seed, slant=0.02 * seed)

    def row(self, words: str, x: float = 0.0, y: float = 0.0, size: float = 1.0) -> LabelledStrokes:
        """Symbols side by side, from x on, on an axis at height y."""
        symbols: LabelledStrokes = []
        for label in words.split():
            symbols.append(self.put(label, x, y, size))
            x = right(symbols) + (SYMBOL_GAP + self.writer.jitter(0.5)) * INK_UNIT * size
        return symbols

    def put(
        self, label: str, x: float, y: float, size: float = 1.0, width: float = 0.0
    ) -> tuple[str, list[Points]]:
        strokes = self.writer.write(label, INK_UNIT * size, width)
        corner = (x - box_of(strokes).left, y + AXIS_HEIGHT * INK_UNIT * size)
        return label, [stroke + np.array(corner, np.float32) for stroke in strokes]

    def constructs(self) -> list[tuple[str, LabelledStrokes]]:
        script, part = 0.6, 0.8
        expressions: list[tuple[str, LabelledStrokes]] = []
        for base, sup, sub in (("x", "2", "1"), ("y", "n", "i"), ("b", "3", "0"), ("2", "x", "9")):
            base_row = self.row(base)
            end = right(base_row) + 4
            expressions.append(
                (rf"{base}^{{{sup}}}", [*base_row, *self.row(sup, end, -24, script)])
            )
            base_row = self.row(base)
            expressions.append((rf"{base}_{{{sub}}}", [*base_row, *self.row(sub, end, 18, script)]))
        base_row = self.row("( x )")
        expressions.append(
            ("(x)^{2}", [*base_row, *self.row("2", right(base_row) + 3, -30, script)])
        )
        # What covers or carries much shows its own size only beside plain symbols.
        lead = self.row("y =")
        x = right(lead) + 12
        over, under = self.row("x + 1", x + 10, -27, part), self.row("2", x + 42, 30, part)
        bar = self.put(r"\frac", x, 0, width=right(over) + 8 - x)
        expressions.append((r"y=\frac{x+1}{2}", [*lead, bar, *over, *under]))
        for index in ("", "[3]"):
            inside = self.row("x + 1", x + 22, 0, 0.9)
            root = self.put(r"\sqrt", x, 0, 1.1, width=right(inside) + 8 - x)
            power = self.row("3", x - 6, -18, 0.5) if index else []
            expressions.append((rf"y=\sqrt{index}{{x+1}}", [*lead, root, *power, *inside]))
        sign = self.row(r"\sum x", x)
        above = self.row("n", x + 6, -46, script)
        below = self.row("i = 1", x - 8, 44, script)
        expressions.append((r"y=\sum_{i=1}^{n}x", [*lead, sign[0], *above, *below, sign[1]]))
        sign = self.row(r"\int x", x)
        low, high = self.row("0", x + 24, 46, script), self.row("1", x + 26, -46, script)
        expressions.append((r"y=\int_{0}^{1}x", [*lead, sign[0], *low, *high, sign[1]]))
        return expressions


def right(symbols: LabelledStrokes) -> float:
    return max(float(stroke[:, 0].max()) for _, strokes in symbols for stroke in strokes)


class Copybook:
    """Our own expressions, known by their place, as a packed corpus knows its own."""

    def __init__(self) -> None:
        plain = sorted({*SHAPES, *WORDS}.difference(COVERS))
        rows = [
            " ".join(plain[start : start + ROW_LENGTH])
            for start in range(0, len(plain), ROW_LENGTH)
        ]
        self.ids: Sequence[str] = []
        self._sheets: list[Sheet] = []
        for seed in range(WRITERS):
            writer = _RowWriter(seed)
            pages = [(words, writer.row(words)) for words in (*rows, *_ROWS)]
            for truth, symbols in pages + writer.constructs():
                self._sheets.append(sheet_of(symbols, truth))
                self.ids.append(f"copybook{seed}-{len(self._sheets)}")

    def __len__(self) -> int:
        return len(self._sheets)

    def tree(self, place: int) -> Expression:
        return parse(self._sheets[place].truth or "")

    def ink(self, place: int) -> Ink:
        return self._sheets[place].ink

    def glyphs(self, place: int) -> tuple[Glyph, ...]:
        return self._sheets[place].glyphs
