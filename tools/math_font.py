"""Cuts a mathematical font down to what the page draws.

    npm pack @fontsource/stix-two-math@5.3.0 && tar xzf fontsource-stix-two-math-5.3.0.tgz
    python -m tools.math_font package/files/stix-two-math-latin-400-normal.woff

The result lies with the page. It has every character that MathML is written with, the larger
variants and parts of those that stretch, and the font's table of mathematical constants; no hints.
Its arrows to the right stretch in Chromium, too, where those of the whole font do not.
To be run again when the grammar gets new symbols.
"""

import argparse
import io
from pathlib import Path

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont, TTLibError

from san.errors import SanError, run_or_exit
from san.files import read_file
from san.grammar.characters import CHARACTERS, character
from san.grammar.mathml import WIDE_MARKS

FONT = Path(__file__).resolve().parents[1] / "src/san/serve/page/fonts/stix-two-math.woff"
FEATURES = ["ssty", "dtls"]
"""Of the font's features: shapes for scripts, and letters without their dots under accents."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ITALICS = (*range(0x1D434, 0x1D455), 0x210E, *range(0x1D456, 0x1D468), *range(0x1D6E2, 0x1D71C))
"""Letters and Greek of a single `mi`, which a browser draws slanted."""
_ENCLOSED = "⎛⎜⎝⎞⎟⎠⎡⎢⎣⎤⎥⎦⎧⎨⎩⎪⎫⎬⎭⌠⎮⌡⏐⟦⟧"


def drawn_characters() -> set[int]:
    """Code points that the page's MathML is drawn with."""
    alphabets = (
        character(rf"\math{kind}{{{letter}}}")
        for kind in ("bb", "cal", "frak")
        for letter in _LETTERS
    )
    ascii_text = map(chr, range(0x20, 0x7F))
    drawn = "".join(
        (*alphabets, *CHARACTERS.values(), *WIDE_MARKS.values(), *ascii_text, _ENCLOSED)
    )
    return {*map(ord, drawn), *_ITALICS, 0xA0}


def cut(source: Path, target: Path) -> None:
    content = read_file(source)
    try:
        font = TTFont(io.BytesIO(content))
    except TTLibError as error:
        raise SanError(f"{source}: no font can be read from it ({error})") from None
    options = Options(layout_features=FEATURES, hinting=False, notdef_outline=True)
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=drawn_characters())
    subsetter.subset(font)
    _let_ends_overlap(font)
    font.flavor = "woff"
    target.parent.mkdir(exist_ok=True)
    font.save(target)


def _let_ends_overlap(font: TTFont) -> None:
    """An arrow's head says at its outer end, not at its inner one, how far it laps over the shaft;
    a browser that takes it at its word has no room to join the two."""
    for one in font["MATH"].table.MathVariants.HorizGlyphConstruction:
        parts = one.GlyphAssembly.PartRecords if one.GlyphAssembly else []
        if parts and not parts[-1].StartConnectorLength:
            head = parts[-1]
            head.StartConnectorLength, head.EndConnectorLength = head.EndConnectorLength, 0


def main() -> None:
    parser = argparse.ArgumentParser(description="Cuts a font down to what the page draws.")
    parser.add_argument("font", type=Path, help="the whole one: .woff, .ttf or .otf")
    cut(parser.parse_args().font, FONT)
    print(f"{FONT.stat().st_size / 1000:.0f} KB")


if __name__ == "__main__":
    run_or_exit(main)
