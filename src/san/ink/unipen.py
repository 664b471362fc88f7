"""UNIPEN, the format of the nineties for pens: the characters of a distribution, one by one.

    for character in isolated_characters(folder):
        character.label, character.writer, character.strokes

A file is lines of keywords and numbers. `.PEN_DOWN`, `.PEN_UP` and `.DT` each begin a piece of the
pen's way; the first is ink. `.SEGMENT CHARACTER 8-11 ? "E"` says which pieces are a character, as
they are counted over a file and over all that it includes.

Design choices
- A distribution has lists in `data/`, which include the recorded pages in `include/`. The second is
  of isolated characters; but some of its contributors cut theirs out of words, so that they end as
  nobody ends them, and some had tablets of 18 steps a character: they are left out.
- Writers are numbered, for in these files some have their names.
- What cannot be understood is passed over, for files of sixteen laboratories differ: a segment of
  pieces that are not there, a label of several letters.
- Files are foreign: their size, how deep they include one another, and how many points they have
  are bounded, and they include nothing from outside of the distribution.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from san.errors import SanError
from san.files import read_file
from san.ink.strokes import Points

LIST = Path("data", "2")
"""The lists of isolated characters of a distribution."""
INCLUDED = Path("include")
LEFT_OUT = frozenset("apa app cea ceb kai".split())
"""Contributors: the first two had coarse tablets, the others cut words into characters."""
MAX_BYTES = 32 << 20
MAX_DEPTH = 4
"""Of files that include files."""
MAX_COORDINATE = 1e6
MAX_POINTS = 2_000_000
"""Of a file and all that it includes."""
_SEGMENT = re.compile(r'\.SEGMENT\s+CHARACTER\s+([\d:,-]+)\s+\S+\s+"(\\?.)"\s*')
_PIECES = {".PEN_DOWN": True, ".PEN_UP": False, ".DT": False}
"""What begins a piece of the way, and whether it is ink."""


class Character(NamedTuple):
    """What somebody wrote by itself; strokes have y down."""

    label: str
    writer: str
    strokes: tuple[Points, ...]


class Piece(NamedTuple):
    """A piece of the pen's way."""

    is_ink: bool
    points: Points
    writer: str


class _File(NamedTuple):
    pieces: list[Piece]
    segments: list[tuple[str, str]]  # pieces, label


def isolated_characters(folder: Path) -> Iterator[Character]:
    """The characters of a distribution; SanError where it is none."""
    lists = sorted(path for path in (folder / LIST).rglob("*") if path.is_file())
    if not lists:
        raise SanError(f"{folder}: no UNIPEN distribution ({LIST}/ has no files)")
    numbers: dict[str, int] = {}
    for path in lists:
        contributor = path.relative_to(folder / LIST).parts[0]
        if contributor in LEFT_OUT:
            continue
        found = _read(path, folder / INCLUDED)
        for pieces, label in found.segments:
            if chosen := _chosen(found.pieces, pieces):
                writer = f"{contributor}/{chosen[0].writer}"
                number = numbers.setdefault(writer, len(numbers) + 1)
                strokes = tuple(piece.points for piece in chosen)
                yield Character(label, f"unipen-{number}", strokes)


def _read(path: Path, included: Path) -> _File:
    """A list, with all pieces of the pages that it includes."""
    pieces: list[Piece] = []
    segments: list[tuple[str, str]] = []
    for line in _lines(path):
        keyword, _, rest = line.partition(" ")
        if keyword == ".INCLUDE":
            pieces += _page(included, rest.strip(), 1)
            if sum(len(piece.points) for piece in pieces) > MAX_POINTS:
                raise SanError(f"{path}: more than {MAX_POINTS:,} points")
        elif found := _SEGMENT.fullmatch(line):
            segments.append((found[1], found[2][-1]))
    return _File(pieces, segments)


@lru_cache(maxsize=64)  # several lists have characters of one page
def _page(included: Path, name: str, depth: int) -> tuple[Piece, ...]:
    """The pieces of a page, one that can be missing."""
    if "\0" in name:
        return ()
    path = (included / name).resolve()
    if depth > MAX_DEPTH or not path.is_relative_to(included.resolve()) or not path.is_file():
        return ()
    pieces: list[Piece] = []
    columns, writer = (0, 1), ""
    is_ink: bool | None = None  # of the piece that is read
    rows: list[tuple[float, float]] = []

    def end() -> None:
        if is_ink is not None and rows:
            points = np.array(rows, np.float32) * np.array((1, -1), np.float32)
            usable = bool((np.abs(points) <= MAX_COORDINATE).all())  # and no NaN
            pieces.append(Piece(is_ink and usable, points, writer))
        rows.clear()

    for line in _lines(path):
        if not line.startswith("."):
            values = line.split()
            with suppress(IndexError, ValueError):  # of a comment that goes on
                rows.append((float(values[columns[0]]), float(values[columns[1]])))
            continue
        end()
        keyword, _, rest = line.partition(" ")
        is_ink = _PIECES.get(keyword)
        if keyword == ".INCLUDE":
            pieces += _page(included, rest.strip(), depth + 1)
        elif keyword == ".WRITER_ID":
            writer = rest.strip()
        elif keyword == ".COORD" and {"X", "Y"} <= set(names := rest.split()):
            columns = names.index("X"), names.index("Y")
    end()
    return tuple(pieces)


def _lines(path: Path) -> Iterator[str]:
    """Its lines without what is around them; latin-1, for some names of writers need it."""
    for line in read_file(path, MAX_BYTES).decode("latin-1").splitlines():
        yield line.replace("\t", " ").strip()


def _chosen(pieces: list[Piece], asked: str) -> list[Piece]:
    """The ink of `3-5,7:12-8`: pieces from 0 on, where a colon says a point; none if one lacks."""
    chosen: list[Piece] = []
    for part in asked.split(","):
        start, _, end = part.partition("-")
        try:
            first, after = _place(start)
            last, until = _place(end or start)
        except ValueError:
            return []
        if not first <= last < len(pieces):
            return []
        for number in range(first, last + 1):
            piece = pieces[number]
            begin = after if number == first and after is not None else 0
            stop = until + 1 if end and number == last and until is not None else None
            points = piece.points[begin:stop]
            if piece.is_ink and len(points):
                chosen.append(Piece(True, points, piece.writer))
    return chosen


def _place(text: str) -> tuple[int, int | None]:
    number, _, point = text.partition(":")
    return int(number), int(point) if point else None
