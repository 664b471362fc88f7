"""Where each symbol stands: its box and strokes, from its step's attention to the ink under it.

Attention is coarse, a cell of 16 pixels, and lies on the distinctive parts of a symbol more than on
all of it. Ink is exact. So ink is taken in pieces (strokes, or connected parts of a picture), and

- a piece belongs to the symbol that gives it most attention, if any gives it some (`pieces.py`);
  a stroke of ink to the one that it is likeliest a part of as well, by the way of the pen;
- attention to a word such as `sin` mostly lies on one of its letters: the word takes the pieces
  beside it that nobody attends to, as far as its letters reach;
- and so it is with symbols of parts that do not touch, whose bar or dot mostly gets none: such a
  symbol takes what is missing of it above or below (`--every 5`: 95.9% then, not 95.3%);
- a symbol that gets none, since it is written in one go with its neighbour, shares the piece that
  it attends to most: each takes the points where its own attention is the higher.
"""

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.images.clean.other_writing import letters_together
from san.images.view import SOURCE
from san.ink import Box
from san.reader.pieces import (
    InkPieces,
    PieceAttention,
    components_of,
    evened,
    owners_of,
    strokes_of,
)
from san.reader.prepared import Location, PreparedImage

MIN_UNREAD_SIDE = 16.0
"""Pixels of the picture, in which a stroke is 28 high on average: what is smaller is a speck, and
is not said to be unread."""
MIN_SMALL_LETTER = 5
"""Pixels of the picture: smaller letters than that are no writing, even where several of them stand
together. What is higher is said to be unread then, though each alone would be a speck."""
MAX_SYMBOL_GAP = 28.0
"""Pixels between the pieces of one symbol, at most as much as a stroke is high: attention that
wavers between two lines lies on both."""
MIN_LETTER_HEIGHT = 14.0
"""Pixels: what is known of a word may be the dot of an i."""
LETTER_GAP, LETTER_RISE = 0.8, 0.25
"""Parts of a word's height: between two letters at most, and how far one's middle may lie above or
below the word."""
PART_GAP, PART_SIZE, PART_SHIFT = 0.8, 1.5, 0.25
"""Parts of a symbol's longer side: to a bar or dot of it at most, how long that may be, and how far
its middle may lie beside the symbol."""
STROKES_PER_LETTER = 2
"""Of a word, at most: a stem and a dot."""
PIXEL_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
"""x and y."""


class Locations(NamedTuple):
    """Where everything stands."""

    symbols: list[Location]
    unread: list[Location]  # a piece each, in the order of writing; in pictures the largest first
    unread_share: float  # of all ink, by its length or its pixels


def locate(
    prepared: PreparedImage,
    attention: Floats,
    cell: int,
    letters: Sequence[int] = (),
    parts: Sequence[int] = (),
    likely: NDArray[np.float64] | None = None,
) -> Locations:
    """Where each symbol stands, from its attention (symbols x rows x columns), and what is left.

    Where there is no ink at all, symbols stand on the whole picture.

    Args:
        letters: How many letters each symbol is written with: one, but for `sin` and the like.
        parts: How many parts stand above one another in it: one, but for `=` and the like.
        likely: Of ink how likely each stroke is one of each symbol (symbols x strokes), if known.
    """
    pieces = strokes_of(prepared) if prepared.ink is not None else components_of(prepared)
    rows, columns = prepared.picture.shape
    if not len(pieces.points):
        whole = Location(prepared.to_source(Box(0, 0, columns, rows)), None)
        return Locations([whole] * len(attention), [], 0.0)
    owners = _owners(pieces, evened(attention), cell, likely) if len(attention) else []
    extents = pieces.extents
    left_over = _unowned(pieces, owners)
    for counts, missing in ((letters, _letters_beside), (parts, _parts_apart)):
        for symbol, count in enumerate(counts):
            if count > 1 and len(left_over):
                more = missing(pieces.piece[owners[symbol]], left_over, extents, count)
                owners[symbol] |= np.isin(pieces.piece, more)
                left_over = np.setdiff1d(left_over, more)
    sides = extents[left_over, 2:] - extents[left_over, :2] + pieces.width
    counts_as_unread = sides.max(axis=1, initial=0.0) >= MIN_UNREAD_SIDE
    if prepared.ink is None:  # strokes of ink are no specks of dust that could lie together
        boxes = np.column_stack([extents[left_over, :2], sides])
        counts_as_unread |= letters_together(boxes.astype(np.int32), MIN_SMALL_LETTER)
    left_over = left_over[counts_as_unread]
    return Locations(
        [_location(prepared, pieces, points) for points in owners],
        [_location(prepared, pieces, pieces.piece == piece) for piece in left_over.tolist()],
        float(np.isin(pieces.piece, left_over).mean()),
    )


