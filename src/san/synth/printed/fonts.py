"""Takes the outlines of characters out of font files, for formulas to be typeset with them.

Design choices
- Typefaces are named with the files that they need, which lie in packages of Debian
  (docs/data.md); those whose files are not there are left out. A typeface is a font of upright
  characters, one of italic letters, and one with mathematical signs and large brackets. A
  mathematical font is all three.
- Curves become polygons here, so that nothing but numpy is needed where samples are made.
- Linux Libertine is never taken: `benchmarks/print.py` reads it, to tell whether print is read or
  only these typefaces.
- A font may be damaged, or made to do harm: what its parser stumbles over is one line, and no
  outline is followed without end.
"""

import logging
from collections.abc import Iterable, Sequence
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from san.data.print_fonts import Character, Face, Outline, Polygon, outline_of
from san.errors import SanError, brief, printable, reason
from san.extras import missing_package
from san.grammar.characters import character
from san.grammar.constructs import CONSTRUCTS
from san.grammar.symbols import COMMANDS, WORDS

FOLDERS = (Path("/usr/share/fonts"), Path("/usr/share/texmf/fonts"))
"""Where Debian's packages put fonts."""


class FaceFiles(NamedTuple):
    """A typeface by the names of its files."""

    upright: str
    italic: str = ""  # none: the font has an alphabet for mathematics
    signs: str = ""  # none: the font has all of them


_MODERN = "latinmodern-math.otf"
_TERMES = "texgyretermes-math.otf"
_SANS = "texgyredejavu-math.otf"
FACES: dict[str, FaceFiles] = {
    "latin modern": FaceFiles(_MODERN),
    "termes": FaceFiles(_TERMES),
    "pagella": FaceFiles("texgyrepagella-math.otf"),
    "bonum": FaceFiles("texgyrebonum-math.otf"),
    "schola": FaceFiles("texgyreschola-math.otf"),
    "dejavu math": FaceFiles(_SANS),
    "asana": FaceFiles("Asana-Math.otf"),
    "stix": FaceFiles("STIXMath-Regular.otf"),
    "katex": FaceFiles("KaTeX_Main-Regular.ttf", "KaTeX_Math-Italic.ttf", _MODERN),
    "latin modern sans": FaceFiles("lmsans10-regular.otf", "lmsans10-oblique.otf", _MODERN),
    "latin modern bold": FaceFiles("lmroman10-bold.otf", "lmroman10-bolditalic.otf", _MODERN),
    "liberation serif": FaceFiles(
        "LiberationSerif-Regular.ttf", "LiberationSerif-Italic.ttf", _TERMES
    ),
    "liberation serif bold": FaceFiles(
        "LiberationSerif-Bold.ttf", "LiberationSerif-BoldItalic.ttf", _TERMES
    ),
    "liberation sans": FaceFiles("LiberationSans-Regular.ttf", "LiberationSans-Italic.ttf", _SANS),
    "dejavu sans": FaceFiles("DejaVuSans.ttf", "DejaVuSans-Oblique.ttf", _SANS),
    "dejavu serif": FaceFiles("DejaVuSerif.ttf", "DejaVuSerif-Italic.ttf", _SANS),
    "caladea": FaceFiles("Caladea-Regular.ttf", "Caladea-Italic.ttf", "Asana-Math.otf"),
    "carlito": FaceFiles("Carlito-Regular.ttf", "Carlito-Italic.ttf", "Asana-Math.otf"),
    "gentium": FaceFiles("GentiumPlus-Regular.ttf", "GentiumPlus-Italic.ttf", _TERMES),
    "charis": FaceFiles("CharisSIL-Regular.ttf", "CharisSIL-Italic.ttf", _TERMES),
    "open sans": FaceFiles("OpenSans-Regular.ttf", "OpenSans-Italic.ttf", _SANS),
    "lato": FaceFiles("Lato-Regular.ttf", "Lato-Italic.ttf", _SANS),
    "heros": FaceFiles("texgyreheros-regular.otf", "texgyreheros-italic.otf", _TERMES),
}
_LAST = ("STIXMath-Regular.otf", _TERMES)
"""What no font of a typeface has is taken from these."""
_SMALL_ITALIC, _CAPITAL_ITALIC, _GREEK_ITALIC = 0x1D44E, 0x1D434, 0x1D6FC
_GREEK_SIGNS = dict(zip("∂ϵϑϰϕϱϖ", range(0x1D715, 0x1D71C), strict=True))
"""Letters for mathematics, as Unicode numbers them; h was there before."""
CURVE_POINTS = 5
"""Of the polygon for each piece of a curve: no corner is seen in letters a hundred pixels high."""
MAX_PARTS = 64
"""Other glyphs that one is put together from."""
MAX_PIECES = 20_000
"""Lines and curves of a glyph: seven times what the roughest brush of a handwriting font has."""
UNITS_PER_EM = (16, 16384)
"""As the format allows."""


