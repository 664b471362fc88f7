"""The tree of a reading: each symbol with its step, boxes that stand apart, branches below."""

from itertools import pairwise

import pytest

from san.grammar import parse
from san.grammar.productions import EMPTY_STRING, EXTEND
from san.grammar.tree import NOTHING, Relation
from san.reader.explain.canvas import Canvas
from san.reader.explain.tree import (
    BOX,
    DROP,
    MAX_ROWS,
    MORE,
    Node,
    TreeLayout,
    _box_width,
    draw_tree,
    measure,
    nodes_of,
)
from tests.evaluation.readings import reading

FORMULAS = [
    r"x=\frac{-b\pm\sqrt{b^2-4ac}}{2a}",
    r"1+\frac{1}{2+\frac{1}{2+x}}",
    r"\sum_{n=1}^{\infty}\frac{1}{n^2}=\frac{\pi^2}{6}",
    r"x_{1}^{2}y_{1}^{2}z_{1}^{2}",
    r"\sqrt[3]{x^3}\Longleftrightarrow x",
]


def _rows(drawn: TreeLayout, row: int, found: dict[int, list[tuple[float, float]]]) -> None:
    for node, middle, under in drawn.boxes:
        half = _box_width(node) / 2
        found.setdefault(row, []).append((middle - half, middle + half))
        for _, branch in under:
            _rows(branch, row + 1, found)


@pytest.mark.parametrize("latex", FORMULAS)
def test_boxes_do_not_touch(latex: str) -> None:
    drawn = measure(nodes_of(reading(latex)))
    found: dict[int, list[tuple[float, float]]] = {}
    _rows(drawn, 0, found)
    for row in found.values():
        for (_, right), (left, _) in pairwise(sorted(row)):
            assert left - right >= 6
    boxes = [box for row in found.values() for box in row]
    assert min(left for left, _ in boxes) >= min(drawn.lefts)
    assert max(right for _, right in boxes) <= max(drawn.rights)
    assert drawn.height == len(found) * BOX + (len(found) - 1) * DROP


def test_a_box_is_centred_over_its_branches() -> None:
    ((_, middle, under),) = measure(nodes_of(reading(r"\frac{a+b}{c}"))).boxes
    assert middle == (under[0][1].middle + under[1][1].middle) / 2


def test_a_narrow_branch_slips_under_its_neighbours() -> None:
    """Symbols of one row stay together as long as nothing below them is in the way."""
    alone = measure(nodes_of(reading("abcx"))).width
    assert measure(nodes_of(reading("abcx^2"))).width == alone


def test_draws_within_its_size() -> None:
    drawn = measure(nodes_of(reading(FORMULAS[0])))
    canvas = Canvas(round(drawn.width) + 40, round(drawn.height) + 40)
    draw_tree(canvas, drawn, 20, 20)
    image = canvas.finished()
    paper = image.getpixel((0, 0))
    differs = [
        (x, y)
        for x in range(image.width)
        for y in range(image.height)
        if image.getpixel((x, y)) != paper
    ]
    columns, rows = [x for x, _ in differs], [y for _, y in differs]
    # The marks of doubt reach out of their boxes by a few pixels.
    assert 8 <= min(columns) <= 22
    assert 8 <= min(rows) <= 22
    assert image.width - 32 <= max(columns) < image.width - 8
    assert image.height - 22 <= max(rows) < image.height - 8


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
    nodes = _walk(nodes_of(reading(latex)))
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
    nodes = _walk(nodes_of(read))
    kept = [id(step) for node in nodes for step in (node.read, node.opens) if step]
    wanted = [id(step) for step in read.steps if step.step.target != EMPTY_STRING]
    assert sorted(kept) == sorted(wanted)
    assert all(node.opens is None or node.opens.step.target == EXTEND for node in nodes)


def test_branches_are_under_their_relations() -> None:
    (fraction, letter) = nodes_of(reading(r"\frac{ab}{c}d"))
    assert letter.name == "d"
    shown = [(relation, [node.name for node in chain]) for relation, chain in fraction.branches]
    assert shown == [(Relation.ABOVE, ["a", "b"]), (Relation.BELOW, ["c"])]


def test_too_much_ends_in_more() -> None:
    chain = nodes_of(reading("x" * 30), max_symbols=10)
    assert [node.name for node in chain] == ["x"] * 10 + [MORE]
    nested = nodes_of(reading("x" + "^{x" * 30 + "}" * 30))
    assert [node.name for node in _walk(nested)] == ["x"] * MAX_ROWS + [MORE]
