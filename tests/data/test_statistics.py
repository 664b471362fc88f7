import sys

import pytest

from san.data.statistics import Spread, Statistics, counted, print_tables, spread
from san.grammar import Relation, parse


def test_counts() -> None:
    statistics = Statistics()
    statistics.add(parse("x+1"), (30, 90))
    statistics.add(parse(r"\frac{x^{2}}{y}"), (60, 40))
    assert statistics.lengths == [3, 4]
    assert statistics.depths == [0, 2]
    assert statistics.steps == [4, 8]
    assert statistics.levels == [4, 6]
    assert (statistics.heights, statistics.widths) == ([30, 60], [90, 40])
    assert statistics.symbols == {"x": 2, "+": 1, "1": 1, r"\frac": 1, "2": 1, "y": 1}
    assert statistics.relations == {
        Relation.RIGHT: 2,
        Relation.ABOVE: 1,
        Relation.SUP: 1,
        Relation.BELOW: 1,
    }


def test_what_has_no_ink_is_no_symbol() -> None:
    statistics = Statistics()
    statistics.add(parse("{}^{14}C"), (10, 10))
    assert statistics.symbols == {"1": 1, "4": 1, "C": 1}
    assert statistics.lengths == [3]


def test_spread() -> None:
    assert spread([]) == Spread(0, 0, 0, 0)
    assert spread(list(range(1, 102))) == Spread(51, 51, 96, 101)


def test_one_is_no_plural() -> None:
    assert [counted(count) for count in (0, 1, 1200)] == [
        "0 expressions",
        "1 expression",
        "1,200 expressions",
    ]


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    statistics = Statistics()
    for latex in (r"[a]", r"\frac{a}{b}", "a"):
        statistics.add(parse(latex), (30, 1200))
    print_tables(statistics, sys.stdout)
    lines = [line.replace("│", " ").split() for line in capsys.readouterr().out.splitlines()]
    assert ["3", "expressions"] in lines
    assert ["width", "(px)", "1,200.0", "1,200", "1,200", "1,200"] in lines
    assert ["symbols", "2.3", "3", "3", "3"] in lines
    assert any(line[:3] == ["a", "3", "42.9"] for line in lines)
    assert any("[" in line for line in lines)
    assert ["above", "1", "25.0"] in lines
    caption = next(line for line in lines if "kinds;" in line)
    assert caption[:8] == "7 symbols of 5 kinds; 5 kinds occur".split()
