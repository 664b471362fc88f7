"""The outline of a tree, and how large each of its chains is written, and on which line.

An outline is a tree as flat lists: for work that goes over its symbols by number, in the order of
its walk. A symbol's subtree (the symbol and all that hangs on it) is a range of that order, and so
is each of its branches.

Every chain of a tree (a numerator, a script, the whole) has a size, its em, and an axis, the line
through the middle of a minus sign. No symbol shows them alone: an `x` is small by nature, a `y`
hangs low, and a lone script may just be written large. So all chains and all symbols are fitted at
once: a symbol's diagonal is its chain's em times what is usual for its name; a chain's em is its
parent chain's times what is usual for the relation. Each is weighted by how reliable it is, and a
few rounds of averages settle it. The axis may slope: few people write level.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.grammar.tree import SLOT, Expression, Relation
from san.synth.layout.config import MeasureConfig

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NORMAL_QUARTILES = 1.35
"""Deviations between the quartiles of normal numbers."""
MIN_WEIGHT = 1e-12
"""Keeps a quotient finite where nothing was measured."""
FIRST_FRACTION_RELATION = len(SLOT)
"""Numbers of relations from here on are of the parts of fractions, whose sizes differ from others
above and below."""


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


@dataclass(frozen=True)
class Chains:
    """Symbols and the chains that they form, over a whole corpus."""

    name: Ints  # of each symbol: the number of its name
    chain: Ints  # of each symbol: its chain
    box: Floats  # of each symbol: left, top, right, bottom
    parent: Ints  # of each chain: the chain of the symbol that it hangs on; -1 where on none
    relation: Ints  # of each chain: the number of its relation


@dataclass(frozen=True)
class Sizes:
    """What was fitted."""

    em: Floats  # of each chain
    axis: Floats  # of each symbol: where its chain's axis runs under it
    outlier: NDArray[np.bool_]  # of each symbol: far from what is usual for its name


class ChainLinks(NamedTuple):
    """All symbols in the order of the walks, tree after tree; see `Chains`."""

    name: Ints
    chain: Ints
    parent: Ints
    relation: Ints


def link_chains(trees: Iterable[Outline]) -> ChainLinks:
    numbers: dict[str, int] = {}
    name: list[int] = []
    chain: list[int] = []
    parent: list[int] = []
    relation: list[int] = []
    for tree in trees:
        base = len(chain)
        for symbol, above, hangs_by in zip(tree.names, tree.parents, tree.relations, strict=True):
            name.append(numbers.setdefault(symbol, len(numbers)))
            if hangs_by is Relation.RIGHT:
                chain.append(chain[base + above])
            else:
                chain.append(len(parent))
                parent.append(chain[base + above] if hangs_by is not None else -1)
                on_bar = hangs_by is not None and tree.names[above] == r"\frac"
                slot = SLOT[hangs_by] if hangs_by is not None else 0
                relation.append(slot + FIRST_FRACTION_RELATION * on_bar)
    return ChainLinks(*(np.array(column, np.int64) for column in (name, chain, parent, relation)))


def measure(chains: Chains, config: MeasureConfig = MeasureConfig()) -> Sizes:
    width = chains.box[:, 2] - chains.box[:, 0]
    height = chains.box[:, 3] - chains.box[:, 1]
    logs = np.log(np.maximum(np.hypot(width, height), config.min_diagonal))
    log_em, outlier = _sizes(chains, logs, config)
    em = np.exp(log_em)
    axis, odd = _axes(chains, em, config)
    return Sizes(em, axis, outlier | odd)


def _sizes(chains: Chains, logs: Floats, config: MeasureConfig) -> tuple[Floats, NDArray[np.bool_]]:
    least = config.min_deviation
    count = len(chains.parent)
    log_em = _mean(chains.chain, logs, count, np.ones(len(logs)))
    children = np.flatnonzero(chains.parent >= 0)
    parents, relations = chains.parent[children], chains.relation[children]
    for _ in range(config.rounds):
        usual, spread = _usual(chains.name, logs - log_em[chains.chain])
        weight = 1 / np.maximum(spread, least)[chains.name] ** 2
        ratio, unsteady = _usual(relations, log_em[children] - log_em[parents])
        tie = 1 / np.maximum(unsteady, least)[relations] ** 2
        total = np.bincount(chains.chain, weight, count)
        value = np.bincount(chains.chain, weight * (logs - usual[chains.name]), count)
        for chain, other, sign in ((children, parents, 1.0), (parents, children, -1.0)):
            total += np.bincount(chain, tie, count)
            value += np.bincount(chain, tie * (log_em[other] + sign * ratio[relations]), count)
        log_em = value / np.maximum(total, MIN_WEIGHT)  # a chain may have no symbol, and hang alone
    rest = np.abs(logs - log_em[chains.chain] - usual[chains.name])
    return log_em, rest > config.max_deviations * np.maximum(spread, least)[chains.name]


def _axes(chains: Chains, em: Floats, config: MeasureConfig) -> tuple[Floats, NDArray[np.bool_]]:
    count, least = len(em), config.min_deviation
    x, y = (chains.box[:, :2] + chains.box[:, 2:]).T / 2
    symbol_em = em[chains.chain]
    axis = _mean(chains.chain, y, count, np.ones(len(y)))
    slope = np.zeros(count)
    middle = axis
    for _ in range(config.rounds):
        line = axis[chains.chain] + slope[chains.chain] * (x - middle[chains.chain])
        usual, spread = _usual(chains.name, (y - line) / symbol_em)
        weight = 1 / np.maximum(spread, least)[chains.name] ** 2
        level = y - usual[chains.name] * symbol_em
        axis = _mean(chains.chain, level, count, weight)
        middle = _mean(chains.chain, x, count, weight)
        across = (x - middle[chains.chain]) / symbol_em
        rise = (level - axis[chains.chain]) / symbol_em
        product = np.bincount(chains.chain, weight * across * rise, count)
        evidence = np.bincount(chains.chain, weight * across**2, count)
        slope = product / (evidence + config.slope_evidence / least**2)
    line = axis[chains.chain] + slope[chains.chain] * (x - middle[chains.chain])
    rest = np.abs((y - line) / symbol_em - usual[chains.name])
    return line, rest > config.max_deviations * np.maximum(spread, least)[chains.name]


def _usual(key: Ints, values: Floats) -> tuple[Floats, Floats]:
    """Median and deviation (from the middle half) of the values of each key."""
    count = int(key.max(initial=-1)) + 1
    order = np.lexsort((values, key))
    ends = np.cumsum(np.bincount(key, minlength=count))
    starts = np.concatenate(([0], ends[:-1]))
    ranked = values[order]
    low, mid, high = (
        ranked[np.minimum(starts + ((ends - starts) * part).astype(int), len(ranked) - 1)]
        for part in (0.25, 0.5, 0.75)
    )
    return mid, (high - low) / NORMAL_QUARTILES


def _mean(key: Ints, values: Floats, count: int, weight: Floats) -> Floats:
    return np.bincount(key, weight * values, count) / np.maximum(
        np.bincount(key, weight, count), MIN_WEIGHT
    )
