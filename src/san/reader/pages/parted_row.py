"""Parts rows of formulas that stand side by side, once they have been read.

A gap tells little by itself: within a formula, too, there may be room for a letter. Where a reading
says that no sign stands beside it, and a relation on either side, it parts two formulas; each is
read for itself, and has to be one. Gaps of other rows at the same place count as well.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import inf

import numpy as np

from san.ink import Box
from san.reader.pages.prepared_page import PreparedPage
from san.reader.pages.reading import Read, ReadBlock
from san.reader.pages.segmentation import Block
from san.reader.result import Formula
from san.reader.side_by_side import Gap, parting_gaps, possible_gaps, relations_in

MIN_KEPT = 0.8
"""Of the symbols of a row: what its formulas have together, at least."""


def parted_rows(page: PreparedPage, rows: Sequence[ReadBlock], read: Read) -> list[ReadBlock]:
    """The formulas of some rows, each from left to right; mostly each row is one."""
    boxes = [_boxes(page, row.formula) for row in rows]
    read_as = [row.formula.expression for row in rows]
    possible = [possible_gaps(*both) for both in zip(read_as, boxes, strict=True)]
    pieces = []
    for number, row in enumerate(rows):
        elsewhere = [gap for other, gaps in enumerate(possible) if other != number for gap in gaps]
        gaps = parting_gaps(read_as[number], boxes[number], elsewhere)
        pieces += _parted(page, row, gaps, read)
    return pieces


def _boxes(page: PreparedPage, formula: Formula) -> list[Box | None]:
    """Of its symbols, on the page; none where it is one formula in any way."""
    if relations_in(formula.expression) < 2:
        return []
    return [symbol.box and page.among_parts(symbol.box) for symbol in formula.symbols]


def _parted(page: PreparedPage, row: ReadBlock, gaps: Sequence[Gap], read: Read) -> list[ReadBlock]:
    block, formula = row
    if not gaps:
        return [row]
    sides = block.parts.boxes[block.members]
    middles = (sides[:, 0] + sides[:, 2]) / 2
    ends = (-inf, *(gap.middle for gap in gaps), inf)
    members = [
        block.members[(middles >= left) & (middles < right)] for left, right in pairwise(ends)
    ]
    if not all(map(len, members)):
        return [row]
    blocks = [Block(block.parts, np.sort(some)) for some in members]
    formulas = read([page.image_of(piece) for piece in blocks])
    kept = sum(len(piece.expression) for piece in formulas)
    related = all(relations_in(piece.expression) for piece in formulas)
    if not related or kept < MIN_KEPT * len(formula.expression):
        return [row]
    return [ReadBlock(*piece) for piece in zip(blocks, formulas, strict=True)]
