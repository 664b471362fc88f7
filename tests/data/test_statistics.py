"""Counts that can be checked by hand."""

from san.data.statistics import Spread, Statistics, spread
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
