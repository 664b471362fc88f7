"""Font files with a few characters."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from san.ink.alphabet import compose
from san.ink.draw import Pen, draw
from san.ink.strokes import Box

UNITS = 1000
X_HEIGHT, CAPITAL, DEPTH = 400, 700, -200


def write_font(path: Path, characters: str) -> None:
    """Each character is a ring of straight lines and one curve."""
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    pen.moveTo((100, 0))
    pen.lineTo((100, 500))
    pen.qCurveTo((500, 500), (500, 0))
    pen.closePath()
    save_font(path, dict.fromkeys(characters, pen.glyph()))


def write_hand(path: Path, characters: str, larger: int = 1) -> None:
    """Each character is the outline of what our own pen writes, on the base line."""
    save_font(path, {text: _outlined(text, larger) for text in characters})


def _outlined(text: str, larger: int) -> Any:
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    bottom = DEPTH if text in "gjpqy" else 0
    top = X_HEIGHT if text in "acegmnopqrsuvwxyz" else CAPITAL
    box = Box(0.0, 0.0, 400.0, top - bottom)
    sheet = compose([(text, box)])
    picture = draw(sheet.ink, Pen(width=48), scale=1)
    rows, columns = np.nonzero(picture)
    contours, _ = cv2.findContours(picture, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    pen = TTGlyphPen(None)
    for contour in contours:  # of holes the other way round
        points = contour.reshape(-1, 2) - (columns.min(), rows.max())
        x, y = (larger * (points * (1, -1) + (100, bottom))).T.tolist()
        pen.moveTo((x[0], y[0]))
        for corner in zip(x[1:], y[1:], strict=True):
            pen.lineTo(corner)
        pen.closePath()
    return pen.glyph()


def save_font(path: Path, glyphs: Mapping[str, Any], more: Mapping[str, Any] = {}) -> None:
    """`glyphs` are of characters, `more` by their own names."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    font = FontBuilder(UNITS, isTTF=True)
    names = {text: f"uni{ord(text):04X}" for text in glyphs}
    every = {".notdef": TTGlyphPen(None).glyph()}
    every |= {names[text]: glyph for text, glyph in glyphs.items()} | dict(more)
    font.setupGlyphOrder([*every])
    font.setupCharacterMap({ord(text): name for text, name in names.items()})
    font.setupGlyf(every)
    font.setupHorizontalMetrics(dict.fromkeys(every, (600, 100)))
    font.setupHorizontalHeader(ascent=800, descent=DEPTH)
    font.setupPost()
    font.save(path)
