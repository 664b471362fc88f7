"""A sheet to draw on: text, symbols, boxes, curves, and attention as coloured light on the ink.

Design choices
- Drawn `FINE` times larger and reduced at the end: Pillow's lines have hard edges.
- The font is the one inside Pillow, so nothing has to be installed. It has letters and digits; the
  other symbols are written with the pen strokes of our own alphabet, and what that has not either
  keeps its LaTeX name.
- Seven colours that people with any colour vision tell apart (Okabe and Ito); symbols take them in
  turn, so that neighbours never share one.
- Light adds up and never hides the ink: the pen is drawn last, dark on it. It is gathered one
  attention at a time, at the picture's own size, and enlarged once at the end.
"""

from collections.abc import Iterable
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from san.decoding.engine import Floats
from san.grammar.characters import character
from san.ink.alphabet import SHAPES, VARIANTS, KnotStroke, curve, knot_strokes, parse_shape
from san.model.spec import STRIDE

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]
Sides = tuple[float, float, float, float]

COLOURS: tuple[Colour, ...] = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (213, 94, 0),
    (180, 165, 0),
)
INK = np.array((34, 34, 40), np.float32)
MAX_OPACITY = 0.62
"""Opacity of the light where a symbol's attention is densest."""
MIN_PEAK = 4
"""Attention that is nowhere so many times denser than an even one stays faint."""
FINE = 2
DASH = 4
"""Pixels of a dash, and between two."""
PAPER, CARD, EDGE = (246, 246, 243), (255, 255, 255), (226, 226, 220)
DARK, MUTED = (34, 34, 40), (122, 122, 128)
MAX_BAR = 18.0
"""Units of the alphabet's ruled paper."""
X_HEIGHT = 0.5
"""Of the font's size: how high a small letter is, so that strokes match it."""
DRAWN_BY_PEN = frozenset(("-", r"\sqrt"))
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

    def card(self, box: Sides) -> None:
        self.box(box, CARD, EDGE, 10)

    def box(
        self,
        box: Sides,
        fill: Colour,
        edge: Colour,
        radius: float = 6,
        thick: float = 1,
    ) -> None:
        fine = tuple(round(side * FINE) for side in box)
        self._draw.rounded_rectangle(fine, radius * FINE, fill, edge, round(thick * FINE))

    def dashed_box(self, box: Sides, colour: Colour) -> None:
        left, top, right, bottom = (side * FINE for side in box)
        dashed_box(self._draw, (left, top, right, bottom), colour, FINE)

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


def dashed_box(draw: ImageDraw.ImageDraw, box: Sides, colour: Colour, thick: int = 1) -> None:
    """A frame of dashes: around ink that was not read."""
    left, top, right, bottom = (round(side) for side in box)
    dash = DASH * thick
    for x in range(left, right, 2 * dash):
        for y in (top, bottom):
            draw.line((x, y, min(x + dash, right), y), colour, thick)
    for y in range(top, bottom, 2 * dash):
        for x in (left, right):
            draw.line((x, y, x, min(y + dash, bottom)), colour, thick)


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
    if name not in DRAWN_BY_PEN and (shown.isascii() or shown in "±…·"):
        return shown
    return None if name in SHAPES or name in VARIANTS else name


def _outlines(name: str) -> list[KnotStroke]:
    """A symbol's strokes; a root has nothing under its bar here, so the bar is cut short."""
    strokes = parse_shape(VARIANTS[name][0]) if name in VARIANTS else knot_strokes(name)
    return [KnotStroke(knots.clip(max=(MAX_BAR, np.inf)), ends) for knots, ends in strokes]


def _measure(name: str, size: float) -> tuple[float, float, float, float]:
    """Pixels a unit of the ruled paper, and left, right and middle of the symbol on it."""
    points = np.concatenate([outline.knots for outline in _outlines(name)])
    (left, top), (right, bottom) = points.min(axis=0), points.max(axis=0)
    unit = size * X_HEIGHT / 10
    unit = min(unit, 1.1 * size / max(float(bottom - top), 1.0))  # an integral sign is tall
    return unit, float(left), float(right), float(top + bottom) / 2


def colour_of(number: int) -> Colour:
    return COLOURS[number % len(COLOURS)]


def tint(colour: Colour, strength: float) -> Colour:
    """The colour on white paper, so thick."""
    r, g, b = (round(255 + (part - 255) * strength) for part in colour)
    return r, g, b


def with_margin(picture: Picture) -> Picture:
    """With an empty cell on every side: light fades out there instead of breaking off."""
    return np.pad(picture, STRIDE)


def light(attention: Floats, shape: tuple[int, int]) -> Floats:
    """Attention over a picture `with_margin` of this shape (rows, columns): 0 to 1 a pixel."""
    rows, columns = (-(-side // STRIDE) - 2 for side in shape)
    cells = np.nan_to_num(attention[:rows, :columns].astype(np.float32), posinf=0, neginf=0)
    cells = np.pad(cells.clip(0), 1)
    size = (cells.shape[1] * STRIDE, cells.shape[0] * STRIDE)
    spread = cv2.resize(cells, size, interpolation=cv2.INTER_LINEAR)
    spread = cv2.GaussianBlur(spread, (0, 0), STRIDE / 2)
    densest = max(float(spread.max()), MIN_PEAK / cells.size)
    return np.asarray(spread[: shape[0], : shape[1]] / densest, np.float32)


def lit_picture(picture: Picture, lights: Iterable[tuple[Floats, Colour]], zoom: float) -> Picture:
    """The picture as dark ink on white paper, with coloured lights beneath it: RGB, zoomed."""
    veil = np.zeros((*picture.shape, 3), np.float32)
    weight = np.full((*picture.shape, 1), 1e-6, np.float32)
    clear = np.ones_like(weight)
    for light, colour in lights:
        glow = light[..., None]
        veil += glow**2 * np.array(colour, np.float32)  # where two meet, the stronger prevails
        weight += glow**2
        clear *= 1 - MAX_OPACITY * glow
    paper = 255 * clear + veil / weight * (1 - clear)
    height, width = picture.shape
    size = (max(round(width * zoom), 1), max(round(height * zoom), 1))
    paper = np.asarray(cv2.resize(paper, size, interpolation=cv2.INTER_LINEAR), np.float32)
    pen = _pen(picture, size, zoom)[..., None]
    return np.asarray(np.rint(paper + (INK - paper) * pen), np.uint8)


def _pen(picture: Picture, size: tuple[int, int], zoom: float) -> Floats:
    """The ink, 0 to 1; enlarged without the staircase of its pixels."""
    way = cv2.INTER_AREA if zoom < 1 else cv2.INTER_CUBIC
    pen = cv2.resize(picture, size, interpolation=way).astype(np.float64) / 255
    if zoom > 1:
        soft = np.asarray(cv2.GaussianBlur(pen, (0, 0), 0.75 * zoom), np.float64)
        pen = (soft - 0.55) * 1.6 * zoom + 0.5
    return pen.clip(0, 1).astype(np.float32)
