"""A photograph whose symbols have places, and what can be cut out of it.

Design choices
- Pieces of ink are cut apart, never pixels: what two symbols share stays together, and symbols that
  overlap by their slant come apart as cleanly as those with white between them.
- A cut goes between two symbols of the main line that both have places, scripts included. Ink that
  nobody knows is on one side if it lies beside one of the two and not beyond the other; what lies
  between them, or across, forbids the cut.
- There must be about as much ink that nobody knows as there are symbols without places. Some labels
  tell of ink that was lost, or are silent about what is there: such parts are not used.
- Those pieces are found once, for all clippings of a photograph; they are few.
- A clipping is a photograph of its own, to be written on: ink, whose it is, and the symbols.
"""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.grammar.tree import NOTHING, Expression, Relation
from san.ink.draw import FIELD_PEN
from san.synth.layout.outline import Outline, outline
from san.synth.sample import Boxes

Marks = NDArray[np.uint8]
"""As large as a picture; 0: nothing."""
EDGE = FIELD_PEN.margin
"""Pixels around a clipping: new glyphs may reach a little beyond the old."""
LEAST = 2
"""Symbols of a part."""
FAINT, BOLD, STRAY = 0.35, 2.5, 0.1
"""Ink of a symbol without a place, at least and at most, and of none: in symbols that have one."""
DOTS = (".", ",", ";", ":", r"\cdot", r"\prime", r"\circ", r"\ldots", r"\cdots")
"""What these are is told by how high they stand beside the symbol before them: none is cut off."""
_SPANNING = {r"\frac": (Relation.ABOVE, Relation.BELOW), r"\sqrt": (Relation.INSIDE,)}
"""What hangs on these stands within their width, whether it has a place or not."""


class Part(NamedTuple):
    """What lies between two cuts; None: the line's own beginning or end."""

    symbols: int
    start: "Cut | None"
    end: "Cut | None"


class Cut(NamedTuple):
    """Before this symbol of the main line; and between which columns nothing may lie."""

    place: int
    low: int
    high: int


class Strangers(NamedTuple):
    """Pieces of ink that nobody knows."""

    pixels: NDArray[np.intp]  # of the flat picture
    pieces: NDArray[np.int32]  # of each of those pixels: which one it belongs to
    lefts: NDArray[np.int32]
    rights: NDArray[np.int32]

    def written_on(self, owner: Marks, which: NDArray[np.bool_]) -> Marks:
        """All ink that somebody owns, and some of these pieces."""
        ink = (owner > 0).view(np.uint8)
        ink.reshape(-1)[self.pixels[which[self.pieces]]] = 1
        return ink


@dataclass
class Clipping:
    """Ink to be written on."""

    ink: Marks  # 1 where there is ink
    owner: Marks  # k + 1 where symbol k of the walk is written
    tree: Expression
    shape: Outline
    boxes: Boxes  # of each symbol in pixels; NaN: no place
    width: float  # of its strokes
    em: float | None = None  # how large its main line is written, if that is known

    @property
    def line(self) -> list[int]:
        """The symbols of the main line."""
        return self.shape.chain(0)

    def is_sound(self) -> bool:
        """Whether all that is written is told, and the other way round, as far as ink can tell."""
        known = int(np.isfinite(self.boxes[:, 0]).sum())
        told = int(np.count_nonzero(self.owner))
        if not known:
            return False
        untold = (int(np.count_nonzero(self.ink)) - told) / (told / known)
        lost = sum(name != NOTHING for name in self.shape.names) - known
        return FAINT * lost <= untold <= STRAY + BOLD * lost

    def extent(self) -> tuple[int, int, int, int]:
        """Left, top, right, bottom of the ink."""
        return _extent(self.ink)


