"""A copybook: expressions in hands of our own, where nobody else's ink is at hand.

The strokes are those of our own alphabet (`san.ink.alphabet`); here they are put side by side,
so that there is not only an alphabet but a manner: how a script sits, how far a bar hangs over,
where a root begins. Tests and documentation compose from it, and whoever has no corpus.
"""

from collections.abc import Sequence

import numpy as np

from san.grammar import Expression, parse
from san.ink.alphabet import SHAPES, WORDS, SimulatedWriter, sheet_of
from san.ink.strokes import Glyph, Ink, Points, Sheet, box_of

Marks = list[tuple[str, list[Points]]]

HANDS = 4
SIZE = 2.0
"""Units of ink in one of the alphabet's ruled paper."""
AXIS = 7.0
"""How far above the line a minus stands on that paper."""
GAP = 4.5
"""Between neighbours, on that paper."""
ROW = 6
"""Symbols of the alphabet in one row."""
COVERS = (r"\frac", r"\sqrt")
"""What is written only together with what it covers."""
_ROWS = (
    r"x + y = 2 \times 3 . 1 4",
    "( a - b ) ( a + b )",
    r"y = 1 0 \pm 2 \cdot 5",
    r"\sum x + \int y d x",
)


class _Writer:
    """One of our hands at work on a row."""

    def __init__(self, seed: int) -> None:
        self.hand = SimulatedWriter(seed, slant=0.02 * seed)

    def row(self, words: str, x: float = 0.0, y: float = 0.0, size: float = 1.0) -> Marks:
        """Symbols side by side, from x on, on an axis at height y."""
        marks: Marks = []
        for label in words.split():
            marks.append(self.put(label, x, y, size))
            x = right(marks) + (GAP + self.hand.jitter(0.5)) * SIZE * size
        return marks

    def put(
        self, label: str, x: float, y: float, size: float = 1.0, width: float = 0.0
    ) -> tuple[str, list[Points]]:
        strokes = self.hand.write(label, SIZE * size, width)
        corner = (x - box_of(strokes).left, y + AXIS * SIZE * size)
        return label, [stroke + np.array(corner, np.float32) for stroke in strokes]

    def constructs(self) -> list[tuple[str, Marks]]:
        script, part = 0.6, 0.8
        found: list[tuple[str, Marks]] = []
        for base, sup, sub in (("x", "2", "1"), ("y", "n", "i"), ("b", "3", "0"), ("2", "x", "9")):
            own = self.row(base)
            end = right(own) + 4
            found.append((rf"{base}^{{{sup}}}", [*own, *self.row(sup, end, -24, script)]))
            own = self.row(base)
            found.append((rf"{base}_{{{sub}}}", [*own, *self.row(sub, end, 18, script)]))
        own = self.row("( x )")
        found.append(("(x)^{2}", [*own, *self.row("2", right(own) + 3, -30, script)]))
        # What covers or carries much shows its own size only beside plain symbols.
        lead = self.row("y =")
        x = right(lead) + 12
        over, under = self.row("x + 1", x + 10, -27, part), self.row("2", x + 42, 30, part)
        bar = self.put(r"\frac", x, 0, width=right(over) + 8 - x)
        found.append((r"y=\frac{x+1}{2}", [*lead, bar, *over, *under]))
        for index in ("", "[3]"):
            inside = self.row("x + 1", x + 22, 0, 0.9)
            root = self.put(r"\sqrt", x, 0, 1.1, width=right(inside) + 8 - x)
            power = self.row("3", x - 6, -18, 0.5) if index else []
            found.append((rf"y=\sqrt{index}{{x+1}}", [*lead, root, *power, *inside]))
        sign = self.row(r"\sum x", x)
        above = self.row("n", x + 6, -46, script)
        below = self.row("i = 1", x - 8, 44, script)
        found.append((r"y=\sum_{i=1}^{n}x", [*lead, sign[0], *above, *below, sign[1]]))
        sign = self.row(r"\int x", x)
        low, high = self.row("0", x + 24, 46, script), self.row("1", x + 26, -46, script)
        found.append((r"y=\int_{0}^{1}x", [*lead, sign[0], *low, *high, sign[1]]))
        return found


def right(marks: Marks) -> float:
    return max(float(stroke[:, 0].max()) for _, strokes in marks for stroke in strokes)


class Copybook:
    """Our own expressions, known by their place, as a packed corpus knows its own."""

    def __init__(self) -> None:
        plain = sorted({*SHAPES, *WORDS}.difference(COVERS))
        rows = [" ".join(plain[start : start + ROW]) for start in range(0, len(plain), ROW)]
        self.ids: Sequence[str] = []
        self._sheets: list[Sheet] = []
        for seed in range(HANDS):
            writer = _Writer(seed)
            pages = [(words, writer.row(words)) for words in (*rows, *_ROWS)]
            for truth, marks in pages + writer.constructs():
                self._sheets.append(sheet_of(marks, truth))
                self.ids.append(f"copybook{seed}-{len(self._sheets)}")

    def __len__(self) -> int:
        return len(self._sheets)

    def tree(self, place: int) -> Expression:
        return parse(self._sheets[place].truth or "")

    def ink(self, place: int) -> Ink:
        return self._sheets[place].ink

    def glyphs(self, place: int) -> tuple[Glyph, ...]:
        return self._sheets[place].glyphs
