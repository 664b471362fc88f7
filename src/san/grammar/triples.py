"""Tree <-> triples of child, parent and relation, in reading order: the language of DWAP-TD.

A step writes a symbol and says which of the symbols before it is its parent, and in what relation
it stands to it; `right` is a relation like the others. The empty string ends the tree; it hangs on
the symbol that was written last. The nameless symbol, which carries scripts of nothing, is written
as an E: nothing else is.
"""

from collections.abc import Sequence

from san.grammar.errors import GrammarError
from san.grammar.normal_form import chain, outside_grids, symbol_with
from san.grammar.productions import EMPTY_STRING, EXTEND, START, Step
from san.grammar.tree import NOTHING, Expression, Relation, Symbol


def triple_steps(expression: Expression) -> list[Step]:
    """The steps by which a decoder of triples writes an expression; a partner is a relation."""
    steps: list[Step] = []
    for symbol, parent, relation in expression.walk():
        depth = steps[parent].depth + 1 if parent >= 0 else 0
        steps.append(Step(parent, relation or START, symbol.name or EXTEND, (), depth))
    last = len(steps) - 1
    depth = steps[last].depth + 1 if steps else 0
    end = Relation.RIGHT if steps else START
    return [*steps, Step(last, end, EMPTY_STRING, (), depth)]


def triple_tree(
    targets: Sequence[str], parents: Sequence[int], relations: Sequence[Relation]
) -> Expression | None:
    """The expression of some triples without the end; None where no drawing is like that.

    The first is the root, whatever its parent and relation.
    """
    children: dict[tuple[int, Relation], int] = {}
    for index in range(1, len(targets)):
        place = (parents[index], relations[index])
        if not 0 <= parents[index] < index or place in children:
            return None
        children[place] = index
    # From the last to the first, so that what hangs on a symbol is done before it. Each chain is
    # kept reversed: a symbol comes before those that are already there.
    chains: list[list[Symbol]] = [[] for _ in targets]
    try:
        for index in range(len(targets) - 1, -1, -1):
            right = children.get((index, Relation.RIGHT))
            chains[index] = chains[right] if right is not None else []
            branches = (
                (relation, chain(reversed(chains[children[index, relation]])))
                for relation in Relation
                if relation is not Relation.RIGHT and (index, relation) in children
            )
            name = NOTHING if targets[index] == EXTEND else targets[index]
            chains[index].append(symbol_with(name, branches))
        return outside_grids(chain(reversed(chains[0]))) if targets else Expression()
    except GrammarError:
        return None
