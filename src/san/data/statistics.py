"""What a corpus is like: how long, how deep and how large its expressions are, and made of what."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from san.grammar import Expression, Relation
from san.grammar.productions import unfold
from san.grammar.tree import NOTHING


class Spread(NamedTuple):
    """A distribution in four numbers."""

    mean: float
    median: float
    most_have: float  # 95% have no more
    largest: float


def spread(values: Sequence[int]) -> Spread:
    if not values:
        return Spread(0, 0, 0, 0)
    median, most_have = np.percentile(values, (50, 95)).tolist()
    return Spread(float(np.mean(values)), median, most_have, max(values))


@dataclass
class Statistics:
    """Counts over the expressions added so far; the lists have one entry each."""

    lengths: list[int] = field(default_factory=list)  # symbols
    steps: list[int] = field(default_factory=list)  # of the decoder
    levels: list[int] = field(default_factory=list)  # of steps that run at once
    depths: list[int] = field(default_factory=list)  # of nesting: 0 for a plain row of symbols
    heights: list[int] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    symbols: Counter[str] = field(default_factory=Counter)
    relations: Counter[Relation] = field(default_factory=Counter)

    def add(self, tree: Expression, shape: tuple[int, ...]) -> None:
        """Count one more expression and its picture, (height, width)."""
        depths: list[int] = []
        for symbol, parent, relation in tree.walk():
            nested = relation not in (None, Relation.RIGHT)
            depths.append((depths[parent] if parent >= 0 else 0) + nested)
            if relation is not None:
                self.relations[relation] += 1
            if symbol.name != NOTHING:
                self.symbols[symbol.name] += 1
        steps = unfold(tree)
        self.lengths.append(len(tree))
        self.steps.append(len(steps))
        self.levels.append(1 + max(step.depth for step in steps))
        self.depths.append(max(depths, default=0))
        self.heights.append(shape[0])
        self.widths.append(shape[1])
