"""A font file with a few characters."""

from pathlib import Path


def write_font(path: Path, characters: str) -> None:
    """Each character is a ring of straight lines and one curve."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    font = FontBuilder(1000, isTTF=True)
    names = [".notdef", *(f"uni{ord(text):04X}" for text in characters)]
    font.setupGlyphOrder(names)
    font.setupCharacterMap({ord(text): f"uni{ord(text):04X}" for text in characters})
    pen = TTGlyphPen(None)
    pen.moveTo((100, 0))
    pen.lineTo((100, 500))
    pen.qCurveTo((500, 500), (500, 0))
    pen.closePath()
    glyph = pen.glyph()
    font.setupGlyf(dict.fromkeys(names, glyph))
    font.setupHorizontalMetrics(dict.fromkeys(names, (600, 100)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupPost()
    font.save(path)
