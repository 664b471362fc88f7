"""Formulas side by side in one row: where a gap parts them, which no tree can keep.

`3+4=7` and `9-5=4` in one row are read as one formula, `3+4=79-5=4`. Whether they are one, nobody
can tell by the ink; that a wide gap is lost can be said.
"""

from collections.abc import Sequence
from itertools import accumulate, pairwise

from san.grammar import Expression
from san.grammar.grids import RELATIONS
from san.grammar.tree import Symbol
from san.ink import Box

MIN_GAP = 1.2
"""Between two formulas, in heights of a letter: wider than any gap within one, where it has no sign
beside it."""
JOINTS = RELATIONS | frozenset(
    r"+ - \pm \mp \times \cdot \div : / , ; . ( [ \{ ) ] \} | \ldots \cdots \therefore \because"
    r" \rightleftharpoons \leftrightarrow \uparrow \downarrow".split()
)
"""Beside these a gap may be wide within a formula."""


def parting_gaps(expression: Expression, boxes: Sequence[Box | None]) -> list[tuple[str, str]]:
    """The symbols on either side of each gap that may part two formulas.

    A gap does so where neither of them is a sign, and each formula would have a relation.

    Args:
        boxes: Of all symbols in reading order, upright; None: a symbol without ink.
    """
    heights = sorted(box.height for box in boxes if box is not None)
    if not heights:
        return []
    wide = MIN_GAP * heights[(3 * len(heights)) // 4]  # letters, not dots and bars
    chain = expression.symbols
    ends = [*accumulate(len(list(Expression((symbol,)).walk())) for symbol in chain)]
    extents = [
        _extent([box for box in boxes[start:end] if box is not None])
        for start, end in pairwise([0, *ends])
    ]
    related = [*accumulate(symbol.name in RELATIONS for symbol in chain)]
    found: list[tuple[str, str]] = []
    since = 0  # relations before the last gap
    for place, (left, right) in enumerate(pairwise(zip(chain, extents, strict=True))):
        (one, before), (other, after) = left, right
        if (
            before is not None
            and after is not None
            and after[0] - before[1] >= wide
            and not _is_joint(one)
            and not _is_joint(other)
            and since < related[place] < related[-1]
        ):
            found.append((one.name, other.name))
            since = related[place]
    return found


def _extent(boxes: Sequence[Box]) -> tuple[float, float] | None:
    if not boxes:
        return None
    return min(box.left for box in boxes), max(box.right for box in boxes)


def _is_joint(symbol: Symbol) -> bool:
    return symbol.name in JOINTS
