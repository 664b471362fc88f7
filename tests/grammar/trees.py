"""Random trees in normal form, for property tests."""

from hypothesis import strategies as st

from san.grammar.constructs import CONSTRUCTS, relations_of
from san.grammar.normal_form import chain, outside_grids, symbol_with
from san.grammar.symbols import COMMANDS
from san.grammar.tree import EMPTY, NOTHING, Expression, Symbol

PLAIN = [*"abxyzAZ019+-=()[]*|.,!<>/&种", r"\mathbb{R}", r"\mathcal{L}", *sorted(COMMANDS)]
NAMES = [NOTHING, *PLAIN, *sorted(CONSTRUCTS)]


@st.composite
def _symbols(draw: st.DrawFn, inner: st.SearchStrategy[Expression]) -> Symbol:
    name = draw(st.sampled_from(NAMES))
    wanted = draw(st.sets(st.sampled_from(relations_of(name)), max_size=3))
    return symbol_with(name, [(relation, draw(inner)) for relation in wanted])


def expressions() -> st.SearchStrategy[Expression]:
    """Any expression that the grammar allows, the odd ones included."""
    return _chains().map(outside_grids)


def _chains() -> st.SearchStrategy[Expression]:
    """Any chain, also such as stand in a grid."""
    plain = st.builds(Symbol, st.sampled_from(PLAIN))
    leaves = st.one_of(st.just(EMPTY), st.lists(plain, max_size=4).map(chain))
    return st.recursive(
        leaves, lambda inner: st.lists(_symbols(inner), max_size=4).map(chain), max_leaves=12
    )


def structure(expression: Expression) -> tuple[object, ...]:
    """A tree as nested tuples: what equality of trees must agree with."""
    return tuple(
        (symbol.name, tuple((own.value, structure(branch)) for own, branch in symbol.branches))
        for symbol in expression.symbols
    )
