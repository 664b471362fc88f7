"""A photograph with the masks of its symbols, and what can be cut out of it.

Design choices
- Connected components are cut apart, never pixels: what two symbols share stays together, and
  symbols that overlap by their slant come apart as cleanly as those with white between them.
- A cut goes between two symbols of the main line that both have masks, scripts included.
  Unassigned ink is on one side if it lies beside one of the two and not beyond the other; what lies
  between them, or across, forbids the cut.
- There must be about as much unassigned ink as there are symbols without masks. Some labels tell of
  ink that was lost, or are silent about what is there: such parts are not used.
- Its components are found once, for all clippings of a photograph; they are few.
- A clipping is a photograph of its own, to be changed: ink, which symbol it is, and the symbols.
"""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.grammar.tree import NOTHING, Expression, Relation
from san.ink.draw import BITMAP_PEN
from san.synth.layout.measure import Outline, outline
from san.synth.photo.config import CollageConfig
from san.synth.samples import Boxes, boxes_of_labels

PixelMap = NDArray[np.uint8]
"""As large as a picture; 0: nothing."""
EDGE = BITMAP_PEN.margin
"""Pixels around a clipping: new glyphs may reach a little beyond the old."""
NEVER_CUT_BEFORE = (".", ",", ";", ":", r"\cdot", r"\prime", r"\circ", r"\ldots", r"\cdots")
"""What these are is told by how high they stand beside the symbol before them: none is cut off."""
_SPANNING = {r"\frac": (Relation.ABOVE, Relation.BELOW), r"\sqrt": (Relation.INSIDE,)}
"""What hangs on these stands within their width, whether it has a mask or not."""


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


class UnassignedInk(NamedTuple):
    """Connected components of ink that no mask assigns to a symbol."""

    pixels: NDArray[np.intp]  # of the flat picture
    components: NDArray[np.int32]  # of each of those pixels: which one it belongs to
    lefts: NDArray[np.int32]
    rights: NDArray[np.int32]

    def with_labelled(self, labels: PixelMap, chosen: NDArray[np.bool_]) -> PixelMap:
        """All labelled ink, and some of these components."""
        ink = (labels > 0).view(np.uint8)
        ink.reshape(-1)[self.pixels[chosen[self.components]]] = 1
        return ink


@dataclass
class Clipping:
    """A photograph or a part of one, whose ink may be changed."""

    ink: PixelMap  # 1 where there is ink
    labels: PixelMap  # k + 1 where symbol k of the walk is written
    tree: Expression
    outline: Outline
    boxes: Boxes  # of each symbol in pixels; NaN: no mask
    width: float  # of its strokes
    em: float | None = None  # how large its main line is written, if that is known

    @property
    def line(self) -> list[int]:
        """The symbols of the main line."""
        return self.outline.chain(0)

    def is_sound(self, config: CollageConfig = CollageConfig()) -> bool:
        """Whether all that is written is told, and the other way round, as far as ink can tell."""
        known = int(np.isfinite(self.boxes[:, 0]).sum())
        labelled = int(np.count_nonzero(self.labels))
        if not known:
            return False
        unlabelled = (int(np.count_nonzero(self.ink)) - labelled) / (labelled / known)
        missing = sum(name != NOTHING for name in self.outline.names) - known
        least, most = config.unassigned_ink
        return least * missing <= unlabelled <= config.stray_ink + most * missing

    def extent(self) -> tuple[int, int, int, int]:
        """Left, top, right, bottom of the ink."""
        return _extent(self.ink)


