"""Formulas side by side in one row: where a gap parts them, which no tree can keep.

`3+4=7` and `9-5=4` in one row are read as one formula, `3+4=79-5=4`.
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
    middle: float


def relations_in(expression: Expression) -> int:
    """How many stand on the line; with less than two it is one formula."""
    return sum(symbol.name in RELATIONS for symbol in expression.symbols)


def parting_gaps(expression: Expression, boxes: Sequence[Box | None]) -> list[Gap]:
    """The gaps that may part formulas: no sign stands beside them, and each formula has a relation.

    Args:
        boxes: Of all symbols in reading order, upright; None: a symbol without ink.
    """
    heights = sorted(box.height for box in boxes if box is not None)
    if not heights:
        return []
    wide = MIN_GAP * heights[(3 * len(heights)) // 4]  # letters, not dots and bars
    chain = expression.symbols
    ends = accumulate(sum(1 for _ in Expression((symbol,)).walk()) for symbol in chain)
    extents = [
        _extent([box for box in boxes[start:end] if box is not None])
        for start, end in pairwise((0, *ends))
    ]
    relations = [*accumulate(symbol.name in RELATIONS for symbol in chain)]
    gaps: list[Gap] = []
    behind = 0  # relations before the last gap
    for place, (left, right) in enumerate(pairwise(extents)):
        before, after = chain[place].name, chain[place + 1].name
        if (
            left is not None
            and right is not None
            and right[0] - left[1] >= wide
            and not {before, after} & JOINTS
            and behind < relations[place] < relations[-1]
        ):
            gaps.append(Gap(before, after, (left[1] + right[0]) / 2))
            behind = relations[place]
    return gaps


def _extent(boxes: Sequence[Box]) -> tuple[float, float] | None:
    if not boxes:
        return None
    return min(box.left for box in boxes), max(box.right for box in boxes)
