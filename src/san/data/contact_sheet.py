"""A contact sheet: many samples on one picture, each with its LaTeX below.

Pictures are shown as the network gets them, only smaller. A label that has no end is cut.
"""

from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from san.ink.draw import Picture

COLUMNS = 5
MAX_SAMPLES = 40
"""On one sheet: as many as are seen at once."""
WIDTH, HEIGHT = 360, 110
"""Pixels at most for a sample's picture."""
GAP, TYPE_SIZE, LABEL_LINES = 12, 13, 2
"""Pixels between samples, the size of the type, and lines of type for a label."""
LINE_HEIGHT = TYPE_SIZE + 4


class ContactSheet:
    """Takes samples one by one and keeps a few of them, spread evenly over `total`."""

    def __init__(self, total: int, max_samples: int = MAX_SAMPLES) -> None:
        self._every = max(1, total // max_samples)
        self._max_samples = max_samples
        self._seen = 0
        self._shown: list[tuple[Image.Image, str]] = []

    def add(self, picture: Picture, latex: str) -> None:
        if self._seen % self._every == 0 and len(self._shown) < self._max_samples:
            image = Image.fromarray(picture)
            image.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
            self._shown.append((image, latex))
        self._seen += 1

    def picture(self) -> Image.Image:
        """The sheet so far, in rows from the left."""
        rows = -(-len(self._shown) // COLUMNS)
        cell_width, cell_height = WIDTH + GAP, HEIGHT + LABEL_LINES * LINE_HEIGHT + 2 * GAP
        size = (COLUMNS * cell_width + GAP, max(rows, 1) * cell_height + GAP)
        sheet = Image.new("L", size, 255)
        pen = ImageDraw.Draw(sheet)
        font = ImageFont.load_default(TYPE_SIZE)
        for number, (image, latex) in enumerate(self._shown):
            row, column = divmod(number, COLUMNS)
            left, top = GAP + column * cell_width, GAP + row * cell_height
            sheet.paste(image, (left, top + HEIGHT - image.height))
            for index, line in enumerate(_lines(latex, font)):
                pen.text((left, top + HEIGHT + 4 + index * LINE_HEIGHT), line, 0, font)
        return sheet


def _lines(text: str, font: ImageFont.FreeTypeFont | ImageFont.ImageFont) -> Sequence[str]:
    """The text cut to lines that fit, the last with dots where it does not end there."""
    lines: list[str] = []
    while text and len(lines) < LABEL_LINES:
        fits = WIDTH // 2  # no label is set in narrower letters; measuring all of it would be slow
        while font.getlength(text[:fits]) > WIDTH:
            fits -= 1
        lines.append(text[:fits])
        text = text[fits:]
    if text:
        lines[-1] = lines[-1][:-1] + "…"
    return lines
