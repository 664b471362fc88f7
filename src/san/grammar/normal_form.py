"""Normal form: loose symbols -> the one chain that draws the same.

Scripts that follow a bare symbol are that symbol's scripts, whoever wrote `{}` between the two, and
a nameless symbol that carries nothing is not there. What has rows or cells is a grid, whether
somebody said so or not. Everything that makes expressions (the parser,
the builder of steps, the JSON reader) makes them here.
"""

from collections.abc import Iterable

from san.grammar.constructs import CELL, MATRIX, ROW, construct_of, relations_of
from san.grammar.errors import GrammarError, quoted
from san.grammar.tree import EMPTY, NOTHING, SLOT, Expression, Relation, Symbol


def chain(symbols: Iterable[Symbol]) -> Expression:
    """The expression of these symbols, in normal form; it may be what stands in a grid."""
    normal: list[Symbol] = []
    for symbol in symbols:
        if symbol.name != NOTHING:
            normal.append(symbol)
        elif symbol.branches and normal and normal[-1].name != NOTHING and not normal[-1].branches:
            normal[-1] = _adopt(normal[-1], symbol)
        elif symbol.branches:
            normal.append(symbol)
    return Expression(tuple(normal)) if normal else EMPTY


def outside_grids(expression: Expression) -> Expression:
    """The same where it is not what stands in a grid: with rows or cells of its own it is one."""
    if any(symbol.name in (CELL, ROW) for symbol in expression.symbols):
        return Expression((Symbol(MATRIX, ((Relation.INSIDE, expression),)),))
    return expression


def symbol_with(name: str, branches: Iterable[tuple[Relation, Expression]]) -> Symbol:
    """A symbol with its branches, in any order: empty ones are dropped, impossible ones refused."""
    kept: list[tuple[Relation, Expression]] = []
    for relation, expression in branches:
        if relation not in relations_of(name):
            raise GrammarError(f"nothing can stand {relation.words} {quoted(name or 'nothing')}")
        if expression.symbols:
            in_grid = name == MATRIX and relation is Relation.INSIDE
            kept.append((relation, expression if in_grid else outside_grids(expression)))
    kept.sort(key=lambda branch: SLOT[branch[0]])
    return Symbol(name, tuple(kept))


def _adopt(symbol: Symbol, scripts: Symbol) -> Symbol:
    construct = construct_of(symbol.name)
    place = {Relation.SUB: construct.sub, Relation.SUP: construct.sup}
    return symbol_with(
        symbol.name, ((place[script], branch) for script, branch in scripts.branches)
    )
