"""A packed corpus in one file: all that training needs, and nothing to parse or draw.

Design choices
- Two-valued pictures (drawn ink, bitmaps) are kept as bits, photographs as the bytes of their
  files; ink is there as strokes too, so that training can draw it anew (docs/data.md).
- Everything stays packed in memory; one sample is unpacked when it is asked for.
- All that indexing relies on is checked when the file is loaded, so that a damaged file is one
  clear line then and no crash later.
- Imports no library that opens strangers' files: a machine that trains has no need of those.
"""

import json
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from san.data.container import Arrays, read_arrays, read_index, write_arrays
from san.data.packed_ink import Steps, to_ink, to_steps
from san.data.sample import DataError, Sample
from san.errors import brief
from san.files import UNPACKING, FileError, open_zip
from san.grammar import Expression, parse, to_latex
from san.ink.draw import Picture, draw
from san.ink.strokes import Glyph, Ink, box_of

PACK_SUFFIX = ".npz"
FORMAT, VERSION = "san-pack", 1
TYPES = {
    "index": "<u1",  # JSON: format, version, ids, latex, labels (of glyphs)
    "shape": "<u4",  # (n, 2): height and width of each picture
    "file_bytes": "<u4",  # (n,): length of its file; 0 where the picture is kept as bits
    "files": "<u1",  # the files, one after the other
    "bits": "<u1",  # the pictures kept as bits: rows of whole bytes, 1 is white
    "strokes": "<u4",  # (n,): how many strokes each sample has; 0 where there is no ink
    "points": "<u4",  # how many points each stroke has
    "steps": "<u2",  # (2, points): from point to point, x then y, in sixteenths of a pixel
    "glyphs": "<u4",  # (n,): how many symbols the segmentation of each sample has
    "glyph_label": "<u4",  # of each symbol: place of its label among the labels
    "glyph_strokes": "<u4",  # of each symbol: how many strokes it has
    "glyph_stroke": "<u4",  # the strokes of all symbols, counted within their sample
}
TWO_ROWED = {"shape", "steps"}
MAX_PIXELS = 1 << 28

Counts = NDArray[np.int64]


