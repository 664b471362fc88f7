"""New trees from written ones: branches exchanged for others' branches, names for similar names.

A numerator may become any other numerator, a subscript any other subscript: what hangs on a symbol
by a relation is exchanged only for what hung on such a symbol by the same relation. Names are
exchanged through the whole tree at once, so that `x^{2}+x` becomes `n^{2}+n`.
"""

from collections import defaultdict
from collections.abc import Iterable

from san.grammar.tree import Expression, Relation, Symbol
from san.synth.layout.symbol_classes import SIMILAR_TO
from san.synth.random_stream import RandomStream

Place = tuple[Relation, str]
_BRANCHES_OF_THEIR_OWN = frozenset((r"\frac", r"\sqrt", r"\sum", r"\int", r"\lim", r"\log"))


def place_of(relation: Relation, name: str) -> Place:
    """Where a branch hangs: by which relation, on which class of symbol."""
    return relation, name if name in _BRANCHES_OF_THEIR_OWN else ""


class BranchPool:
    """All branches of some trees, by where they hang."""

    def __init__(self, trees: Iterable[Expression]) -> None:
        self._branches: dict[Place, list[Expression]] = defaultdict(list)
        for tree in trees:
            for visit in tree.walk():
                for relation, branch in visit.symbol.branches:
                    self._branches[place_of(relation, visit.symbol.name)].append(branch)

    def graft(self, tree: Expression, random: RandomStream, chance: float) -> Expression:
        """The tree with each branch, outer ones first, exchanged at a chance."""
        symbols = []
        for symbol in tree.symbols:
            branches = []
            for relation, branch in symbol.branches:
                others = self._branches.get(place_of(relation, symbol.name))
                if others and random.uniform() < chance:
                    branches.append((relation, random.choice(others)))
                else:
                    branches.append((relation, self.graft(branch, random, chance)))
            symbols.append(Symbol(symbol.name, tuple(branches)))
        return Expression(tuple(symbols))


def similar_names(
    names: Iterable[str], known: Iterable[str], random: RandomStream, chance: float
) -> dict[str, str]:
    """For some of the names others of a like shape; `known` are those that can be written."""
    can = set(known)
    exchanged = {}
    for name in sorted(set(names)):
        similar = SIMILAR_TO.get(name)
        if similar and random.uniform() < chance:
            new = random.choice(similar)
            if new in can:
                exchanged[name] = new
    return exchanged


def rename(tree: Expression, names: dict[str, str]) -> Expression:
    """The tree with some names exchanged everywhere."""
    if not names:
        return tree
    return Expression(
        tuple(
            Symbol(
                names.get(symbol.name, symbol.name),
                tuple((relation, rename(branch, names)) for relation, branch in symbol.branches),
            )
            for symbol in tree.symbols
        )
    )
