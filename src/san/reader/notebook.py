"""A formula as HTML for notebooks: the picture with a box around each symbol, and what was read.

Ink that was not read has a dashed frame in the colour of doubt.
"""

import html
from base64 import b64encode
from collections.abc import Sequence
from io import BytesIO

from PIL import Image, ImageDraw

from san.ink import Box
from san.reader.explain.canvas import colour_of, dashed_box
from san.reader.explain.tree import UNSURE_COLOUR
from san.reader.prepared import Location, PreparedImage
from san.reader.symbols import Symbol

MAX_WIDTH, MAX_HEIGHT = 800, 400
"""Pixels of the picture in the page; a larger one is made smaller."""
MAX_BOXES = 500
FORMULA_STYLE = "width: fit-content; font-size: 150%"
"""Under its picture: MathML of a line of its own stands else in the middle of the notebook."""


def formula_html(
    image: PreparedImage,
    symbols: Sequence[Symbol],
    unread: Sequence[Location],
    written: tuple[str, str],
    sure: str,
    notes: Sequence[str] = (),
) -> str:
    """A figure whose text is escaped.

    Args:
        written: LaTeX and MathML; the latter is written by `to_mathml`, which escapes its own.
        sure: How sure it is, in words.
        notes: What else has to be said, a line each.
    """
    png = b64encode(_png(image, symbols, unread)).decode()
    latex, mathml = html.escape(written[0]), written[1]
    more = "".join(f"<br/>{html.escape(note)}" for note in notes)
    return (
        f'<figure><img src="data:image/png;base64,{png}" alt="{latex}" />'
        f'<figcaption><div style="{FORMULA_STYLE}">{mathml}</div>'
        f"<code>{latex}</code> ({html.escape(sure)}){more}</figcaption></figure>"
    )


def _png(image: PreparedImage, symbols: Sequence[Symbol], unread: Sequence[Location]) -> bytes:
    rows, columns = image.picture.shape
    scale = min(1.0, MAX_WIDTH / columns, MAX_HEIGHT / rows)
    size = max(round(columns * scale), 1), max(round(rows * scale), 1)
    picture = Image.fromarray(255 - image.picture).convert("RGB").resize(size)
    draw = ImageDraw.Draw(picture)

    def frame(box: Box) -> tuple[float, float, float, float]:
        left, top, right, bottom = (scale * side for side in image.box_to_picture(box))
        return left - 2, top - 2, right + 1, bottom + 1

    for number, symbol in enumerate(symbols[:MAX_BOXES]):
        if symbol.box is not None:
            draw.rectangle(frame(symbol.box), outline=colour_of(number))
    for place in unread[:MAX_BOXES]:
        dashed_box(draw, frame(place.box), UNSURE_COLOUR)
    content = BytesIO()
    picture.save(content, "PNG", optimize=True)
    return content.getvalue()
