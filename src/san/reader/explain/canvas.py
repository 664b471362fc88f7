"""A sheet to draw on: text, symbols, boxes and curves with soft edges.

Design choices
- Drawn `FINE` times larger and reduced at the end: Pillow's lines have hard edges.
- The font is the one inside Pillow, so nothing has to be installed. It has letters and digits; the
  other symbols are written with the pen strokes of our own alphabet, and what that has not either
  keeps its LaTeX name.
"""

from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from san.grammar.characters import character
from san.ink.alphabet import SHAPES, WAYS, Outline, curve, outlines, traced
from san.reader.explain.heatmap import Colour, Picture

FINE = 2
PAPER, CARD, EDGE = (246, 246, 243), (255, 255, 255), (226, 226, 220)
DARK, MUTED = (34, 34, 40), (122, 122, 128)
LONGEST = 18.0
"""Units of the alphabet's ruled paper."""
X_HEIGHT = 0.5
"""Of the font's size: how high a small letter is, so that strokes match it."""
PENNED = frozenset(("-", r"\sqrt"))
"""Written with the pen though they have a name in letters."""


@cache
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size * FINE)


class Canvas:
    """Lengths are pixels of the finished picture."""

    def __init__(self, width: int, height: int) -> None:
        self._image = Image.new("RGB", (width * FINE, height * FINE), PAPER)
        self._draw = ImageDraw.Draw(self._image)

    def finished(self) -> Image.Image:
        return self._image.reduce(FINE)

    def text(
        self, x: float, y: float, text: str, size: float, colour: Colour = DARK, anchor: str = "lm"
    ) -> None:
        self._draw.text((x * FINE, y * FINE), text, colour, _font(size), anchor=anchor)

    def card(self, box: tuple[float, float, float, float]) -> None:
        self.box(box, CARD, EDGE, 10)

    def box(
        self,
        box: tuple[float, float, float, float],
        fill: Colour,
        edge: Colour,
        radius: float = 6,
        thick: float = 1,
    ) -> None:
        fine = tuple(round(side * FINE) for side in box)
        self._draw.rounded_rectangle(fine, radius * FINE, fill, edge, round(thick * FINE))

    def paste(self, x: float, y: float, picture: Picture, corner: int = 0) -> None:
        """A picture that is already `FINE` times larger."""
        mask = None
        if corner:
            mask = Image.new("L", (picture.shape[1], picture.shape[0]), 0)
            ends = (0, 0, picture.shape[1] - 1, picture.shape[0] - 1)
            ImageDraw.Draw(mask).rounded_rectangle(ends, corner * FINE, 255)
        self._image.paste(Image.fromarray(picture), (round(x * FINE), round(y * FINE)), mask)

    def line(
        self, points: list[tuple[float, float]], colour: Colour = DARK, thick: float = 1.5
    ) -> None:
        fine = [(x * FINE, y * FINE) for x, y in points]
        self._draw.line(fine, colour, round(thick * FINE), joint="curve")
        for x, y in (fine[0], fine[-1]):
            r = thick * FINE / 2 - 0.5
            self._draw.ellipse((x - r, y - r, x + r, y + r), colour)

    def symbol(self, x: float, y: float, name: str, size: float, colour: Colour = DARK) -> None:
        """A symbol about this middle."""
        shown = _typed(name)
        if shown is not None:
            self.text(x, y, shown, size, colour, "mm")
            return
        unit, left, right, middle = _measure(name, size)
        for outline in _outlines(name):
            at = (curve(outline) - ((left + right) / 2, middle)) * unit + (x, y)
            thick = max(size / 12, 1.2) * (2 if len(at) == 1 else 1)  # a dot is pressed harder
            self.line([(float(a), float(b)) for a, b in at], colour, thick)


def text_width(text: str, size: float) -> float:
    return float(_font(size).getlength(text)) / FINE


def symbol_width(name: str, size: float) -> float:
    shown = _typed(name)
    if shown is not None:
        return text_width(shown, size)
    unit, left, right, _ = _measure(name, size)
    return (right - left) * unit


def _typed(name: str) -> str | None:
    """What the font writes for a symbol; None where the pen does."""
    shown = character(name)
    if name not in PENNED and (shown.isascii() or shown in "±…·"):
        return shown
    return None if name in SHAPES or name in WAYS else name


def _outlines(name: str) -> list[Outline]:
    """A symbol's strokes; a root has nothing under its bar here, so the bar is cut short."""
    own = traced(WAYS[name][0]) if name in WAYS else outlines(name)
    return [Outline(knots.clip(max=(LONGEST, np.inf)), ends) for knots, ends in own]


def _measure(name: str, size: float) -> tuple[float, float, float, float]:
    """Pixels a unit of the ruled paper, and left, right and middle of the symbol on it."""
    points = np.concatenate([outline.knots for outline in _outlines(name)])
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    unit = size * X_HEIGHT / 10
    unit = min(unit, 1.1 * size / max(float(bottom - top), 1.0))  # an integral sign is tall
    return unit, float(left), float(right), float(top + bottom) / 2
