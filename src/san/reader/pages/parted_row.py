"""Parts a row of formulas that stand side by side, once it has been read.

A gap tells little by itself: within a formula, too, there may be room for a letter. Where a reading
says that no sign stands beside it, and a relation on either side, it parts two formulas; each is
read for itself, and has to be one.
"""

from itertools import pairwise
from math import inf

import numpy as np

from san.reader.pages.prepared_page import PreparedPage
from san.reader.pages.reading import Read, ReadBlock
from san.reader.pages.segmentation import Block
from san.reader.side_by_side import parting_gaps, relations_in

MIN_KEPT = 0.8
"""Of the symbols of a row: what its formulas have together, at least."""


def parted_row(page: PreparedPage, row: ReadBlock, read: Read) -> list[ReadBlock]:
    """The formulas of a row, from left to right; mostly it is one."""
    block, formula = row
    if relations_in(formula.expression) < 2:
        return [row]
    boxes = [symbol.box and page.among_parts(symbol.box) for symbol in formula.symbols]
    gaps = parting_gaps(formula.expression, boxes)
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
