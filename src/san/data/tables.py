"""Statistics -> tables in the terminal."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from san.data.statistics import Statistics, spread
from san.errors import printable
from san.grammar import Relation

COMMONEST = 30
"""So many symbols are listed one by one, in so many columns:"""
COLUMNS = 3
RARE = 10
"""A symbol that occurs less often is rare: too few to learn it from."""


def print_tables(statistics: Statistics) -> None:
    """Print all that is known of a corpus to standard output."""
    console = Console(highlight=False)
    console.print(f"{len(statistics.lengths):,} expressions\n")
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
    listed = statistics.symbols.most_common(COMMONEST)
    rows = -(-len(listed) // COLUMNS)
    for row in range(rows):
        cells: list[str | Text] = []
        for name, count in listed[row::rows]:
            # As Text: a name such as [ is no markup.
            cells += (Text(printable(name)), f"{count:,}", f"{100 * count / total:.1f}")
        table.add_row(*cells)
    rare = sum(1 for count in statistics.symbols.values() if count < RARE)
    table.caption = (
        f"{total:,} symbols of {len(statistics.symbols):,} kinds; "
        f"{rare:,} kinds occur less than {RARE} times"
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
