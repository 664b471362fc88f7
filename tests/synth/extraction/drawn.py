"""Pictures of our own alphabet in which it is known where each symbol stands."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.grammar import Expression, parse
from san.ink.alphabet import compose
from san.ink.draw import BITMAP_PEN, draw
from san.ink.strokes import Box, box_of


class Drawn(NamedTuple):
    picture: NDArray[np.uint8]
    tree: Expression
    boxes: list[Box]  # in pixels, in the order of the walk


def drawn(latex: str, placed: list[tuple[str, Box]]) -> Drawn:
    """Symbols in boxes, given in the order of the walk; a pixel is a unit of theirs."""
    sheet = compose(placed)
    edge = BITMAP_PEN.margin
    all_ink = sheet.ink.box
    boxes = []
    for glyph in sheet.glyphs:
        left, top, right, bottom = box_of(sheet.ink.strokes[own] for own in glyph.strokes)
        x, y = edge - int(all_ink.left), edge - int(all_ink.top)
        boxes.append(Box(left + x, top + y, right + x + 3, bottom + y + 3))
    return Drawn(draw(sheet.ink, scale=1), parse(latex), boxes)


SIZES = {"-": (15.0, 16.0), "=": (11.0, 20.0), "+": (6.0, 26.0)}


def row(words: str, gap: float = 12.0, wide: float = 22.0) -> Drawn:
    """Symbols side by side."""
    placed = []
    for place, name in enumerate(words.split()):
        top, bottom = SIZES.get(name, (0.0, 30.0))
        left = place * (wide + gap)
        placed.append((name, Box(left, top, left + wide, bottom)))
    return drawn(words, placed)
