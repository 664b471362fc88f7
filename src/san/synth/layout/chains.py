"""Which symbols of some trees form a chain, and which chain hangs on which: what sizes rest on."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from san.grammar.tree import SLOT, Relation
from san.synth.layout.measure import Ints
from san.synth.layout.outline import Outline


class Linked(NamedTuple):
    """All symbols in the order of the walks, tree after tree; see `measure.Chains`."""

    name: Ints
    chain: Ints
    parent: Ints
    relation: Ints


def linked(trees: Iterable[Outline]) -> Linked:
    numbers: dict[str, int] = {}
    name: list[int] = []
    chain: list[int] = []
    parent: list[int] = []
    relation: list[int] = []
    for tree in trees:
        base = len(chain)
        for own, above, kind in zip(tree.names, tree.parents, tree.relations, strict=True):
            name.append(numbers.setdefault(own, len(numbers)))
            if kind is Relation.RIGHT:
                chain.append(chain[base + above])
            else:
                chain.append(len(parent))
                parent.append(chain[base + above] if kind is not None else -1)
                # A fraction's parts differ in size from other things above and below.
                on_bar = kind is not None and tree.names[above] == r"\frac"
                relation.append((SLOT[kind] if kind is not None else 0) + 7 * on_bar)
    return Linked(*(np.array(own, np.int64) for own in (name, chain, parent, relation)))
