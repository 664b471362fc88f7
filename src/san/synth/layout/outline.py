"""A tree as flat lists: for work that goes over its symbols by number, in the order of its walk.

A symbol's subtree (the symbol and all that hangs on it) is a range of that order, and so is each of
its branches.
"""

from dataclasses import dataclass

from san.grammar.tree import Expression, Relation


@dataclass(frozen=True, slots=True)
class Outline:
    """What is known of each symbol, in walk order."""

    names: list[str]
    parents: list[int]  # -1 for the first
    relations: list[Relation | None]
    parts: list[dict[Relation, int]]  # the first symbol of each branch
    following: list[int]  # the next symbol of the same chain; -1 for the last
    sizes: list[int]  # symbols of the subtree

    def __len__(self) -> int:
        return len(self.names)

    def chain(self, first: int) -> list[int]:
        """A symbol and those that follow it in its chain."""
        symbols = [first]
        while (after := self.following[symbols[-1]]) >= 0:
            symbols.append(after)
        return symbols


def outline(tree: Expression) -> Outline:
    names: list[str] = []
    parents: list[int] = []
    relations: list[Relation | None] = []
    for symbol, parent, relation in tree.walk():
        names.append(symbol.name)
        parents.append(parent)
        relations.append(relation)
    count = len(names)
    parts: list[dict[Relation, int]] = [{} for _ in range(count)]
    following = [-1] * count
    sizes = [1] * count
    for place in range(count - 1, 0, -1):  # children before their parents
        parent, relation = parents[place], relations[place]
        if relation is Relation.RIGHT:
            following[parent] = place
        elif relation is not None:
            parts[parent][relation] = place
            after = place
            while after >= 0:
                sizes[parent] += sizes[after]
                after = following[after]
    return Outline(names, parents, relations, parts, following, sizes)
