"""The tables name what was counted, whatever the symbols are called."""

import pytest

from san.data.statistics import Statistics
from san.data.tables import print_tables
from san.grammar import parse


def test_tables(capsys: pytest.CaptureFixture[str]) -> None:
    statistics = Statistics()
    for latex in (r"[a]", r"\frac{a}{b}", "a"):
        statistics.add(parse(latex), (30, 1200))
    print_tables(statistics)
    lines = [line.replace("│", " ").split() for line in capsys.readouterr().out.splitlines()]
    assert ["3", "expressions"] in lines
    assert ["width", "(px)", "1,200.0", "1,200", "1,200", "1,200"] in lines
    assert ["symbols", "2.3", "3", "3", "3"] in lines
    assert any(line[:3] == ["a", "3", "42.9"] for line in lines)
    assert any("[" in line for line in lines)
    assert ["above", "1", "25.0"] in lines
    caption = next(line for line in lines if "kinds;" in line)
    assert caption[:8] == "7 symbols of 5 kinds; 5 kinds occur".split()
