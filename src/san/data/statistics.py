"""Counts how long, deep and large the expressions of a corpus are; prints that as tables."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TextIO

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from san.errors import printable
from san.grammar import Expression, Relation
from san.grammar.productions import unfold
from san.grammar.tree import NOTHING


class Spread(NamedTuple):
    """A distribution in four numbers."""

    mean: float
    median: float
    percentile_95: float  # 95% have no more
    largest: float


def spread(values: Sequence[int]) -> Spread:
    if not values:
        return Spread(0, 0, 0, 0)
    median, percentile_95 = np.percentile(values, (50, 95)).tolist()
    return Spread(float(np.mean(values)), median, percentile_95, max(values))


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


MAX_LISTED = 30
"""So many symbols are listed one by one, in so many columns:"""
COLUMNS = 3
RARE_COUNT = 10
"""A symbol that occurs less often is rare: too few to learn it from."""


def counted(expressions: int) -> str:
    return "1 expression" if expressions == 1 else f"{expressions:,} expressions"


def print_tables(statistics: Statistics, file: TextIO) -> None:
    """Print all that is known of a corpus."""
    console = Console(file=file, highlight=False)
    console.print(f"{counted(len(statistics.lengths))}\n")
    for table in (_sizes(statistics), _symbols(statistics), _relations(statistics)):
        console.print(table)


def _sizes(statistics: Statistics) -> Table:
    table = _table("per expression", "mean", "median", "95%", "most")
    for name, values in (
        ("symbols", statistics.lengths),
        ("steps", statistics.steps),
        ("levels", statistics.levels),
        ("depth", statistics.depths),
        ("height (px)", statistics.heights),
        ("width (px)", statistics.widths),
    ):
        of = spread(values)
        whole = (f"{value:,.0f}" for value in of[1:])
        table.add_row(name, f"{of.mean:,.1f}", *whole)
    return table


def _symbols(statistics: Statistics) -> Table:
    total = statistics.symbols.total()
    table = _table(*("symbol", "count", "%") * COLUMNS)
    listed = statistics.symbols.most_common(MAX_LISTED)
    rows = -(-len(listed) // COLUMNS)
    for row in range(rows):
        cells: list[str | Text] = []
        for name, count in listed[row::rows]:
            # As Text: a name such as [ is no markup.
            cells += (Text(printable(name)), f"{count:,}", f"{100 * count / total:.1f}")
        table.add_row(*cells)
    rare = sum(1 for count in statistics.symbols.values() if count < RARE_COUNT)
    table.caption = (
        f"{total:,} symbols of {len(statistics.symbols):,} kinds; "
        f"{rare:,} kinds occur less than {RARE_COUNT} times"
    )
    return table


def _relations(statistics: Statistics) -> Table:
    total = statistics.relations.total() or 1
    table = _table("relation", "count", "%")
    for relation in Relation:
        count = statistics.relations[relation]
        table.add_row(relation.value, f"{count:,}", f"{100 * count / total:.1f}")
    return table


def _table(*headings: str) -> Table:
    table = Table()
    for heading in headings:
        words = heading in ("per expression", "symbol", "relation")
        table.add_column(heading, justify="left" if words else "right")
    return table