def characters() -> list[str]:
    """All that are printed: what symbols look like, and ASCII."""
    names = (COMMANDS | CONSTRUCTS.keys() | {"-"}) - WORDS
    drawn = {rf"\math{style}{{{letter}}}" for style in ("bb", "cal") for letter in "ACDEFHILNQRSZ"}
    found = {character(name) for name in names | drawn}
    found |= {chr(code) for code in range(33, 127)}
    return sorted(text for text in found if len(text) == 1)


def find_faces(folders: Sequence[Path]) -> tuple[dict[str, Face], list[str]]:
    """The typefaces whose files lie in some folders; and the names of the others."""
    files = {path.name: path for folder in folders for path in sorted(folder.rglob("*.[ot]tf"))}
    fonts = {
        name: Font(files[name])
        for name in {name for face in FACES.values() for name in face if name in files}
    }
    faces: dict[str, Face] = {}
    for name, face in FACES.items():
        if all(file in fonts for file in face if file):
            upright, italic, signs = (fonts[file] if file else None for file in face)
            others = [fonts[file] for file in _LAST if file in fonts]
            assert upright is not None
            faces[name] = _face(upright, italic, [signs or upright, *others])
    if not faces:
        raise SanError(
            f"{', '.join(map(str, folders))}: no font of those that formulas are printed with,"
            f" such as {_MODERN}"
        )
    return faces, [name for name in FACES if name not in faces]


def _face(upright: "Font", italic: "Font | None", signs: Sequence["Font"]) -> Face:
    face: dict[Character, tuple[Outline, ...]] = {}
    for text in characters():
        if text.isascii() and text.isalpha() and (outline := upright.outline(ord(text))):
            face[Character(text, True)] = (outline,)
        usual = _usual(text, upright, italic, signs)
        if usual is not None:
            height = usual.box[3] - usual.box[1]
            larger = signs[0].larger(ord(text))
            taller = [outline for outline in larger if outline.box[3] - outline.box[1] > height]
            face[Character(text)] = (usual, *taller)
    return face


def _usual(
    text: str, upright: "Font", italic: "Font | None", signs: Sequence["Font"]
) -> Outline | None:
    """The character as formulas have it: letters are italic, capitals of Greek are not."""
    code, slanted = ord(text), _mathematical(text)
    wanted: list[tuple[Font, int]] = []
    if slanted is not None:
        wanted = [(italic, code)] if italic is not None else [(upright, slanted)]
        wanted += [(font, slanted) for font in signs]
    elif text.isascii():  # digits and punctuation look as in the text around
        wanted = [(upright, code)]
    wanted += [(font, code) for font in (*signs, upright)]
    return next((found for font, number in wanted if (found := font.outline(number))), None)


def _mathematical(text: str) -> int | None:
    """The code of a letter in the alphabet for mathematics, if it is slanted there."""
    code = ord(text)
    if text == "h":
        return 0x210E
    if "a" <= text <= "z":
        return _SMALL_ITALIC + code - ord("a")
    if "A" <= text <= "Z":
        return _CAPITAL_ITALIC + code - ord("A")
    if "α" <= text <= "ω":
        return _GREEK_ITALIC + code - ord("α")
    return _GREEK_SIGNS.get(text)


