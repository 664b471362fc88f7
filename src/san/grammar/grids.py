"""Grids: rows and cells of a `\\matrix`, and which environment of LaTeX draws it with its fences.

A system behind a brace, cases, stacked lines and matrices are one tree: the symbol `\\matrix` with
its cells inside, and plain symbols for the fences beside it. What LaTeX calls it follows from them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from san.grammar.constructs import CELL, MATRIX, ROW
from san.grammar.symbols import ENVIRONMENTS
from san.grammar.tree import Expression, Relation, Symbol

INKLESS = frozenset((MATRIX, CELL, ROW))
"""Symbols of a grid that nobody writes: they say how others stand."""

_FENCED = {
    ENVIRONMENTS[name]: name
    for name in ("pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "cases", "rcases")
}
_BRACES = {r"\{": r"\}"}
RELATIONS = frozenset(
    r"= < > \leq \geq \leqslant \geqslant \neq \approx \equiv \cong \sim \rightarrow \Rightarrow"
    r" \Leftrightarrow \xlongequal \in \subset \subseteq \perp \parallel".split()
)
"""Signs at which lines are aligned."""
_SCRIPTS = frozenset((Relation.SUB, Relation.SUP))


class Grid(NamedTuple):
    """A grid in a chain, with the fences beside it that LaTeX draws by an environment."""

    environment: str
    first: int  # place of the opening fence, or of the grid itself
    place: int  # of the grid
    last: int  # place of the closing fence, or of the grid itself


def is_parting(symbol: Symbol) -> bool:
    """Whether it parts cells or rows: only where nothing hangs on it."""
    return symbol.name in (CELL, ROW) and not symbol.branches


def rows_of(cells: Expression) -> list[list[tuple[Symbol, ...]]]:
    """The cells of each row; always at least one, and cells may be empty."""
    rows: list[list[tuple[Symbol, ...]]] = [[]]
    cell: list[Symbol] = []
    for symbol in cells.symbols:
        if not is_parting(symbol):
            cell.append(symbol)
            continue
        rows[-1].append(tuple(cell))
        cell = []
        if symbol.name == ROW:
            rows.append([])
    rows[-1].append(tuple(cell))
    return rows


def written_names(expression: Expression) -> set[str]:
    """The names of all symbols that are written: what parts the cells of a grid is not."""
    names: set[str] = set()
    in_grid: list[bool] = []
    walked: list[str] = []
    for symbol, parent, relation in expression.walk():
        name = symbol.name
        inside = relation is Relation.INSIDE and walked[parent] == MATRIX
        in_grid.append(inside or (relation is Relation.RIGHT and in_grid[parent]))
        walked.append(name)
        if name != MATRIX and not (in_grid[-1] and is_parting(symbol)):
            names.add(name)
    return names


def has_grid(expression: Expression) -> bool:
    """Whether there is one anywhere in it."""
    return any(visit.symbol.name == MATRIX for visit in expression.walk())


def is_ragged(expression: Expression) -> bool:
    """Whether there is a grid whose rows differ in length."""
    grids = (visit.symbol for visit in expression.walk() if visit.symbol.name == MATRIX)
    return any(len(set(map(len, rows_of(grid.branch(Relation.INSIDE))))) > 1 for grid in grids)


def has_cells(cells: Expression) -> bool:
    """Whether its rows are parted into cells; else each row is one line."""
    return any(symbol.name == CELL for symbol in cells.symbols)


def find_grids(symbols: Sequence[Symbol]) -> list[Grid]:
    """The grids of a chain, from left to right; a fence belongs to one of them at most."""
    grids: list[Grid] = []
    for place, symbol in enumerate(symbols):
        if symbol.name == MATRIX:
            taken = grids[-1].last + 1 if grids else 0
            grids.append(_fenced(symbols, place, taken))
    return grids


def _fenced(symbols: Sequence[Symbol], place: int, taken: int) -> Grid:
    cells = symbols[place].branch(Relation.INSIDE)
    bare = all(relation is Relation.INSIDE for relation, _ in symbols[place].branches)
    before = symbols[place - 1] if place > taken else None
    after = symbols[place + 1] if place + 1 < len(symbols) else None
    opener = before.name if before is not None and not before.branches else ""
    closer = after.name if after is not None and is_scripted_at_most(after) else ""
    if bare and opener and closer and (opener, closer) in _FENCED:
        return Grid(_FENCED[opener, closer], place - 1, place, place + 1)
    if bare and not has_cells(cells):
        if opener in _BRACES and not _is_closed(symbols, place - 1):
            return Grid("cases", place - 1, place, place)
        if closer in _BRACES.values() and not _is_opened(symbols, place + 1):
            return Grid("rcases", place, place, place + 1)
        if len(rows_of(cells)) > 1:
            return Grid("aligned" if _have_relations(cells) else "gathered", place, place, place)
    return Grid("matrix", place, place, place)


def is_scripted_at_most(symbol: Symbol) -> bool:
    return all(relation in _SCRIPTS for relation, _ in symbol.branches)


def _is_closed(symbols: Sequence[Symbol], place: int) -> bool:
    """Whether the brace that opens here is closed later in its chain."""
    unclosed = 0
    for symbol in symbols[place:]:
        unclosed += (symbol.name in _BRACES) - (symbol.name in _BRACES.values())
        if not unclosed:
            return True
    return False


def _is_opened(symbols: Sequence[Symbol], place: int) -> bool:
    unopened = 0
    for symbol in reversed(symbols[: place + 1]):
        unopened += (symbol.name in _BRACES.values()) - (symbol.name in _BRACES)
        if not unopened:
            return True
    return False


def _have_relations(cells: Expression) -> bool:
    """Whether every line has a relation sign, by which lines are aligned."""
    return all(
        any(symbol.name in RELATIONS for symbol in cell) for row in rows_of(cells) for cell in row
    )


def alignment_places(cells: Expression) -> set[int]:
    """Where lines are aligned: the place of the first relation sign of each."""
    places: set[int] = set()
    is_open = True
    for place, symbol in enumerate(cells.symbols):
        if is_open and symbol.name in RELATIONS:
            places.add(place)
            is_open = False
        is_open = is_open or (symbol.name == ROW and not symbol.branches)
    return places


def with_alignment(cells: Expression) -> Expression:
    """The lines with an `&` where they are aligned, as `aligned` takes them."""
    places = alignment_places(cells)
    aligned: list[Symbol] = []
    for place, symbol in enumerate(cells.symbols):
        aligned += (Symbol(CELL), symbol) if place in places else (symbol,)
    return Expression(tuple(aligned))