class CuttablePhoto:
    """A photograph that may be cut."""

    def __init__(
        self,
        tree: Expression,
        ink: PixelMap,
        labels: PixelMap,
        width: float,
        config: CollageConfig = CollageConfig(),
    ) -> None:
        """`labels`: k + 1 where symbol k of the walk is written; `width`: of its strokes."""
        self.tree, self.labels, self.width, self.config = tree, labels, width, config
        self.outline = outline(tree)
        self.line = self.outline.chain(0)
        self.boxes = boxes_of_labels(labels, len(self.outline))
        self.ends = [*self.line, len(self.outline)]
        self.unassigned = _unassigned(ink, labels)
        distinct = len(self.outline) <= np.iinfo(labels.dtype).max
        self.cuts = self._cuts() if distinct else []
        self._parts = self._cut_out()

    def parts(self, max_symbols: int) -> list["Part"]:
        """What can be cut out and has no more symbols."""
        return self._parts[: bisect_right(self._parts, max_symbols, key=lambda part: part.symbols)]

    def gaps(self) -> list[float]:
        """Pixels between neighbours of the main line, where both have masks."""
        around = [self.around(place) for place in range(len(self.line))]
        return [
            float(right[0] - left[2])
            for left, right in pairwise(around)
            if left is not None and right is not None
        ]

    def whole(self) -> Clipping:
        ink = self.unassigned.with_labelled(
            self.labels, np.ones_like(self.unassigned.lefts, np.bool_)
        )
        return Clipping(
            ink, self.labels.copy(), self.tree, self.outline, self.boxes.copy(), self.width
        )

    def clipping(self, part: Part) -> Clipping:
        """What lies between two cuts, or before or behind one, with an edge around it."""
        _, start, end = part
        keep = np.ones_like(self.unassigned.lefts, np.bool_)
        first, last = 0, len(self.outline)
        if start:
            keep &= self.unassigned.lefts >= start.low
            first = self.ends[start.place]
        if end:
            keep &= self.unassigned.rights <= end.high
            last = self.ends[end.place]
        number = np.zeros(256, np.uint8)
        number[first + 1 : last + 1] = range(1, last - first + 1)
        labels = np.asarray(cv2.LUT(self.labels, number), np.uint8)
        ink = self.unassigned.with_labelled(labels, keep)
        left, top, right, bottom = _extent(ink)
        inside = (slice(top, bottom), slice(left, right))
        symbols = self.tree.symbols[
            start.place if start else 0 : end.place if end else len(self.tree.symbols)
        ]
        tree = Expression(symbols)
        moved = self.boxes[first:last] - np.array((left - EDGE, top - EDGE) * 2, np.float32)
        return Clipping(
            padded(ink[inside], EDGE, EDGE),
            padded(labels[inside], EDGE, EDGE),
            tree,
            outline(tree),
            moved,
            self.width,
        )

    def around(self, place: int) -> NDArray[np.float32] | None:
        """The box of a symbol of the main line and of its scripts, if all of them have masks."""
        first, last = self.ends[place], self.ends[place + 1]
        name = self.outline.names[first]
        needed = {first, *range(first + 1, last)}
        for relation in _SPANNING.get(name, ()):
            at = self.outline.parts[first].get(relation, -1)
            while at >= 0:
                needed -= {*range(at, at + self.outline.sizes[at])}
                at = self.outline.following[at]
        boxes = self.boxes[first:last]
        if not np.isfinite(self.boxes[sorted(needed), 0]).all():
            return None
        known = boxes[np.isfinite(boxes[:, 0])]
        return np.concatenate((known[:, :2].min(axis=0), known[:, 2:].max(axis=0)))

    def _cuts(self) -> list[Cut]:
        cuts = []
        around = [self.around(place) for place in range(len(self.line))]
        lefts, rights = self.unassigned.lefts, self.unassigned.rights
        for place in range(1, len(self.line)):
            left, right = around[place - 1], around[place]
            if (
                left is None
                or right is None
                or self.outline.names[self.line[place]] in NEVER_CUT_BEFORE
            ):
                continue
            low, high = sorted((int(left[2]), int(right[0])))
            before = (lefts < low) & (rights <= high)
            behind = (lefts >= low) & (rights > high)
            if (before | behind).all():
                cuts.append(Cut(place, low, high))
        return cuts

    def _cut_out(self) -> list[Part]:
        """All parts but the whole, the shortest first."""
        starts: list[Cut | None] = [None, *self.cuts]
        ends: list[Cut | None] = [*self.cuts, None]
        parts = []
        for number, start in enumerate(starts):
            for end in ends[number:]:
                first = self.ends[start.place] if start else 0
                last = self.ends[end.place] if end else len(self.outline)
                if last - first >= self.config.min_part and (start or end):
                    parts.append(Part(last - first, start, end))
        return sorted(parts, key=lambda part: part.symbols)


def _unassigned(ink: PixelMap, labels: PixelMap) -> UnassignedInk:
    bare = ((ink > 0) & (labels == 0)).astype(np.uint8)
    _, numbers, stats, _ = cv2.connectedComponentsWithStats(bare, connectivity=8)
    pixels = np.flatnonzero(bare)
    lefts, widths = stats[1:, 0], stats[1:, 2]
    return UnassignedInk(pixels, numbers.ravel()[pixels] - 1, lefts.copy(), lefts + widths)


def padded(pixels: PixelMap, before: int, after: int) -> PixelMap:
    """With so many empty pixels to the left and above, and to the right and below."""
    sides = (before, after, before, after)
    return np.asarray(cv2.copyMakeBorder(pixels, *sides, cv2.BORDER_CONSTANT, value=0), np.uint8)


def _extent(pixels: PixelMap) -> tuple[int, int, int, int]:
    left, top, width, height = cv2.boundingRect(pixels)
    return left, top, left + width, top + height