def box_around(prepared: PreparedImage, points: NDArray[np.float64]) -> Box:
    """The box on the source around some points of the picture.

    Of an image that was tilted it is closer than the one around the box that they have upright.
    """
    if prepared.view is SOURCE:
        return prepared.to_source(Box(*points.min(axis=0).tolist(), *points.max(axis=0).tolist()))
    seen = points / prepared.scale + (prepared.left, prepared.top)
    ends = (prepared.width or np.inf, prepared.height or np.inf)
    points = np.clip(prepared.view.to_source(seen), 0.0, ends)
    return Box(*points.min(axis=0).tolist(), *points.max(axis=0).tolist())


def _location(prepared: PreparedImage, pieces: InkPieces, points: NDArray[np.bool_]) -> Location:
    own = pieces.points[points]
    if prepared.view is SOURCE:  # upright, the ends say all
        pixels = np.stack([own.min(axis=0), own.max(axis=0) + pieces.width])
    else:
        pixels = np.concatenate([own + corner for corner in pieces.width * PIXEL_CORNERS])
    strokes = None if prepared.ink is None else _numbers(prepared, pieces.piece[points])
    return Location(box_around(prepared, pixels), strokes)


def _unowned(pieces: InkPieces, owners: list[NDArray[np.bool_]]) -> NDArray[np.intp]:
    """The pieces that no symbol has a point of."""
    owned = np.zeros(len(pieces.extents), bool)
    for points in owners:
        owned[pieces.piece[points]] = True
    return np.flatnonzero(~owned)


def _letters_beside(
    own: NDArray[np.int64], free: NDArray[np.intp], extents: NDArray[np.float64], letters: int
) -> list[int]:
    """Which free pieces belong to a word: those in its line, nearest first, while they are near."""
    left, top, right, bottom = _around(extents[own])
    height = max(bottom - top, MIN_LETTER_HEIGHT)
    middles = (extents[free, 1] + extents[free, 3]) / 2
    beside = free[np.abs(middles - (top + bottom) / 2) <= height / 2 + LETTER_RISE * height]
    more: list[int] = []
    while len(beside) and len(more) < STROKES_PER_LETTER * letters:
        lefts, rights = extents[beside, 0], extents[beside, 2]
        wide = np.maximum(rights, right) - np.minimum(lefts, left)
        gaps = np.maximum(np.maximum(lefts - right, left - rights), 0.0)
        gaps[wide > letters * height] = np.inf
        nearest = int(gaps.argmin())
        if gaps[nearest] > LETTER_GAP * height:
            break
        more.append(int(beside[nearest]))
        left, right = min(left, float(lefts[nearest])), max(right, float(rights[nearest]))
        beside = np.delete(beside, nearest)
    return more


def _parts_apart(
    own: NDArray[np.int64], free: NDArray[np.intp], extents: NDArray[np.float64], parts: int
) -> list[int]:
    """Which free pieces are the parts that a symbol lacks: right above or below it, the nearest."""
    left, top, right, bottom = _around(extents[own])
    side = max(right - left, bottom - top, MIN_LETTER_HEIGHT)
    middles = (extents[free, 0] + extents[free, 2]) / 2
    sizes = (extents[free, 2:] - extents[free, :2]).max(axis=1)
    gaps = np.maximum(extents[free, 1] - bottom, top - extents[free, 3])
    shifts = np.maximum(left - middles, middles - right)
    fits = (shifts <= PART_SHIFT * side) & (sizes <= PART_SIZE * side)
    fits &= (gaps > 0) & (gaps <= PART_GAP * side)
    nearest = free[fits][np.argsort(gaps[fits], kind="stable")]
    return list(nearest[: max(parts - _rows_of(extents[own]), 0)].tolist())


