"""A picture of a sheet for people: each symbol in its own colour, its label above it.

Not what the network sees (that is `draw`): here lines are smooth and large, and the paper is white.
"""

import colorsys

from PIL import Image, ImageDraw, ImageFont

from san.ink.draw import scale_of
from san.ink.strokes import Sheet

ZOOM = 3
"""How much larger than the network's picture: room for the labels."""
MAX_SIDE = 4000
"""No side of the ink is longer, in pixels."""
MARGIN, LABEL_SIZE, CAPTION_SIZE, PEN_WIDTH = 30, 15, 18, 5
"""Pixels: the margin around the ink, the size of the labels' and of the caption's type, the pen."""
GREY = (150, 150, 150)

Colour = tuple[int, int, int]


def show(sheet: Sheet) -> Image.Image:
    """Draw the sheet in colours; strokes that belong to no symbol are grey."""
    scale = scale_of(sheet.ink) * ZOOM
    box = sheet.ink.box
    extent = max(box.width, box.height)
    if extent > 0:
        scale = min(scale, MAX_SIDE / extent)
    width = round(box.width * scale) + 2 * MARGIN
    height = round(box.height * scale) + 2 * MARGIN
    caption = _short(sheet.truth or "", 200)
    large, small = ImageFont.load_default(CAPTION_SIZE), ImageFont.load_default(LABEL_SIZE)
    width = max(width, round(large.getlength(caption)) + 2 * MARGIN)
    picture = Image.new("RGB", (width, height + (2 * CAPTION_SIZE if caption else 0)), "white")
    pen = ImageDraw.Draw(picture)

    def at(x: float, y: float) -> tuple[float, float]:
        return MARGIN + (x - box.left) * scale, MARGIN + (y - box.top) * scale

    colours = [_colour(index) for index in range(len(sheet.glyphs))]
    owner = {
        index: colour
        for glyph, colour in zip(sheet.glyphs, colours, strict=True)
        for index in glyph.strokes
    }
    for index, stroke in enumerate(sheet.ink.strokes):
        _line(pen, [at(x, y) for x, y in stroke.tolist()], owner.get(index, GREY))
    for glyph, colour in zip(sheet.glyphs, colours, strict=True):
        middle, top = at((glyph.box.left + glyph.box.right) / 2, glyph.box.top)
        place = (middle, max(top - 1.6 * PEN_WIDTH, LABEL_SIZE))
        label = _short(glyph.label, 24)
        # A thin white edge keeps a label readable where it falls upon other ink.
        pen.text(place, label, colour, small, anchor="ms", stroke_width=2, stroke_fill="white")
    if caption:
        pen.text((MARGIN, height + CAPTION_SIZE), caption, "black", large, anchor="ls")
    return picture


def _short(text: str, max_length: int) -> str:
    """One line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= max_length else line[: max_length - 1] + "…"


def _line(pen: ImageDraw.ImageDraw, points: list[tuple[float, float]], colour: Colour) -> None:
    pen.line(points, colour, PEN_WIDTH, joint="curve")
    for x, y in (points[0], points[-1]):  # round ends; and all there is of a dot
        r = PEN_WIDTH / 2
        pen.ellipse((x - r, y - r, x + r, y + r), colour)


def _colour(index: int) -> Colour:
    """Neighbours differ most when each hue turns by the golden angle from the last."""
    r, g, b = colorsys.hsv_to_rgb(index * 0.381966 % 1, 0.85, 0.75)
    return round(r * 255), round(g * 255), round(b * 255)
