"""Symbol masks: which pixels of cleaned photographs are which symbol, in one file for a pack.

Design choices
- A small picture for each photograph: 0 where nobody knows, k + 1 where symbol k of the tree's walk
  is written. Only whole pieces of ink are labelled, and only where there is no doubt
  (`san.synth.extraction`).
- With each goes how wide its strokes are, for exchanged glyphs to be as wide, and its label: masks
  of another tree, or of another picture, are refused.
- Photographs are known by their ids, so that a file serves any part of the pack it was made of.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.data.container import Arrays, read_arrays, read_index, write_arrays
from san.data.pack import Pack
from san.data.sample import DataError

FORMAT, VERSION = "san-places", 1
TYPES = {
    "index": "<u1",  # JSON: format, version, ids, latex
    "shape": "<u4",  # (n, 2): height and width of each photograph
    "width": "<f4",  # (n,): of its strokes, in pixels
    "labels": "<u1",  # the pictures, row by row, one after the other
}
MAX_SYMBOLS = 255
"""Symbols of a photograph that a mask can tell apart."""
MAX_PIXELS = 1 << 28
MAX_STROKE_WIDTH = 100.0
"""Pixels of a stroke: no writing has more."""

MaskLabels = NDArray[np.uint8]


class PhotoMask(NamedTuple):
    """The mask of one photograph."""

    latex: str  # canonical
    labels: MaskLabels
    width: float


class PhotoMasks:
    """Symbol masks of some photographs."""

    def __init__(self, arrays: Arrays) -> None:
        """ValueError where the arrays do not fit together; use `PhotoMasks.load` for a file."""
        index = read_index(arrays["index"], FORMAT, VERSION, ("ids", "latex"))
        ids, self._latex = index["ids"], index["latex"]
        count = len(ids)
        self._number = {name: number for number, name in enumerate(ids)}
        self._shape, self._width = arrays["shape"], arrays["width"]
        self._labels = arrays["labels"]
        if len(self._number) != count or len(self._latex) != count:
            raise ValueError("its lists differ in length, or two photographs have one id")
        if self._shape.shape != (count, 2) or self._width.shape != (count,):
            raise ValueError("its lists differ in length")
        area = self._shape.astype(np.uint64).prod(axis=1)
        if not ((area > 0) & (area <= MAX_PIXELS)).all():
            raise ValueError("a photograph has an impossible size")
        if not ((self._width > 0) & (self._width <= MAX_STROKE_WIDTH)).all():
            raise ValueError("strokes have an impossible width")
        self._ends = np.concatenate(([0], np.cumsum(area, dtype=np.int64)))
        if self._labels.shape != (self._ends[-1],):
            raise ValueError("its pictures are not as large as announced")

    @classmethod
    def load(cls, path: str | Path) -> "PhotoMasks":
        """Load masks, checked; DataError with one line if these are none."""
        try:
            return cls(read_arrays(Path(path), TYPES))
        except ValueError as error:
            raise DataError(f"{path}: no usable masks: {error}") from error

    def __len__(self) -> int:
        return len(self._number)

    def of(self, name: str) -> PhotoMask | None:
        """The mask of a photograph, by its id."""
        number = self._number.get(name)
        if number is None:
            return None
        labels = self._labels[self._ends[number] : self._ends[number + 1]]
        height, width = self._shape[number].tolist()
        mask = labels.reshape(height, width)
        return PhotoMask(self._latex[number], mask, float(self._width[number]))

    def check(self, photos: Pack) -> None:
        """DataError unless these are masks of those photographs."""
        if not any(name in self._number for name in photos.ids):
            raise DataError("these are masks of other photographs")
        for place, name in enumerate(photos.ids):
            mask = self.of(name)
            if mask is None:
                continue
            if mask.latex != photos.latex[place] or mask.labels.shape != photos.shape(place):
                raise DataError(f"{name}: its mask is that of another photograph")
            symbols = sum(1 for _ in photos.tree(place).walk())
            if mask.labels.max() > symbols or (mask.labels[photos.image(place) == 0] > 0).any():
                raise DataError(f"{name}: its mask is not on its ink")


def write_photo_masks(marked: Mapping[str, PhotoMask], path: str | Path) -> None:
    """Write the masks of some photographs, by their ids; not of blots that no pen made."""
    marked = {name: mask for name, mask in marked.items() if 0 < mask.width <= MAX_STROKE_WIDTH}
    if not marked:
        raise DataError(f"{path}: there are no masks to write")
    index = {
        "format": FORMAT,
        "version": VERSION,
        "ids": list(marked),
        "latex": [mask.latex for mask in marked.values()],
    }
    arrays = {
        "index": np.frombuffer(json.dumps(index).encode(), np.uint8),
        "shape": np.array([mask.labels.shape for mask in marked.values()], "<u4"),
        "width": np.array([mask.width for mask in marked.values()], "<f4"),
        "labels": np.concatenate([mask.labels.ravel() for mask in marked.values()]),
    }
    write_arrays(Path(path), arrays)
