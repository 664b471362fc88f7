"""Where the boxes of the tree stand: none on another, branches under their symbols."""

from itertools import pairwise

import pytest

from san.reader.explain.canvas import Canvas
from san.reader.explain.paths import tree_of
from san.reader.explain.tree import BOX, DROP, Drawn, _box_width, draw_tree, measure
from tests.evaluation.readings import reading

FORMULAS = [
    r"x=\frac{-b\pm\sqrt{b^2-4ac}}{2a}",
    r"1+\frac{1}{2+\frac{1}{2+x}}",
    r"\sum_{n=1}^{\infty}\frac{1}{n^2}=\frac{\pi^2}{6}",
    r"x_{1}^{2}y_{1}^{2}z_{1}^{2}",
    r"\sqrt[3]{x^3}\Longleftrightarrow x",
]


def _rows(drawn: Drawn, row: int, found: dict[int, list[tuple[float, float]]]) -> None:
    for node, middle, under in drawn.boxes:
        half = _box_width(node) / 2
        found.setdefault(row, []).append((middle - half, middle + half))
        for _, branch in under:
            _rows(branch, row + 1, found)


@pytest.mark.parametrize("latex", FORMULAS)
def test_boxes_do_not_touch(latex: str) -> None:
    drawn = measure(tree_of(reading(latex)))
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
    ((_, middle, under),) = measure(tree_of(reading(r"\frac{a+b}{c}"))).boxes
    assert middle == (under[0][1].middle + under[1][1].middle) / 2


def test_a_narrow_branch_slips_under_its_neighbours() -> None:
    """Symbols of one row stay together as long as nothing below them is in the way."""
    alone = measure(tree_of(reading("abcx"))).width
    assert measure(tree_of(reading("abcx^2"))).width == alone


def test_draws_within_its_size() -> None:
    drawn = measure(tree_of(reading(FORMULAS[0])))
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
