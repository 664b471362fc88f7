"""A handwriting font -> the glyphs of one more writer.

Design choices
- Such fonts are outlines of what somebody wrote with a pen, so the middle line of an outline
  (`trace`) is that pen's way. What was no stroke, but a blot or a brush's wedge, is left out.
- A glyph is read once more, its strokes by themselves, as those of photographs are: fonts have
  capitals for small letters, ornaments, and shapes that nobody writes in a formula.
- Bars and dots are left out: no hand is known by them.
- A font's glyphs stand in one row, so that their sizes and heights are fitted over all fonts as
  those of photographs are (`san.synth.extraction.collect`).
"""

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from san.data.print_fonts import Outline
from san.decoding.engine import Engine
from san.errors import SanError
from san.grammar import parse
from san.grammar.characters import character
from san.grammar.symbols import COMMANDS, WORDS
from san.images.bitmap import Mask
from san.ink.draw import draw
from san.ink.strokes import Ink, Points
from san.synth.extraction.config import ExtractionConfig
from san.synth.extraction.extract import ExtractedPhoto, has_fixed_shape, is_readable
from san.synth.extraction.trace import SUBPIXEL_BITS, fidelity, trace
from san.synth.layout.measure import outline
from san.synth.printed.fonts import Font

SUFFIXES = (".ttf", ".otf", ".woff")
_MARGIN = 2
_SHAPELESS = frozenset(
    r"- | / . , : ; ' \" ` _ ~ ^ @ # $ & \prime \cdot \ldots \cdots \vdots \| \_ \bullet".split()
)
"""Bars, dots and what else looks alike in every hand; and what is no symbol."""


def font_files(paths: Sequence[Path]) -> list[Path]:
    """Some files, and the fonts in some folders, each once."""
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = [
                file
                for file in sorted(path.rglob("*"))
                if file.suffix.lower() in SUFFIXES and file.is_file()
            ]
            if not inside:
                raise SanError(f"{path}: no font in it ({', '.join(SUFFIXES)})")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise SanError(f"{path}: no such file or folder")
    return list(dict.fromkeys(found))


def extract_font(
    engine: Engine, path: Path, config: ExtractionConfig = ExtractionConfig()
) -> ExtractedPhoto:
    """The glyphs of a font, as those of a photograph; SanError where it is none, or has too few."""
    font, settings = Font(path), config.fonts
    names: list[str] = []
    glyphs: list[list[Points]] = []
    likeness: list[float] = []
    x = 0.0
    for name in sorted(symbol_names().intersection(engine.vocabulary.symbols)):
        shape = font.outline(ord(character(name)))
        if shape is None or not all(abs(side) <= settings.max_extent for side in shape.box):
            continue
        mask, corner = rasterise(shape, settings.pixels_per_em)
        strokes, width = trace(mask, config.trace)
        alike = fidelity(mask, strokes, width)
        if alike >= settings.min_fidelity and is_readable(
            engine, draw(Ink.of(strokes)), name, config
        ):
            names.append(name)
            place = np.array((x + corner[0], corner[1]), np.float32)
            glyphs.append([stroke + place for stroke in strokes])
            likeness.append(alike)
            x += shape.advance * settings.pixels_per_em
    if len(names) < settings.min_symbols:
        raise SanError(
            f"{path}: {len(names)} characters that can be traced and read,"
            f" {settings.min_symbols} are wanted"
        )
    row = outline(parse(" ".join(names)))
    return ExtractedPhoto(row, glyphs, likeness, np.zeros((1, 1), np.uint8))


def symbol_names() -> set[str]:
    """The symbols that a font may have a character for."""
    names = {chr(code) for code in range(33, 127)} | (COMMANDS - WORDS)
    names -= _SHAPELESS | {"\\", "{", "}", "%"}  # \{ and \% are the symbols
    return {name for name in names if len(character(name)) == 1 and has_fixed_shape(name)}


def rasterise(shape: Outline, pixels_per_em: int) -> tuple[Mask, tuple[int, int]]:
    """A character filled, and where its corner lies, in pixels right of its start and below the
    base line.

    Contours of fonts may overlap: what is filled is what they run around more often one way than
    the other.
    """
    left, top, right, bottom = (side * pixels_per_em for side in shape.box)
    x, y = int(np.floor(left)) - _MARGIN, int(np.floor(top)) - _MARGIN
    size = (int(np.ceil(bottom)) + _MARGIN - y, int(np.ceil(right)) + _MARGIN - x)
    turns = np.zeros(size, np.int32)
    for polygon in shape.polygons:
        points = polygon * pixels_per_em - np.array((x, y), np.float32)
        filled = np.zeros(size, np.int32)
        fixed = np.rint(points * (1 << SUBPIXEL_BITS)).astype(np.int32)
        cv2.fillPoly(filled, [fixed], 1, cv2.LINE_8, SUBPIXEL_BITS)
        turns += filled * (1 if cv2.contourArea(points, oriented=True) > 0 else -1)
    return (turns != 0).astype(np.uint8), (x, y)
