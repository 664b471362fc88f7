"""The tree of a reading: each symbol with the step that wrote it."""

import pytest

from san.grammar import parse
from san.grammar.productions import EMPTY_STRING, EXTEND
from san.grammar.tree import NOTHING, Relation
from san.reader.explain.paths import MAX_ROWS, MORE, Node, tree_of
from tests.evaluation.readings import reading


def _walk(chain: list[Node]) -> list[Node]:
    return [node for first in chain for node in first.walk()]


@pytest.mark.parametrize(
    "latex",
    [
        "x",
        r"x=\frac{-b\pm\sqrt{b^2-4ac}}{2a}",
        r"{}^{14}C",
        r"\sum_{i=1}^{n}\frac{x_i^2}{\sqrt[3]{y}}",
        r"x_{{}^2}",
    ],
)
def test_symbols_come_in_reading_order_with_their_own_steps(latex: str) -> None:
    nodes = _walk(tree_of(reading(latex)))
    wanted = [visit.symbol.name for visit in parse(latex).walk()]
    assert [node.name for node in nodes] == wanted
    for node in nodes:
        if node.name == NOTHING:
            assert node.read is None
        else:
            assert node.read is not None
            assert node.read.step.target == node.name
    inked = [node.number for node in nodes if node.read]
    assert inked == list(range(len(inked)))


def test_every_step_but_the_ends_is_there_once() -> None:
    read = reading(r"a^2_1+\frac{b}{c}d")
    nodes = _walk(tree_of(read))
    kept = [id(step) for node in nodes for step in (node.read, node.opens) if step]
    wanted = [id(step) for step in read.steps if step.step.target != EMPTY_STRING]
    assert sorted(kept) == sorted(wanted)
    assert all(node.opens is None or node.opens.step.target == EXTEND for node in nodes)


def test_branches_are_under_their_relations() -> None:
    (fraction, letter) = tree_of(reading(r"\frac{ab}{c}d"))
    assert letter.name == "d"
    shown = [(relation, [node.name for node in chain]) for relation, chain in fraction.branches]
    assert shown == [(Relation.ABOVE, ["a", "b"]), (Relation.BELOW, ["c"])]


def test_too_much_ends_in_more() -> None:
    chain = tree_of(reading("x" * 30), most=10)
    assert [node.name for node in chain] == ["x"] * 10 + [MORE]
    nested = tree_of(reading("x" + "^{x" * 30 + "}" * 30))
    assert [node.name for node in _walk(nested)] == ["x"] * MAX_ROWS + [MORE]
