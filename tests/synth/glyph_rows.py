"""Rows of glyphs as if from photographs: their size tells them from the copybook's."""

from collections.abc import Sequence

from san.grammar import Expression, parse
from san.ink.alphabet import compose
from san.ink.strokes import Box, Glyph, Ink, box_of
from san.synth.glyphs.photo_glyphs import row_of

WIDE = 0.25
"""Em: no writer of the copybook writes a 2 as narrow."""


class GlyphRows:
    """Rows of these symbols, one for each writer."""

    def __init__(self, *rows: str) -> None:
        self.ids: Sequence[str] = [f"photo{number}" for number in range(len(rows))]
        self._rows = [row.split() for row in rows]

    def __len__(self) -> int:
        return len(self._rows)

    def tree(self, place: int) -> Expression:
        return parse(" ".join(self._rows[place]))

    def _made(self, place: int) -> tuple[Ink, list[tuple[str, int]]]:
        strokes = []
        for name in self._rows[place]:
            shape = name if name != "D" else "b"  # of which there is no shape in the alphabet
            strokes.append(list(compose([(shape, Box(0, -0.4, WIDE, 0.4))]).ink.strokes))
        return row_of(self._rows[place], strokes)

    def ink(self, place: int) -> Ink:
        return self._made(place)[0]

    def glyphs(self, place: int) -> tuple[Glyph, ...]:
        ink, counts = self._made(place)
        found, first = [], 0
        for label, count in counts:
            own = tuple(range(first, first + count))
            found.append(Glyph(label, own, box_of(ink.strokes[stroke] for stroke in own)))
            first += count
        return tuple(found)
