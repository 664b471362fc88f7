"""The parts of a page, strokes or connected components, as profiles: in each column top and bottom.

Design choices
- Ink and pictures have one representation, so one segmentation serves both.
- Columns are a quarter of a letter wide: fine enough to see under a root or a fraction bar, and a
  page of a thousand parts is a small matrix.
- Specks are parts as well; the most that a page may have is bounded, so that time and memory are.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.clean.components import find_components
from san.ink import Ink
from san.ink.strokes import Way, bounded_step

MAX_PARTS = 4_000
"""The largest are kept; a page of more is noise."""
COLUMNS_PER_LETTER = 4
MAX_COLUMNS = 600
"""Of a page; on wider ones columns are wider."""
TALL_SHARE = 0.25
"""Of the height that nine in ten parts stay below: lower parts (bars, dots) are no letters."""

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Parts:
    """Parts of a page, y down; a part has an extent in each column that it crosses."""

    boxes: Floats  # n x 4: left, top, right, bottom
    tops: Floats  # n x columns; +inf where a part does not cross the column
    bottoms: Floats  # n x columns; -inf there
    left: float  # of the first column
    column: float  # width of each

    def __len__(self) -> int:
        return len(self.boxes)

    def select(self, chosen: Indices) -> "Parts":
        return Parts(
            self.boxes[chosen], self.tops[chosen], self.bottoms[chosen], self.left, self.column
        )

    @property
    def letter(self) -> float:
        return letter_height(self.boxes)

    def corners(self, chosen: Indices) -> NDArray[np.float64]:
        """(n, 2): the corners of some parts' extents, column by column: no ink is outside them."""
        part, place = np.nonzero(np.isfinite(self.tops[chosen]))
        boxes, first = self.boxes[chosen][part], self.left + self.column * place
        left, right = np.maximum(first, boxes[:, 0]), np.minimum(first + self.column, boxes[:, 2])
        top, bottom = self.tops[chosen][part, place], self.bottoms[chosen][part, place]
        sides = [(x, y) for x in (left, right) for y in (top, bottom)]
        return np.concatenate([np.stack(both, axis=1) for both in sides]).astype(np.float64)


def letter_height(boxes: Floats) -> float:
    """Mean height of the parts that may be letters: bars and dots are lower."""
    heights = boxes[:, 3] - boxes[:, 1]
    tall = heights[heights >= TALL_SHARE * np.percentile(heights, 90)]
    sides = np.maximum(heights, boxes[:, 2] - boxes[:, 0])
    return max(float(tall.mean()), float(sides.mean()) / 8, 1e-6)


def parts_of_picture(picture: NDArray[np.uint8]) -> tuple[Parts, NDArray[np.int32]]:
    """The connected components of white ink on black; and of each pixel its part, -1 for none."""
    labels, stats = find_components((picture > 127).astype(np.uint8))
    largest = np.argsort(-stats[:, cv2.CC_STAT_AREA], kind="stable")[:MAX_PARTS]
    number = np.full(len(stats) + 1, -1, np.int32)
    number[np.sort(largest) + 1] = np.arange(len(largest))
    part_of = number[labels]
    y, x = np.nonzero(part_of >= 0)
    points = np.stack([x, y], axis=1).astype(np.float32)
    return _profiles(points, part_of[y, x], len(largest), 1.0), part_of


def parts_of_ink(ink: Ink) -> Parts:
    """The strokes of ink."""
    ways = [Way(stroke) for stroke in ink.strokes[:MAX_PARTS]]
    # No column is passed over.
    step = bounded_step(ways, max(ink.box.width / (4 * MAX_COLUMNS), 1e-6))
    dense = [way.dense(step).astype(np.float32) for way in ways]
    numbers = np.repeat(np.arange(len(ways), dtype=np.int32), [len(points) for points in dense])
    return _profiles(np.concatenate(dense), numbers, len(ways), 0.0)


def _profiles(points: Floats, part: NDArray[np.int32], count: int, pen: float) -> Parts:
    """`pen`: how far a point reaches to the right and down."""
    boxes = np.empty((count, 4), np.float32)
    boxes[:, :2], boxes[:, 2:] = np.inf, -np.inf
    np.minimum.at(boxes[:, 0], part, points[:, 0])
    np.minimum.at(boxes[:, 1], part, points[:, 1])
    np.maximum.at(boxes[:, 2], part, points[:, 0] + pen)
    np.maximum.at(boxes[:, 3], part, points[:, 1] + pen)
    left = float(boxes[:, 0].min())
    across = float(boxes[:, 2].max()) - left
    column = max(letter_height(boxes) / COLUMNS_PER_LETTER, across / MAX_COLUMNS, 1e-6)
    columns = int(across / column) + 1
    place = np.minimum(((points[:, 0] - left) / column).astype(np.int64), columns - 1)
    cell = part.astype(np.int64) * columns + place
    tops = np.full(count * columns, np.inf, np.float32)
    bottoms = np.full(count * columns, -np.inf, np.float32)
    np.minimum.at(tops, cell, points[:, 1])
    np.maximum.at(bottoms, cell, points[:, 1] + pen)
    shape = (count, columns)
    return Parts(boxes, tops.reshape(shape), bottoms.reshape(shape), left, column)
