"""A page's parts -> blocks, one a formula, in reading order.

Design choices
- Rows first come apart wherever paper goes through from side to side, at the slope where most do;
  then the boundary that is least likely to lie between two formulas is taken away, and so on until
  all that are left are likely. So a sum's limits join their sum before anything else is asked.
- What spans several rows (a brace, a matrix's fences, an integral) leaves no paper that goes
  through: such rows are never taken apart.
- Columns are where paper of many letters' width goes through from top to bottom.
- A frame around formulas, or the edge of a sheet that looks like one, goes around several that are
  surely apart without it. It is none of them.
- Nothing here is recognised. What stays in doubt is in the block, for those who can read.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from san.ink import Box
from san.reader.pages.boundary import boundary_probabilities
from san.reader.pages.parts import Indices, Parts
from san.reader.pages.rows import Row, find_rows

SLOPES = (0.0, 0.02, -0.02, 0.04, -0.04, 0.07, -0.07)
"""That the lines of a page may have: up to 4 degrees; those before are preferred."""
SLOPE_CHANGES = (0.02, -0.02)
"""From a page's slope to that of some of its lines."""
COLUMN_GAP = 5.0
"""Letters. The widest gap within a formula of CROHME 2014 has 4.2."""
MAX_ROWS = 400
"""Of one attempt: a page that has more is noise."""
MIN_PROBABILITY = 0.1
"""Of a boundary that stands, in doubt at first."""
CERTAIN = 0.99
"""Probability of a boundary that need not be read both ways."""
MAX_JOINED = 4
"""Blocks that are tried as one formula: more rows than that are not one by mistake."""
MAX_SIGN_PARTS, MAX_SIGN_HEIGHT, MAX_SIGN_SIDE = 3, 0.25, 1.5
"""Of a sign without any letter, `=` or `\\div`: its bars and points, how high each of them is, and
all together wide and high, beside the longest bar."""
MIN_FRAME_SHARE, MIN_FRAME_LETTERS = 0.5, 5.0
"""Of a frame, across and down: shares of the page, and letters. Braces are narrow, bars are low."""
MIN_FRAMED = 3
"""Blocks that a frame goes around: a root goes around numerator and denominator."""


@dataclass(frozen=True, eq=False)
class Block:
    """Some parts of a page that are one formula."""

    parts: Parts  # of the whole page
    members: Indices
    boundary: float = 1.0  # how probable it is that it is apart from the block before
    """Where the block before was cut off from the same rows; 1 where that is no question."""

    @cached_property
    def box(self) -> Box:
        boxes = self.parts.boxes[self.members]
        left, top = boxes[:, :2].min(axis=0).tolist()
        right, bottom = boxes[:, 2:].max(axis=0).tolist()
        return Box(left, top, right, bottom)

    def joined(self, other: "Block") -> "Block":
        members = np.sort(np.concatenate([self.members, other.members]))
        return Block(self.parts, members, self.boundary)


def find_blocks(parts: Parts, without: Sequence[int] = ()) -> list[Block]:
    """The blocks of a page, in reading order; some of its parts belong to none."""
    members = np.delete(np.arange(len(parts)), np.array(without, np.intp))
    if _is_one_sign(parts.boxes[members]):
        return [Block(parts, members)]
    return list(_blocks(parts, members, 1.0, SLOPES))


def _is_one_sign(boxes: NDArray[np.float32]) -> bool:
    """Whether all there is are a few bars and points one above the other: an equals sign."""
    sides = boxes[:, 2:] - boxes[:, :2]
    if not 1 < len(boxes) <= MAX_SIGN_PARTS:
        return False
    longest = float(sides[:, 0].max())
    across = float(boxes[:, 2].max() - boxes[:, 0].min())
    hull = float(boxes[:, 3].max() - boxes[:, 1].min())
    is_flat = float(sides[:, 1].max()) < MAX_SIGN_HEIGHT * longest
    return is_flat and max(across, hull) < MAX_SIGN_SIDE * longest


def find_frames(parts: Parts) -> list[Block]:
    """Parts that are no writing: they go around blocks that are surely apart from one another."""
    sides = parts.boxes[:, 2:] - parts.boxes[:, :2]
    page = parts.boxes[:, 2:].max(axis=0) - parts.boxes[:, :2].min(axis=0)
    least = np.maximum(MIN_FRAME_SHARE * page, MIN_FRAME_LETTERS * parts.letter)
    large = np.flatnonzero((sides >= least).all(axis=1))
    if not 0 < len(large) < len(parts):
        return []
    blocks = [one for one in find_blocks(parts, large.tolist()) if one.boundary >= CERTAIN]
    boxes = np.array([block.box for block in blocks])
    frames = [part for part in large if _within(boxes, parts.boxes[part]).sum() >= MIN_FRAMED]
    return [Block(parts, np.array([part], np.intp)) for part in frames]


def _within(boxes: NDArray[np.float64], frame: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which boxes lie in that of a frame."""
    inner = (boxes[:, :2] >= frame[:2]) & (boxes[:, 2:] <= frame[2:])
    return np.asarray(inner.all(axis=1), bool)


def _blocks(
    parts: Parts, members: Indices, boundary: float, slopes: tuple[float, ...]
) -> Iterator[Block]:
    some = parts.select(members)
    pieces = _columns(some)
    if not pieces:
        pieces, slope = _lines(some, slopes)
        slopes = (slope, *(slope + change for change in SLOPE_CHANGES))
    if len(pieces) < 2:
        yield Block(parts, members, boundary)
        return
    for number, (piece, probability) in enumerate(pieces):
        yield from _blocks(parts, members[piece], probability if number else boundary, slopes)


Pieces = list[tuple[Indices, float]]
"""Parts of a block, and how probable it is that each is apart from the one before."""


def _columns(parts: Parts) -> Pieces:
    """Nothing where there is but one."""
    left, right = parts.boxes[:, 0], parts.boxes[:, 2]
    order = np.argsort(left, kind="stable")
    reach = np.maximum.accumulate(right[order])[:-1]
    ends = np.flatnonzero(left[order][1:] - reach > COLUMN_GAP * parts.letter) + 1
    if not len(ends):
        return []
    return [(np.sort(piece), 1.0) for piece in np.split(order, ends)]


def _lines(parts: Parts, slopes: tuple[float, ...]) -> tuple[Pieces, float]:
    """At the slope that parts most lines for certain; and that slope."""
    best: tuple[Pieces, float] = ([], slopes[0])
    most = -1
    for slope in slopes:
        rows = find_rows(parts, slope)
        if not (1 < len(rows) <= MAX_ROWS and len(rows) - 1 > most):
            continue
        pieces = _joined(rows, parts.letter)
        certain = sum(probability >= CERTAIN for _, probability in pieces[1:])
        if certain > most:
            best, most = (pieces, slope), certain
    return best


def _joined(rows: list[Row], letter: float) -> Pieces:
    """Rows of one formula become one, the least probable boundary first."""
    while len(rows) > 1:
        probabilities = boundary_probabilities(rows, letter)
        least = int(probabilities.argmin())
        if probabilities[least] >= MIN_PROBABILITY:
            return [
                (np.sort(row.parts), probability)
                for row, probability in zip(rows, [1.0, *probabilities.tolist()], strict=True)
            ]
        rows[least : least + 2] = [rows[least].merged(rows[least + 1])]
    return []


def doubtful_chains(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Blocks in a row with boundaries between them that are in doubt."""
    chain: list[Block] = []
    for block in blocks:
        if chain and block.boundary >= CERTAIN:
            yield chain
            chain = []
        chain.append(block)
    if chain:
        yield chain
