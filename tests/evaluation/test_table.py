"""What the tables say, whatever the symbols are called."""

import io

from rich.console import Console

from san.evaluation.report import score
from san.evaluation.table import tables


def _shown(predictions: dict[str, str], labels: dict[str, str]) -> list[list[str]]:
    console = Console(file=io.StringIO(), width=120)
    for table in tables(score(predictions, labels)):
        console.print(table)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    return [line.replace("│", " ").split() for line in text.splitlines()]


def test_symbols_are_no_markup() -> None:
    lines = _shown({"a": "x+[", "b": "/"}, {"a": "[+]", "b": r"\text{[}"})
    assert ["[", "x", "1"] in lines
    assert ["]", "[", "1"] in lines


def test_rows_of_lengths_add_up_to_the_labels() -> None:
    lines = _shown({"a": "x", "b": "y"}, {"a": "x", "b": r"\frac{"})
    assert ["no", "formula", "ExpRate", "0.00", "0.0", "-", "79.3", "0", "1"] in lines
    assert not any(line[:1] == ["no"] for line in _shown({"a": "x"}, {"a": "x"}))


def test_what_was_read_where_nothing_is_written() -> None:
    lines = _shown({"a": "x+[", "b": "y"}, {"a": "x", "b": "xy"})
    assert ["[", "1"] in lines
    assert ["+", "1"] in lines
    assert ["x", "(missing)", "1"] in lines