class Pack:
    """A packed corpus. Samples are known by their place, 0 to len(pack) - 1."""

    ids: Sequence[str]
    latex: Sequence[str]  # canonical

    def __init__(self, arrays: Arrays) -> None:
        """ValueError where the arrays do not fit together; use `Pack.load` for a file."""
        index = read_index(arrays["index"], FORMAT, VERSION, ("ids", "latex", "labels"))
        self.ids, self.latex, self._labels = index["ids"], index["latex"], index["labels"]
        self._arrays = arrays
        self._check()

    @classmethod
    def load(cls, path: str | Path) -> "Pack":
        """Load a pack, checked; DataError with one line if it is none."""
        try:
            return cls(read_arrays(Path(path), TYPES))
        except ValueError as error:
            raise DataError(f"{path}: not a usable pack: {error}") from error

    def __len__(self) -> int:
        return len(self.ids)

    def tree(self, place: int) -> Expression:
        return parse(self.latex[place])

    def shape(self, place: int) -> tuple[int, int]:
        """Height and width of a picture, without unpacking it."""
        height, width = self._arrays["shape"][place].tolist()
        return height, width

    def image(self, place: int) -> Picture:
        """The picture, as it was packed; ink is drawn white on black."""
        if self._arrays["file_bytes"][place]:
            return self._photograph(place)
        height, width = self.shape(place)
        start, end = self._bits_ends[place], self._bits_ends[place + 1]
        rows = self._arrays["bits"][start:end].reshape(height, -1)
        return np.unpackbits(rows, axis=1, count=width) * np.uint8(255)

    @property
    def is_black_and_white(self) -> bool:
        """Whether all pictures have two values a pixel: drawn ink, bitmaps, cleaned photographs."""
        return not self._arrays["file_bytes"].any()

    def ink(self, place: int) -> Ink | None:
        """The strokes in pixels of the picture, or None; `draw(ink, scale=1)` is the picture."""
        start, end = self._stroke_ends[place], self._stroke_ends[place + 1]
        if start == end:
            return None
        first, last = self._point_ends[start], self._point_ends[end]
        return to_ink(self._arrays["steps"][:, first:last].T, self._arrays["points"][start:end])

    def glyphs(self, place: int) -> tuple[Glyph, ...]:
        """The symbols that the ink's writers or collectors marked."""
        ink = self.ink(place)
        if ink is None:
            return ()
        glyphs = []
        for number in range(self._glyph_ends[place], self._glyph_ends[place + 1]):
            start, end = self._glyph_stroke_ends[number], self._glyph_stroke_ends[number + 1]
            strokes = tuple(self._arrays["glyph_stroke"][start:end].tolist())
            label = self._labels[self._arrays["glyph_label"][number]]
            glyphs.append(Glyph(label, strokes, box_of(ink.strokes[stroke] for stroke in strokes)))
        return tuple(glyphs)

    def _photograph(self, place: int) -> Picture:
        from san.images.open import ImageError, open_image  # Pillow is needed for photographs only

        start, end = self._file_ends[place], self._file_ends[place + 1]
        try:
            picture = open_image(self._arrays["files"][start:end].tobytes())
        except ImageError as error:
            raise DataError(f"{self.ids[place]}: {error}") from error
        if picture.shape != self.shape(place):
            raise DataError(f"{self.ids[place]}: its picture has not the size that the pack says")
        return picture

    @cached_property
    def _bits_ends(self) -> Counts:
        shape = self._arrays["shape"].astype(np.int64)
        row_bytes = (shape[:, 1] + 7) // 8
        return _ends(np.where(self._arrays["file_bytes"] > 0, 0, shape[:, 0] * row_bytes))

    @cached_property
    def _file_ends(self) -> Counts:
        return _ends(self._arrays["file_bytes"])

    @cached_property
    def _stroke_ends(self) -> Counts:
        return _ends(self._arrays["strokes"])

    @cached_property
    def _point_ends(self) -> Counts:
        return _ends(self._arrays["points"])

    @cached_property
    def _glyph_ends(self) -> Counts:
        return _ends(self._arrays["glyphs"])

    @cached_property
    def _glyph_stroke_ends(self) -> Counts:
        return _ends(self._arrays["glyph_strokes"])

    def _check(self) -> None:
        have = self._arrays
        n = len(self.ids)
        if len(set(self.ids)) != n:
            raise ValueError("two samples have one id")
        if len(self.latex) != n or have["shape"].shape != (n, 2):
            raise ValueError("its lists differ in length")
        for name in TYPES.keys() - TWO_ROWED:
            if have[name].ndim != 1:
                raise ValueError(f"{name} is not one row")
        for name in ("file_bytes", "strokes", "glyphs"):
            if have[name].shape != (n,):
                raise ValueError(f"{name} has not one entry a sample")
        area = have["shape"].astype(np.uint64).prod(axis=1)
        if not ((area > 0) & (area <= MAX_PIXELS)).all():
            raise ValueError("a picture has an impossible size")
        if have["steps"].ndim != 2 or len(have["steps"]) != 2:
            raise ValueError("steps is not two rows")
        for name, ends, length in (
            ("bits", self._bits_ends, have["bits"].size),
            ("files", self._file_ends, have["files"].size),
            ("points", self._stroke_ends, have["points"].size),
            ("steps", self._point_ends, have["steps"].shape[1]),
            ("glyph_label", self._glyph_ends, have["glyph_label"].size),
            ("glyph_strokes", self._glyph_ends, have["glyph_strokes"].size),
            ("glyph_stroke", self._glyph_stroke_ends, have["glyph_stroke"].size),
        ):
            if ends[-1] != length:
                raise ValueError(f"{name} has {length} entries where {ends[-1]} are announced")
        if not (have["points"] > 0).all() or not (have["glyph_strokes"] > 0).all():
            raise ValueError("a stroke or a symbol is empty")
        if not (have["glyph_label"] < len(self._labels)).all():
            raise ValueError("a symbol has no label")
        owner = np.repeat(np.repeat(np.arange(n), have["glyphs"]), have["glyph_strokes"])
        if not (have["glyph_stroke"] < have["strokes"][owner]).all():
            raise ValueError("a symbol has a stroke that is not there")


