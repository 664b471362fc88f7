"""Formulas side by side in one row: where a gap parts them, which no tree can keep.

`3+4=7` and `9-5=4` in one row are read as one formula, `3+4=79-5=4`.

Where several rows of a page may come apart at the same place there are columns: there a narrower
gap does.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from san.grammar import Expression
from san.grammar.grids import RELATIONS
from san.ink import Box

MIN_GAP = 1.2
"""Between two formulas, in heights of a letter: wider than a gap within one that has no sign beside
it."""
MIN_COLUMN_GAP, MIN_COLUMN_ROWS = 0.5, 2
"""The same where so many other rows have such a gap at that place."""
JOINTS = RELATIONS | frozenset(
    r"+ - \pm \mp \times \cdot \div * : / \cup \cap , ; . 、 。 ( [ \{ ) ] \} | \forall \exists"
    r" \ldots \cdots \vdots \therefore \because \leftarrow \leftrightarrow \xrightarrow \Leftarrow"
    r" \rightleftharpoons \supset \uparrow \downarrow".split()
)
"""Signs: beside these a gap may be wide within a formula."""


class Gap(NamedTuple):
    """Between two symbols of a row."""

    before: str
    after: str
    left: float
    right: float

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    @property
    def width(self) -> float:
        return self.right - self.left


NO_GAP = Gap("", "", 0.0, 0.0)


def relations_in(expression: Expression) -> int:
    """How many stand on the line; with less than two it is one formula."""
    return sum(symbol.name in RELATIONS for symbol in expression.symbols)


def parting_gaps(
    expression: Expression, boxes: Sequence[Box | None], elsewhere: Sequence[Gap] = ()
) -> list[Gap]:
    """The gaps that may part formulas: wide ones of `possible_gaps`, and those of columns.

    Args:
        boxes: Of all symbols in reading order, upright; None: a symbol without ink.
        elsewhere: Possible gaps of other rows, on the same axis.
    """
    letter = _letter(boxes)

    def is_one(gap: Gap) -> bool:
        if gap.width >= MIN_GAP * letter:
            return True
        shared = (min(gap.right, other.right) - max(gap.left, other.left) for other in elsewhere)
        return sum(width >= MIN_COLUMN_GAP * letter for width in shared) >= MIN_COLUMN_ROWS

    return [gap for gap in possible_gaps(expression, boxes) if is_one(gap)]


def possible_gaps(expression: Expression, boxes: Sequence[Box | None]) -> list[Gap]:
    """Where formulas may come apart: no sign stands beside the gap, and each has a relation. Of
    several gaps between two relations the widest."""
    if relations_in(expression) < 2 or not boxes:
        return []
    chain = expression.symbols
    ends = accumulate(sum(1 for _ in Expression((symbol,)).walk()) for symbol in chain)
    extents = [
        _extent([box for box in boxes[start:end] if box is not None])
        for start, end in pairwise((0, *ends))
    ]
    relations = [*accumulate(symbol.name in RELATIONS for symbol in chain)]
    gaps: dict[int, Gap] = {}  # by the number of relations before it
    for place, (left, right) in enumerate(pairwise(extents)):
        before, after = chain[place].name, chain[place + 1].name
        if (
            left is not None
            and right is not None
            and not {before, after} & JOINTS
            and 0 < relations[place] < relations[-1]
        ):
            gap = Gap(before, after, left[1], right[0])
            if gap.width > gaps.get(relations[place], NO_GAP).width:
                gaps[relations[place]] = gap
    least = MIN_COLUMN_GAP * _letter(boxes)
    return [gap for gap in gaps.values() if gap.width >= least]


def _letter(boxes: Sequence[Box | None]) -> float:
    """The height of a letter, not of dots and bars."""
    heights = sorted(box.height for box in boxes if box is not None)
    return heights[(3 * len(heights)) // 4] if heights else 0.0


def _extent(boxes: Sequence[Box]) -> tuple[float, float] | None:
    if not boxes:
        return None
    return min(box.left for box in boxes), max(box.right for box in boxes)
