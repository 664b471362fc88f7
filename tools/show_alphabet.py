"""Draw our own symbols in all ways of writing them, each by another imagined hand: for the docs.

python -m tools.show_alphabet docs/figures/own-symbols.png
"""

import argparse
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from san.ink.alphabet import VARIANTS
from san.synth.glyphs.drawn import GlyphInk, drawn

CELL, TYPE, COLUMNS = 52, 11, 20
"""Pixels of a symbol's cell, pixels of its name, and cells in a row."""
SCALE = 1.7
"""Pixels of a unit of the ruled paper."""


def main(path: Path) -> None:
    rng = np.random.default_rng(1)
    cells = [
        (_title(name, len(ways)) if number == 0 else "", _picture(piece))
        for name, ways in sorted(VARIANTS.items())
        for number, way in enumerate(ways)
        for ((piece,),) in (drawn(way, rng, writers=1, each=1),)
    ]
    rows = -(-len(cells) // COLUMNS)
    sheet = Image.new("L", (COLUMNS * CELL, rows * (CELL + TYPE + 6)), 255)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(TYPE)
    for place, (name, picture) in enumerate(cells):
        row, column = divmod(place, COLUMNS)
        left, top = column * CELL, row * (CELL + TYPE + 6)
        sheet.paste(Image.fromarray(picture), (left, top + TYPE + 6))
        pen.text((left + 3, top + 2), name, 0, font)
    sheet.quantize(8).save(path, optimize=True)


def _title(name: str, ways: int) -> str:
    """A name that fits over its cells; the default font has no Chinese marks."""
    name = {"、": "pause", "。": "full stop"}.get(name, name)
    return name if len(name) <= 9 * ways else name[:7] + "…"


def _picture(piece: GlyphInk) -> np.typing.NDArray[np.uint8]:
    points, lengths = piece
    middle = (points[:, 0].min() + points[:, 0].max()) / 2
    shown = (points - (middle, 14)) * SCALE + CELL / 2
    picture = np.full((CELL, CELL), 255, np.uint8)
    for stroke in np.split(shown, np.cumsum(lengths)[:-1]):
        fine = np.round(stroke * 16).astype(np.int32)
        cv2.polylines(picture, [fine], False, 0, 2, cv2.LINE_AA, shift=4)
    return picture


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("picture", type=Path, help="a .png to write")
    given = parser.parse_args().picture
    if given.suffix != ".png" or not given.parent.is_dir():
        parser.error(f"{given}: name a .png in a folder that is there")
    main(given)