def is_pack(path: str | Path) -> bool:
    """Whether a file is meant as a pack: by its suffix, or by what it holds."""
    if Path(path).suffix.lower() == PACK_SUFFIX:
        return True
    try:
        with open_zip(Path(path)) as archive:
            return "index.npy" in archive.namelist()
    except (OSError, FileError, *UNPACKING):
        return False


def open_photographs(path: str | Path) -> Pack:
    """A pack of cleaned photographs; DataError where they are not cleaned."""
    pack = Pack.load(path)
    if not pack.is_black_and_white:
        raise DataError(f"{path}: these photographs are not cleaned; pack them with --clean")
    return pack


def _ends(counts: NDArray[Any]) -> Counts:
    """Where each of some runs begins; and, last, where all end."""
    return np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))


def write_pack(samples: Iterable[Sample], path: str | Path) -> int:
    """Pack the samples and return how many there were; if there were none, no file is written."""
    packer = _Packer()
    for sample in samples:
        packer.add(sample)
    if packer.ids:
        packer.write(Path(path))
    return len(packer.ids)


class _Packer:
    """Gathers samples, each as small as it will be in the file (before deflation)."""

    def __init__(self) -> None:
        self.ids: dict[str, None] = {}  # in order
        self.latex: list[str] = []
        self.labels: dict[str, int] = {}
        self.bits, self.files = bytearray(), bytearray()
        self.steps: list[Steps] = [np.empty((0, 2), np.uint16)]
        self.counts = {name: array("I") for name, kind in TYPES.items() if kind == "<u4"}

    def add(self, sample: Sample) -> None:
        if sample.id in self.ids:
            raise ValueError(f"two samples have the id {brief(sample.id)!r}")
        self.ids[sample.id] = None
        self.latex.append(to_latex(sample.tree))
        self.counts["strokes"].append(len(sample.ink.strokes) if sample.ink else 0)
        self.counts["glyphs"].append(len(sample.glyphs))
        if sample.ink is not None:
            self.add_picture(self.add_ink(sample.ink), b"")
        else:
            self.add_picture(sample.picture(), sample.encoded)
        for glyph in sample.glyphs:
            self.add_glyph(glyph)

    def add_ink(self, ink: Ink) -> Picture:
        """Keeps the ink and draws it as kept: what is drawn from the pack later is the same."""
        lengths = np.array([len(stroke) for stroke in ink.strokes])
        steps = to_steps(ink)
        self.steps.append(steps)
        self.counts["points"].extend(lengths.tolist())
        return draw(to_ink(steps, lengths), scale=1)

    def add_picture(self, picture: Picture, encoded: bytes) -> None:
        """Keeps two values a pixel as bits, anything else as the file that it came from."""
        white = picture == 255
        if (white | (picture == 0)).all():
            self.bits += np.packbits(white, axis=1).tobytes()
            encoded = b""
        elif not encoded:
            raise ValueError("a grey picture is packed as its file, and this one has none")
        self.files += encoded
        self.counts["file_bytes"].append(len(encoded))
        self.counts["shape"].extend(picture.shape)

    def add_glyph(self, glyph: Glyph) -> None:
        self.counts["glyph_label"].append(self.labels.setdefault(glyph.label, len(self.labels)))
        self.counts["glyph_strokes"].append(len(glyph.strokes))
        self.counts["glyph_stroke"].extend(glyph.strokes)

    def write(self, path: Path) -> None:
        index = {
            "format": FORMAT,
            "version": VERSION,
            "ids": list(self.ids),
            "latex": self.latex,
            "labels": list(self.labels),
        }
        arrays = {name: np.array(counts, "<u4") for name, counts in self.counts.items()}
        arrays["shape"] = arrays["shape"].reshape(-1, 2)
        # A row for x and one for y: each is smoother by itself, and deflates better.
        arrays["steps"] = np.ascontiguousarray(np.concatenate(self.steps).T, "<u2")
        arrays["index"] = np.frombuffer(json.dumps(index).encode(), np.uint8)
        arrays["bits"] = np.frombuffer(self.bits, np.uint8)
        arrays["files"] = np.frombuffer(self.files, np.uint8)
        write_arrays(path, arrays)