class Font:
    """A font file; SanError where it is none, or is damaged."""

    def __init__(self, path: Path) -> None:
        try:
            from fontTools.ttLib import TTFont
        except ModuleNotFoundError as error:
            raise missing_package(error, "train") from None
        # Of dates, say, that are no matter here; what does matter is raised.
        logging.getLogger("fontTools").setLevel(logging.CRITICAL)
        self._path = path
        try:
            font = TTFont(BytesIO(path.read_bytes()), lazy=True)
            self._characters: dict[int, str] = font.getBestCmap() or {}
            self._glyphs: Any = font.getGlyphSet()
            self._units: float = font["head"].unitsPerEm
            self._larger = _larger_glyphs(font)
        except Exception as error:  # of any class: its parsers check little
            raise self._unreadable(error) from None
        low, high = UNITS_PER_EM
        if not low <= self._units <= high:
            raise self._unreadable(ValueError(f"an em of {self._units} units"))
        self._outlines: dict[str, Outline | None] = {}

    def outline(self, code: int) -> Outline | None:
        name = self._characters.get(code)
        return None if name is None else self._outline(name)

    def larger(self, code: int) -> list[Outline]:
        """The same character for taller content, each taller than the one before."""
        names = self._larger.get(self._characters.get(code, ""), ())
        return [outline for name in names if (outline := self._outline(name)) is not None]

    def _outline(self, name: str) -> Outline | None:
        if name not in self._outlines:
            try:
                polygons = _polygons(_Parts(self._glyphs), name, self._units)
                advance = self._glyphs[name].width / self._units
            except Exception as error:  # as above
                raise self._unreadable(error) from None
            self._outlines[name] = outline_of(advance, polygons) if polygons else None
        return self._outlines[name]

    def _unreadable(self, error: Exception) -> SanError:
        why = reason(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        return SanError(f"{self._path}: not a font that can be read: {brief(printable(why))}")


class _Parts:
    """The glyphs of a font, for the outline of one: it may not be put together without end."""

    def __init__(self, glyphs: Any) -> None:
        self._glyphs, self._taken = glyphs, 0

    def __getitem__(self, name: str) -> Any:
        self._taken += 1
        if self._taken > MAX_PARTS:
            raise ValueError(f"{name} is one of more than {MAX_PARTS} parts")
        return self._glyphs[name]


def _larger_glyphs(font: Any) -> dict[str, list[str]]:
    """By the names of glyphs, from the table of a mathematical font."""
    if "MATH" not in font:
        return {}
    variants = font["MATH"].table.MathVariants
    if variants is None or variants.VertGlyphCoverage is None:
        return {}
    return {
        name: [record.VariantGlyph for record in construction.MathGlyphVariantRecord]
        for name, construction in zip(
            variants.VertGlyphCoverage.glyphs, variants.VertGlyphConstruction, strict=True
        )
    }


def _polygons(glyphs: _Parts, name: str, units: float) -> list[Polygon]:
    from fontTools.pens.recordingPen import DecomposingRecordingPen

    pen = DecomposingRecordingPen(glyphs)
    glyphs[name].draw(pen)
    if len(pen.value) > MAX_PIECES:
        raise ValueError(f"{name} has more than {MAX_PIECES} lines and curves")
    polygons: list[list[tuple[float, float]]] = []
    for command, points in pen.value:
        if command == "moveTo":
            polygons.append([points[0]])
        elif command == "lineTo":
            polygons[-1].append(points[0])
        elif command == "curveTo":
            polygons[-1] += _curve((polygons[-1][-1], *points))
        elif command == "qCurveTo":
            if points[-1] is None:  # a contour of curves alone begins between two of its points
                (x, y), (u, v) = points[-2], points[0]
                polygons.append([((x + u) / 2, (y + v) / 2)])
                points = (*points[:-1], polygons[-1][0])
            for control, end in _quadratics(points):
                polygons[-1] += _curve((polygons[-1][-1], control, end))
    flipped = np.array((1, -1), np.float32) / np.float32(units)
    return [np.array(polygon, np.float32) * flipped for polygon in polygons if len(polygon) > 2]


def _quadratics(
    points: Sequence[tuple[float, float]],
) -> Iterable[tuple[tuple[float, float], tuple[float, float]]]:
    """Pieces of a TrueType curve: between two controls lies an end in the middle."""
    *controls, last = points
    for place, control in enumerate(controls):
        if place + 1 < len(controls):
            following = controls[place + 1]
            yield control, ((control[0] + following[0]) / 2, (control[1] + following[1]) / 2)
        else:
            yield control, last


def _curve(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points along a Bezier curve after its first one."""
    shares = np.linspace(0, 1, CURVE_POINTS + 1)[1:, None]
    level = [np.array(point, np.float64) for point in points]
    curves: list[Any] = level
    while len(curves) > 1:
        curves = [(1 - shares) * first + shares * second for first, second in pairwise(curves)]
    return [(float(x), float(y)) for x, y in curves[0]]