def _rows_of(extents: NDArray[np.float64]) -> int:
    """In how many rows pieces stand above one another, with white between them."""
    tops, bottoms = extents[np.argsort(extents[:, 1], kind="stable")][:, [1, 3]].T
    return 1 + int((tops[1:] > np.maximum.accumulate(bottoms)[:-1]).sum())


def _around(extents: NDArray[np.float64]) -> list[float]:
    low, high = extents[:, :2].min(axis=0), extents[:, 2:].max(axis=0)
    return [*low.tolist(), *high.tolist()]


def _numbers(prepared: PreparedImage, strokes: NDArray[np.int64]) -> tuple[int, ...]:
    """Of some strokes, as the source counts them."""
    known = prepared.stroke_numbers
    return tuple(known[one] if known else one for one in np.unique(strokes).tolist())


def _owners(
    pieces: InkPieces, attention: Floats, cell: int, likely: NDArray[np.float64] | None
) -> list[NDArray[np.bool_]]:
    """For each symbol the points that are its own: at least one."""
    symbols, rows, columns = attention.shape
    seen = PieceAttention(pieces, (rows, columns), cell).of(attention)
    owner = _near_ones(owners_of(seen, likely), seen, pieces.extents)
    claims: dict[int, list[int]] = {}
    for symbol in set(range(symbols)) - set(owner.tolist()):
        wanted = int(seen[symbol].argmax())
        claims.setdefault(wanted, [int(owner[wanted])]).append(symbol)
    of_point = owner[pieces.piece]
    owned = [of_point == symbol for symbol in range(symbols)]
    for wanted, claimants in claims.items():
        whole = np.flatnonzero(pieces.piece == wanted)
        sharing = [symbol for symbol in claimants if symbol >= 0]
        at_points = [_at(attention[symbol], pieces.points[whole], cell) for symbol in sharing]
        _divide(whole, sharing, np.stack(at_points).argmax(axis=0), owned)
    return owned


def _near_ones(
    owner: NDArray[np.intp], seen: NDArray[np.float64], extents: NDArray[np.float64]
) -> NDArray[np.intp]:
    """The same without pieces that are far from the one that their symbol attends to most."""
    near = np.full_like(owner, -1)
    for symbol in np.unique(owner[owner >= 0]).tolist():
        rest = np.flatnonzero(owner == symbol)
        joined = [int(rest[seen[symbol, rest].argmax()])]
        for piece in joined:  # which grows
            near[piece] = symbol
            rest = rest[near[rest] < 0]
            apart = np.maximum(extents[rest, :2] - extents[piece, 2:], 0.0)
            apart = np.maximum(apart, extents[piece, :2] - extents[rest, 2:])
            within = rest[np.hypot(*apart.T) <= MAX_SYMBOL_GAP]
            near[within] = symbol
            joined += within.tolist()
    return near


def _at(attention: Floats, points: NDArray[np.float64], cell: int) -> Floats:
    """Attention at some points, smooth from cell to cell."""
    rows, columns = (side * cell for side in attention.shape)
    x, y = np.clip(points.T, 0, [[columns - 1], [rows - 1]]).astype(np.int64)
    return np.asarray(cv2.resize(attention, (columns, rows))[y, x], np.float32)


def _divide(
    whole: NDArray[np.intp],
    sharing: list[int],
    nearest: NDArray[np.intp],
    owned: list[NDArray[np.bool_]],
) -> None:
    """Part a piece between several symbols; who would come away with nothing gets it whole."""
    for place, symbol in enumerate(sharing):
        part = whole[nearest == place]
        owned[symbol][whole] = False
        if not (len(part) or owned[symbol].any()):
            part = whole
        owned[symbol][part] = True
