"""A formula as HTML for notebooks: the picture with a box around each symbol, and what was read."""

import html
from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageDraw

from san.reader.explain.canvas import colour_of
from san.reader.prepared import PreparedImage
from san.reader.symbols import Symbol

MAX_WIDTH, MAX_HEIGHT = 800, 400
"""Pixels of the picture in the page; a larger one is made smaller."""
MAX_BOXES = 500


def formula_html(
    image: PreparedImage, symbols: Sequence[Symbol], latex: str, mathml: str, confidence: float
) -> str:
    """A figure whose text is escaped; `mathml` is written by `to_mathml`, which escapes its own."""
    png = b64encode(_png(image, symbols)).decode()
    text = html.escape(latex)
    return (
        f'<figure><img src="data:image/png;base64,{png}" alt="{text}" />'
        f"<figcaption>{mathml} <code>{text}</code> ({confidence:.0%} sure)</figcaption></figure>"
    )


def _png(image: PreparedImage, symbols: Sequence[Symbol]) -> bytes:
    rows, columns = image.picture.shape
    scale = min(1.0, MAX_WIDTH / columns, MAX_HEIGHT / rows)
    size = max(round(columns * scale), 1), max(round(rows * scale), 1)
    picture = Image.fromarray(255 - image.picture).convert("RGB").resize(size)
    draw = ImageDraw.Draw(picture)
    for number, symbol in enumerate(symbols[:MAX_BOXES]):
        if symbol.box is not None:
            left, top, right, bottom = (scale * side for side in image.box_to_picture(symbol.box))
            draw.rectangle((left - 2, top - 2, right + 1, bottom + 1), outline=colour_of(number))
    content = BytesIO()
    picture.save(content, "PNG", optimize=True)
    return content.getvalue()
