"""Outlines of printed characters in several typefaces, in one file: all that typesetting needs.

Design choices
- An outline is closed polygons, y downward from the base line, in units of a fraction of an em:
  what draws them needs neither a font nor a library that opens one.
- Typefaces share outlines: a text font without mathematical signs has those of another.
- A character has one outline, or several, each larger than the one before: brackets, sums, roots.
  Letters have two styles: as in formulas, mostly italic, and upright.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.data.container import Arrays, read_arrays, read_index, write_arrays
from san.data.sample import DataError

FORMAT, VERSION = "san-print-fonts", 1
TYPES = {
    "index": "<u1",  # JSON: format, version, faces, characters
    "advance": "<f4",  # (outlines,): from a character to the next, in em
    "contours": "<u4",  # (outlines,): how many polygons each outline has
    "points": "<u4",  # of each polygon: how many points it has
    "corners": "<i2",  # (points, 2): x and y in units
    "face": "<u4",  # of each entry: place of its typeface among the faces
    "character": "<u4",  # of each entry: place of its character among the characters
    "upright": "<u1",  # of each entry: 1 where it is upright by intention
    "outline": "<u4",  # of each entry: the outline; entries of one character grow in size
}
UNITS_PER_EM = 2048
MAX_CORNERS = 1 << 24

Polygon = NDArray[np.float32]
"""(points, 2): x and y in em, y downward from the base line."""


class Outline(NamedTuple):
    """The shape of one character."""

    advance: float  # em to where the next character begins
    polygons: tuple[Polygon, ...]
    box: tuple[float, float, float, float]  # left, top, right, bottom of what is printed, in em


class Character(NamedTuple):
    """Which outlines a typeface has of it."""

    text: str
    upright: bool = False


Face = Mapping[Character, tuple[Outline, ...]]
"""A typeface: of each character the outlines, from the usual size to the largest."""


def outline_of(advance: float, polygons: Sequence[Polygon]) -> Outline:
    """An outline with its box; ValueError where there is nothing to print."""
    if not polygons:
        raise ValueError("an outline without a polygon")
    corners = np.concatenate(polygons)
    left, top = corners.min(axis=0).tolist()
    right, bottom = corners.max(axis=0).tolist()
    return Outline(advance, tuple(polygons), (left, top, right, bottom))


def load_print_fonts(path: str | Path) -> dict[str, Face]:
    """The typefaces of a file by their names, checked; DataError with one line if it has none."""
    try:
        return _faces(read_arrays(Path(path), TYPES))
    except ValueError as error:
        raise DataError(f"{path}: no usable fonts: {error}") from error


def _faces(arrays: Arrays) -> dict[str, Face]:
    index = read_index(arrays["index"], FORMAT, VERSION, ("faces", "characters"))
    names, texts = index["faces"], index["characters"]
    contours, points, corners = arrays["contours"], arrays["points"], arrays["corners"]
    if corners.ndim != 2 or corners.shape[1] != 2 or len(corners) > MAX_CORNERS:
        raise ValueError("corners are not two columns of a possible length")
    if any(arrays[name].ndim != 1 for name in TYPES.keys() - {"corners"}):
        raise ValueError("a list is not one row")
    if len(arrays["advance"]) != len(contours) or not (contours > 0).all():
        raise ValueError("an outline is empty, or has no advance")
    if not np.isfinite(arrays["advance"]).all() or not (points > 2).all():
        raise ValueError("an advance or a polygon is impossible")
    if contours.sum(dtype=np.int64) != len(points) or points.sum(dtype=np.int64) != len(corners):
        raise ValueError("its lists differ in length")
    entries = [arrays[name] for name in ("face", "character", "upright", "outline")]
    if len({len(entry) for entry in entries}) != 1 or not names or not len(entries[0]):
        raise ValueError("it has no typeface, or its lists differ in length")
    for entry, count in zip(entries, (len(names), len(texts), 2, len(contours)), strict=True):
        if entry.max() >= count:
            raise ValueError("an entry is of something that is not there")
    scaled = np.asarray(corners / np.float32(UNITS_PER_EM), np.float32)
    ends = np.concatenate(([0], np.cumsum(points, dtype=np.int64))).tolist()
    polygons: list[Polygon] = [scaled[start:end] for start, end in pairwise(ends)]
    parts = np.concatenate(([0], np.cumsum(contours, dtype=np.int64))).tolist()
    outlines = [
        outline_of(advance, polygons[start:end])
        for advance, (start, end) in zip(arrays["advance"].tolist(), pairwise(parts), strict=True)
    ]
    faces: dict[str, dict[Character, tuple[Outline, ...]]] = {name: {} for name in names}
    for face, text, upright, outline in zip(*(entry.tolist() for entry in entries), strict=True):
        key = Character(texts[text], bool(upright))
        sizes = faces[names[face]].get(key, ())
        faces[names[face]][key] = (*sizes, outlines[outline])
    return dict(faces)


def write_print_fonts(faces: Mapping[str, Face], path: str | Path) -> None:
    """Write typefaces by their names; outlines that are one object are written once."""
    characters = {key.text: 0 for face in faces.values() for key in face}
    characters = {text: place for place, text in enumerate(characters)}
    outlines: dict[int, Outline] = {}
    entries: list[tuple[int, int, int, int]] = []
    for number, face in enumerate(faces.values()):
        for key, sizes in face.items():
            for outline in sizes:
                outlines.setdefault(id(outline), outline)
                entries.append((number, characters[key.text], key.upright, id(outline)))
    place = {key: number for number, key in enumerate(outlines)}
    columns = np.array([(*entry[:3], place[entry[3]]) for entry in entries], np.int64)
    polygons = [polygon for outline in outlines.values() for polygon in outline.polygons]
    index = {
        "format": FORMAT, "version": VERSION, "faces": list(faces), "characters": list(characters)
    }  # fmt: skip
    corners = np.rint(np.concatenate(polygons) * UNITS_PER_EM)
    arrays: Arrays = {
        "index": np.frombuffer(json.dumps(index).encode(), np.uint8),
        "advance": np.array([outline.advance for outline in outlines.values()], "<f4"),
        "contours": np.array([len(outline.polygons) for outline in outlines.values()], "<u4"),
        "points": np.array([len(polygon) for polygon in polygons], "<u4"),
        "corners": corners.clip(-32768, 32767).astype("<i2"),
    }
    for name, column in zip(("face", "character", "upright", "outline"), columns.T, strict=True):
        arrays[name] = column.astype(TYPES[name])
    write_arrays(Path(path), arrays)