class Source:
    """A photograph that may be cut."""

    def __init__(self, tree: Expression, ink: Marks, owner: Marks, width: float) -> None:
        self.tree, self.owner, self.width = tree, owner, width
        self.shape = outline(tree)
        self.line = self.shape.chain(0)
        self.boxes = boxes_of(owner, len(self.shape))
        self.ends = [*self.line, len(self.shape)]
        self.strangers = _strangers(ink, owner)
        told_apart = len(self.shape) <= np.iinfo(owner.dtype).max
        self.cuts = self._cuts() if told_apart else []
        self._parts = self._cut_out()

    def parts(self, most: int) -> list["Part"]:
        """What can be cut out, of two symbols or more and not more than so many."""
        return self._parts[: bisect_right(self._parts, most, key=lambda own: own.symbols)]

    def gaps(self) -> list[float]:
        """Pixels between neighbours of the main line, where both have places."""
        around = [self.around(place) for place in range(len(self.line))]
        return [
            float(other[0] - one[2])
            for one, other in pairwise(around)
            if one is not None and other is not None
        ]

    def whole(self) -> Clipping:
        ink = self.strangers.written_on(self.owner, np.ones_like(self.strangers.lefts, np.bool_))
        return Clipping(
            ink, self.owner.copy(), self.tree, self.shape, self.boxes.copy(), self.width
        )

    def clipping(self, part: Part) -> Clipping:
        """What lies between two cuts, or before or behind one, with an edge around it."""
        _, start, end = part
        keep = np.ones_like(self.strangers.lefts, np.bool_)
        first, last = 0, len(self.shape)
        if start:
            keep &= self.strangers.lefts >= start.low
            first = self.ends[start.place]
        if end:
            keep &= self.strangers.rights <= end.high
            last = self.ends[end.place]
        number = np.zeros(256, np.uint8)
        number[first + 1 : last + 1] = range(1, last - first + 1)
        owner = np.asarray(cv2.LUT(self.owner, number), np.uint8)
        ink = self.strangers.written_on(owner, keep)
        left, top, right, bottom = _extent(ink)
        inside = (slice(top, bottom), slice(left, right))
        symbols = self.tree.symbols[
            start.place if start else 0 : end.place if end else len(self.tree.symbols)
        ]
        tree = Expression(symbols)
        moved = self.boxes[first:last] - np.array((left - EDGE, top - EDGE) * 2, np.float32)
        return Clipping(
            edged(ink[inside], EDGE, EDGE),
            edged(owner[inside], EDGE, EDGE),
            tree,
            outline(tree),
            moved,
            self.width,
        )

    def around(self, place: int) -> NDArray[np.float32] | None:
        """The box of a symbol of the main line and of its scripts, if their places are known."""
        first, last = self.ends[place], self.ends[place + 1]
        name = self.shape.names[first]
        needed = {first, *range(first + 1, last)}
        for relation in _SPANNING.get(name, ()):
            at = self.shape.parts[first].get(relation, -1)
            while at >= 0:
                needed -= {*range(at, at + self.shape.sizes[at])}
                at = self.shape.following[at]
        boxes = self.boxes[first:last]
        if not np.isfinite(self.boxes[sorted(needed), 0]).all():
            return None
        known = boxes[np.isfinite(boxes[:, 0])]
        return np.concatenate((known[:, :2].min(axis=0), known[:, 2:].max(axis=0)))

    def _cuts(self) -> list[Cut]:
        found = []
        around = [self.around(place) for place in range(len(self.line))]
        lefts, rights = self.strangers.lefts, self.strangers.rights
        for place in range(1, len(self.line)):
            one, other = around[place - 1], around[place]
            if one is None or other is None or self.shape.names[self.line[place]] in DOTS:
                continue
            low, high = sorted((int(one[2]), int(other[0])))
            before = (lefts < low) & (rights <= high)
            behind = (lefts >= low) & (rights > high)
            if (before | behind).all():
                found.append(Cut(place, low, high))
        return found

    def _cut_out(self) -> list[Part]:
        """All parts but the whole, the shortest first."""
        starts: list[Cut | None] = [None, *self.cuts]
        ends: list[Cut | None] = [*self.cuts, None]
        found = []
        for number, start in enumerate(starts):
            for end in ends[number:]:
                first = self.ends[start.place] if start else 0
                last = self.ends[end.place] if end else len(self.shape)
                if last - first >= LEAST and (start or end):
                    found.append(Part(last - first, start, end))
        return sorted(found, key=lambda own: own.symbols)


def boxes_of(owner: Marks, count: int) -> Boxes:
    """Where each symbol's pixels are."""
    boxes = np.full((count + 1, 4), np.nan, np.float32)
    ys, xs = np.nonzero(owner)
    if len(ys):
        whose = owner[ys, xs]
        order = np.argsort(whose, kind="stable")
        names, starts = np.unique(whose[order], return_index=True)
        for column, (values, least) in enumerate(((xs, 1), (ys, 1), (xs, 0), (ys, 0))):
            ends = (np.minimum if least else np.maximum).reduceat(values[order], starts)
            boxes[names, column] = ends + (1 - least)
    return boxes[1:]


def _strangers(ink: Marks, owner: Marks) -> Strangers:
    bare = ((ink > 0) & (owner == 0)).astype(np.uint8)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(bare, connectivity=8)
    pixels = np.flatnonzero(bare)
    lefts, widths = stats[1:, 0], stats[1:, 2]
    return Strangers(pixels, labels.ravel()[pixels] - 1, lefts.copy(), lefts + widths)


def edged(marks: Marks, near: int, far: int) -> Marks:
    """With so many empty pixels to the left and above, and to the right and below."""
    sides = (near, far, near, far)
    return np.asarray(cv2.copyMakeBorder(marks, *sides, cv2.BORDER_CONSTANT, value=0), np.uint8)


def _extent(marks: Marks) -> tuple[int, int, int, int]:
    left, top, width, height = cv2.boundingRect(marks)
    return left, top, left + width, top + height
