"""Which step wrote which symbol: whatever the tree, names and order agree with it."""

import pytest

from san.decoding import DecodingLimits, decode
from san.grammar import Relation, parse
from san.grammar.productions import EMPTY_STRING, EXTEND, START, Step, by_level, fold, unfold
from san.grammar.tree import NOTHING
from san.reader.step_symbols import symbol_steps
from tests.decoding.noise import ONE, Noise


def _names(steps: list[Step]) -> list[str]:
    names = []
    for index in symbol_steps(steps):
        target = steps[index].target
        names.append(NOTHING if target == EXTEND else target)
    return names


@pytest.mark.parametrize(
    "latex",
    ["x", r"\frac{a_1^2}{b}+\sum_{i=1}^n i", r"{}^{14}C", r"\sqrt[3]{x^{2^y}}_k", ""],
)
def test_of_formulas(latex: str) -> None:
    tree = parse(latex)
    expected = [visit.symbol.name for visit in tree.walk()]
    for steps in (unfold(tree), by_level(unfold(tree))):
        assert _names(steps) == expected


@pytest.mark.slow
def test_of_whatever_a_network_says() -> None:
    inkless = 0
    for seed in range(120):
        for reading in decode(Noise(seed, ending=1.0), ONE * 4, DecodingLimits(steps=80, depth=12)):
            expected = [visit.symbol.name for visit in reading.expression.walk()]
            assert _names([read.step for read in reading.steps]) == expected
            inkless += NOTHING in expected
    assert inkless > 5


def test_a_grid_that_nobody_opened_is_written_by_what_parts_it() -> None:
    right, sup = Relation.RIGHT, Relation.SUP
    steps = [
        Step(-1, START, "x", (), 0),
        Step(0, "x", EXTEND, (sup, right), 1),
        Step(1, sup, "a", (), 2),
        Step(2, "a", "&", (), 3),
        Step(3, "&", EMPTY_STRING, (), 4),
        Step(1, right, r"\\", (), 2),
        Step(5, r"\\", "y", (), 3),
        Step(6, "y", EMPTY_STRING, (), 4),
    ]
    names = [visit.symbol.name for visit in fold(steps).walk()]
    assert names == [r"\matrix", "x", r"\matrix", "a", "&", r"\\", "y"]
    assert symbol_steps(steps) == [5, 0, 3, 2, 3, 5, 6]
    drawn = unfold(fold(steps))
    assert [drawn[index].target for index in symbol_steps(drawn)] == names


def test_limits_that_a_symbol_adopts_change_places() -> None:
    """`\\sum{}_a^b` with its scripts on nothing: below and above, and above comes first."""
    right, sub, sup = Relation.RIGHT, Relation.SUB, Relation.SUP
    steps = [
        Step(-1, START, r"\sum", (), 0),
        Step(0, r"\sum", EXTEND, (right,), 1),
        Step(1, right, EXTEND, (sub, sup), 2),
        Step(2, sub, "a", (), 3),
        Step(2, sup, "b", (), 3),
        Step(3, "a", EMPTY_STRING, (), 4),
        Step(4, "b", EMPTY_STRING, (), 4),
    ]
    assert [visit.symbol.name for visit in fold(steps).walk()] == [r"\sum", "b", "a"]
    assert symbol_steps(steps) == [0, 4, 3]
