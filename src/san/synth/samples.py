"""What samples are made from (ink, photographs with labelled pixels), and what they are.

The sources are protocols: `san.data.pack.Pack` is both of the first two; tests and the copybook
have their own. A sample that was made is a picture, its tree, and the box of every symbol.
"""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from san.grammar.productions import unfold
from san.grammar.tree import Expression
from san.ink.draw import Picture
from san.ink.strokes import Glyph, Ink

Boxes = NDArray[np.float32]
"""Rows of left, top, right, bottom in pixels; NaN where a box is not known."""


class SynthSample(NamedTuple):
    """A picture, what is written on it, and where."""

    picture: Picture
    tree: Expression
    boxes: Boxes
    """(steps, 4): a row for each step of unfold(tree); NaN where a step writes no symbol, or where
    its place is not known."""


class InkSample(NamedTuple):
    """Strokes, what is written with them, and the symbol that each of them is of."""

    ink: Ink
    tree: Expression
    symbols: tuple[str, ...]
    """Of each stroke; empty where it is of none, or of two at once, or where that is not known."""
    owners: tuple[int, ...]
    """Which strokes are of one symbol: equal numbers, -1 for those of two at once."""


def boxes_of_steps(boxes: Boxes, steps: Sequence[int], step_count: int) -> Boxes:
    """Boxes of symbols, in walk order, as rows of the steps that write them."""
    rows = np.full((step_count, 4), np.nan, np.float32)
    rows[list(steps)] = boxes[: len(steps)]
    return rows


class InkSamples(Protocol):
    """Expressions as ink, segmented into glyphs."""

    ids: Sequence[str]

    def __len__(self) -> int: ...

    def tree(self, place: int) -> Expression: ...

    def ink(self, place: int) -> Ink | None: ...

    def glyphs(self, place: int) -> tuple[Glyph, ...]: ...


class Photographs(Protocol):
    """Cleaned photographs of expressions."""

    ids: Sequence[str]

    def __len__(self) -> int: ...

    def tree(self, place: int) -> Expression: ...

    def image(self, place: int) -> Picture: ...


def as_packed(photos: Photographs, place: int) -> SynthSample:
    """A photograph as it is; where its symbols stand is not known."""
    tree = photos.tree(place)
    unknown = np.full((len(unfold(tree)), 4), np.nan, np.float32)
    return SynthSample(photos.image(place), tree, unknown)


class SymbolMask(Protocol):
    """Which pixels of a photograph are which symbol, and how wide its strokes are."""

    @property
    def labels(self) -> NDArray[np.uint8]: ...

    @property
    def width(self) -> float: ...


class SymbolMasks(Protocol):
    """The masks of some photographs, by their ids (`san.data.photo_masks`)."""

    def of(self, name: str, /) -> SymbolMask | None: ...


class LabelledPhotos(NamedTuple):
    """Photographs together with the masks of their symbols."""

    photos: Photographs
    masks: SymbolMasks


def boxes_of_labels(labels: NDArray[np.uint8], count: int) -> Boxes:
    """The boxes of `count` symbols, from the pixels that a mask labels; NaN where it has none."""
    boxes = np.full((count + 1, 4), np.nan, np.float32)
    ys, xs = np.nonzero(labels)
    if len(ys):
        symbols = labels[ys, xs]
        order = np.argsort(symbols, kind="stable")
        names, starts = np.unique(symbols[order], return_index=True)
        for column, (values, least) in enumerate(((xs, 1), (ys, 1), (xs, 0), (ys, 0))):
            ends = (np.minimum if least else np.maximum).reduceat(values[order], starts)
            boxes[names, column] = ends + (1 - least)
    return boxes[1:]
