"""Ink in pieces, strokes or connected parts of a picture, and how much attention each of them gets.

Attention is coarse, a cell of 16 pixels; where several pieces share a cell, each gets the part of
the cell's attention that it has of the cell's ink. Strokes that touch one another are mostly of one
symbol, so each gets a part of the attention of those that it touches (benchmarks/boxes.py: 93.6% of
the symbols then have their very strokes, not 90.5%).
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.ink.strokes import Way, bounded_step
from san.reader.prepared import PreparedImage

MIN_ATTENTION = 0.02
"""Of a step's attention: a piece that no step gave as much to belongs to no symbol."""
MIN_SHARED, MIN_LIKELY = 1e-3, 1e-4
"""Of a step's attention, that a symbol gives a piece which may be its own although another gives
more; and the least by which it counts that a piece is hardly a part of a symbol."""
ATTENTION_POWER = 0.7
"""Attention lies on the distinctive parts of a symbol: a power below one evens it out."""
MAX_PIECES = 2_000
"""The largest are kept; a picture of more is noise."""
POINT_SPACING = 4.0
"""Pixels between two points of a stroke: a cell must not be crossed unseen."""
TOUCH_SQUARE = 4.0
"""Pixels: the side of a square in which strokes touch."""
SQUARES_PER_BLOCK = 1_000
"""Squares that are computed together."""
TOUCH_WEIGHT = 0.4
"""Of the mean attention to the strokes that a stroke touches: it is added to its own."""


class InkPieces(NamedTuple):
    """Ink as points on the picture, each of some piece; a point is `width` wide."""

    points: NDArray[np.float64]  # n x 2: x, y
    piece: NDArray[np.int64]  # n
    width: float
    extents: NDArray[np.float64]  # of each piece left, top, right and bottom of its points


class PieceAttention:
    """What part of its attention each symbol gives each piece of an image's ink.

    Args:
        pieces: of the ink, at least one.
        shape: rows and columns of the cells.
        cell: the side of a cell in pixels.
    """

    def __init__(self, pieces: InkPieces, shape: tuple[int, int], cell: int) -> None:
        rows, columns = shape
        x, y = np.clip(pieces.points.T // cell, 0, [[columns - 1], [rows - 1]]).astype(np.int64)
        self._count = count = len(pieces.extents)
        pairs, points = np.unique((y * columns + x) * count + pieces.piece, return_counts=True)
        self._cells, self._piece = np.divmod(pairs, count)
        self._share = points / np.bincount(self._cells, points)[self._cells]
        # Connected parts touch none.
        self._touching = None if pieces.width else _touching(pieces, count)

    def of(self, attention: Floats) -> NDArray[np.float64]:
        """Symbols x pieces, of evened attention: symbols x rows x columns."""
        cells, piece, share = self._cells, self._piece, self._share
        given = [np.bincount(piece, row[cells] * share, self._count) for row in _rows(attention)]
        seen: NDArray[np.float64] = np.stack(given)
        if self._touching is None:
            return seen
        return np.asarray(seen + TOUCH_WEIGHT * seen @ self._touching)


def evened(attention: Floats) -> Floats:
    """The attention of each symbol, evened out, its sum one."""
    even = np.maximum(attention, np.float32(0)) ** np.float32(ATTENTION_POWER)
    even /= np.maximum(even.sum(axis=(1, 2), keepdims=True), np.finfo(np.float32).tiny)
    return np.asarray(even)


def owners_of(
    seen: NDArray[np.float64], likely: NDArray[np.float64] | None = None
) -> NDArray[np.intp]:
    """Of each piece the symbol that gives it most attention, -1 where none gives it enough.

    Args:
        likely: How likely each piece is a part of each symbol: it goes where both are high.
    """
    best = seen
    if likely is not None:
        best = np.where(seen >= MIN_SHARED, seen, 0.0) * np.maximum(likely, MIN_LIKELY)
    return np.where(seen.max(axis=0) >= MIN_ATTENTION, best.argmax(axis=0), -1)


def components_of(prepared: PreparedImage) -> InkPieces:
    """The connected parts of a picture, pixel by pixel."""
    ink = (prepared.picture > 127).astype(np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(ink, connectivity=8)
    largest = np.argsort(-stats[1:, cv2.CC_STAT_AREA], kind="stable")[:MAX_PIECES] + 1
    number = np.full(count, -1)
    number[largest] = np.arange(len(largest))
    pixels = cv2.findNonZero(ink)
    points = np.zeros((0, 2)) if pixels is None else pixels.reshape(-1, 2).astype(np.float64)
    piece = number[labels[ink > 0]]  # in the same order, row by row
    if len(largest) < count - 1:
        points, piece = points[piece >= 0], piece[piece >= 0]
    left, top, width, height, _ = stats[largest].T.astype(np.float64)
    extents = np.stack([left, top, left + width - 1, top + height - 1], axis=1)
    return InkPieces(points, piece, 1.0, extents)


def strokes_of(prepared: PreparedImage) -> InkPieces:
    """The strokes of ink, with points so dense that no cell is passed over."""
    assert prepared.ink is not None
    ways = [Way(prepared.to_picture(stroke)) for stroke in prepared.ink.strokes[:MAX_PIECES]]
    step = bounded_step(ways, POINT_SPACING)
    dense = [way.dense(step) for way in ways]
    numbers = np.repeat(np.arange(len(dense)), [len(points) for points in dense])
    extents = np.array([[*points.min(axis=0), *points.max(axis=0)] for points in dense])
    return InkPieces(np.concatenate(dense), numbers, 0.0, extents)


def _touching(pieces: InkPieces, count: int) -> NDArray[np.float64]:
    """For each stroke, by column, an equal share of each one that it touches; nought of others."""
    touch = np.zeros((count, count), np.float32)
    for shift in (0.0, TOUCH_SQUARE / 2):  # or two would not touch across the edge of a square
        x, y = ((pieces.points + shift) // TOUCH_SQUARE).astype(np.int64).T
        square = y * (int(x.max()) + 1) + x
        some = np.unique(square * count + pieces.piece)
        _, row, strokes = np.unique(some // count, return_inverse=True, return_counts=True)
        some = some[strokes[row] > 1]  # most squares have one stroke, which touches nothing there
        _, row = np.unique(some // count, return_inverse=True)
        rows = int(row[-1]) + 1 if len(row) else 0
        for first in range(0, rows, SQUARES_PER_BLOCK):
            block = slice(*np.searchsorted(row, (first, first + SQUARES_PER_BLOCK)).tolist())
            crossed = np.zeros((min(rows - first, SQUARES_PER_BLOCK), count), np.float32)
            crossed[row[block] - first, some[block] % count] = 1.0
            touch += crossed.T @ crossed
    touch = (touch > 0).astype(np.float64)
    np.fill_diagonal(touch, 0.0)
    return np.asarray(touch / np.maximum(touch.sum(axis=0), 1.0))


def _rows(attention: Floats) -> Floats:
    return attention.reshape(len(attention), -1)
