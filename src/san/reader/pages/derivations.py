"""Lines of one derivation: formulas right below one another, which `aligned` keeps together."""

from collections.abc import Sequence

from san.grammar.constructs import MATRIX, ROW
from san.grammar.grids import find_grids
from san.grammar.tree import Expression, Relation, Symbol
from san.ink import Box
from san.reader.exercise_number import has_number

STACKED = ("aligned", "gathered")
MAX_GAP = 1.0
"""Between two lines of one derivation, in heights of the lower one of them."""


def find_derivations(boxes: Sequence[Box], lines: Sequence[Expression]) -> list[list[int]]:
    """Numbers of formulas, in reading order: each list is one derivation, or one formula alone.

    The number of an exercise begins another.
    """
    derivations: list[list[int]] = []
    for number, (box, line) in enumerate(zip(boxes, lines, strict=True)):
        if number and _goes_on(boxes[number - 1], box) and not has_number(line.symbols):
            derivations[-1].append(number)
        else:
            derivations.append([number])
    return derivations


def _goes_on(above: Box, below: Box) -> bool:
    """Whether a line stands right below another, and in its column."""
    beside = above.right < below.left or below.right < above.left
    gap = below.top - above.bottom
    return not beside and gap <= MAX_GAP * max(above.height, below.height)


def stacked(lines: Sequence[Expression]) -> Expression:
    """Lines as one expression: LaTeX writes it as `aligned`, or `gathered` without relations."""
    if len(lines) == 1:
        return lines[0]
    symbols = list(lines[0].symbols)
    for line in lines[1:]:
        symbols += [Symbol(ROW), *line.symbols]
    return Expression((Symbol(MATRIX, ((Relation.INSIDE, Expression(tuple(symbols))),)),))


def has_stacked(expression: Expression) -> bool:
    """Whether lines below one another, without a brace or fences, stand in it, alone or beside
    something: `y=2` above a system is no part of it."""
    return any(grid.environment in STACKED for grid in find_grids(expression.symbols))
