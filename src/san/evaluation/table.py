"""A report as tables for the terminal."""

from collections.abc import Iterator

from rich.table import Table
from rich.text import Text

from san.errors import printable
from san.evaluation.metrics import Rate
from san.evaluation.paired import Paired
from san.evaluation.report import Report
from san.grammar.tree import NOTHING, Relation


def tables(report: Report, confusions: int = 10) -> Iterator[Table]:
    """The scores; then, where there are errors, where they are."""
    scores = _table("", "%", "95% interval", "right", "of")
    names = {"ExpRate": report.exprate, "≤ 1 error": report.le1, "≤ 2 errors": report.le2}
    for name, rate in (names | {"ESPR (structure)": report.espr}).items():
        scores.add_row(name, *_cells(rate))
    scores.add_section()
    for degree, rate in report.by_difficulty.items():
        scores.add_row(f"{degree.value.capitalize()} ExpRate", *_cells(rate))
    scores.add_section()
    for length, rate in report.by_length.items():
        scores.add_row(f"{length} symbols ExpRate", *_cells(rate))
    if report.no_length.total:  # or the rows would not add up
        scores.add_row("no formula ExpRate", *_cells(report.no_length))
    yield scores
    if report.exprate.right < report.n and report.errors.by_relation:
        yield _relations(report)
        yield _confusions(report, confusions)
        if report.errors.added:
            yield _added(report, confusions)


def paired_table(compared: Paired, first: str, second: str) -> Table:
    """Which expressions two sets of predictions have right."""
    table = _table("right in", "expressions")
    for name, count in (
        ("both", compared.both),
        (f"{printable(first)} alone", compared.first),
        (f"{printable(second)} alone", compared.second),
        ("neither", compared.neither),
    ):
        table.add_row(Text(name), str(count))
    return table


def paired_note(compared: Paired, first: str) -> str:
    low, high = compared.interval
    return (
        f"{printable(first)}: {compared.difference:+.2f} points of ExpRate "
        f"(95% interval {low:+.1f} to {high:+.1f}); were both equally good, as large a difference "
        f"would have a probability of {compared.p_value:.2g} (sign test)"
    )


def _relations(report: Report) -> Table:
    table = _table("symbols by relation", "of", "wrong or missing", "%", "misplaced")
    rows = report.errors.by_relation
    for name in ("start", *(relation.value for relation in Relation)):
        if name in rows:
            row = rows[name]
            share = f"{100 * row.wrong / row.total:.1f}"
            table.add_row(name, str(row.total), str(row.wrong), share, str(row.misplaced))
    return table


def _confusions(report: Report, max_rows: int) -> Table:
    table = _table("symbol", "read as", "times")
    for (truth, read), count in report.errors.confusions.most_common(max_rows):
        shown = Text("(missing)") if read == NOTHING else _symbol(read)
        table.add_row(_symbol(truth), shown, str(count))
    return table


def _added(report: Report, max_rows: int) -> Table:
    table = _table("read where nothing is written", "times")
    for read, count in report.errors.added.most_common(max_rows):
        table.add_row(_symbol(read), str(count))
    return table


def _symbol(name: str) -> Text:
    """As Text: a symbol such as [ is no markup."""
    return Text(printable(name))


def _table(*columns: str) -> Table:
    table = Table()
    for place, column in enumerate(columns):
        table.add_column(column, justify="left" if place == 0 else "right", no_wrap=True)
    return table


def _cells(rate: Rate) -> tuple[str, str, str, str]:
    if not rate.total:
        return "-", "-", "0", "0"
    low, high = rate.interval
    return f"{rate.percent:.2f}", f"{low:.1f} - {high:.1f}", str(rate.right), str(rate.total)
