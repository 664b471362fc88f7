"""Photographs of several lines come apart into lines that can be trusted, and into no others."""

import numpy as np
import pytest

from san.grammar import parse, to_latex
from san.ink.strokes import Box
from san.synth.extraction.config import ExtractionConfig
from san.synth.extraction.lines import BESIDE, NO_INK, line_numbers, split_lines
from tests.synth.extraction.drawn import Drawn, drawn
from tests.synth.extraction.oracle import CELL, Oracle

PLAIN = ExtractionConfig()


def system(second_line: float = 70.0) -> Drawn:
    """A brace, x = 1 and y = 2 below it; where the second line begins may be chosen."""
    placed = [("(", Box(0, 0, 20, second_line + 30))]
    for top, names in ((0.0, "x = 1"), (second_line, "y = 2")):
        for place, name in enumerate(names.split()):
            inset = 9.0 if name == "=" else 0.0
            left = 50.0 + 40 * place
            placed.append((name, Box(left, top + inset, left + 24, top + 30 - inset)))
    page = drawn(r"\left\{\begin{matrix}x=1\\y=2\end{matrix}\right.", placed)
    brace, *symbols = page.boxes
    # In the order of the walk: the brace, the grid, the first line, what parts it, the second.
    grid = Box(symbols[0].left, symbols[0].top, symbols[-1].right, symbols[-1].bottom)
    walk = [brace, grid, *symbols[:3], symbols[3], *symbols[3:]]
    return Drawn(page.picture, page.tree, walk)


def split(page: Drawn, config: ExtractionConfig = PLAIN) -> list[tuple[int, str]]:
    lines = split_lines(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL, config)
    for line in lines:
        assert not line.picture[:12].any()
        assert line.picture.any(axis=0)[12]
    return [(line.number, to_latex(line.tree)) for line in lines]


def test_a_system_comes_apart_without_its_brace() -> None:
    page = system()
    assert split(page) == [(0, "x=1"), (1, "y=2")]
    lines = split_lines(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    brace = np.count_nonzero(page.picture[:, : int(page.boxes[0].right) + 1])
    written = sum(np.count_nonzero(line.picture) for line in lines)
    assert written == np.count_nonzero(page.picture) - brace
    assert all(line.picture.shape[0] < 70 for line in lines)


def test_lines_that_touch_stay_together() -> None:
    page = system()
    left, right = int(page.boxes[2].left) + 8, int(page.boxes[2].right) - 8
    page.picture[int(page.boxes[2].bottom) - 6 : int(page.boxes[6].top) + 8, left:right] = 255
    assert split(page) == []


def test_a_line_that_touches_its_brace_is_left() -> None:
    page = system()
    row = int(page.boxes[2].top) + 15
    page.picture[row - 2 : row + 3, int(page.boxes[0].left) + 8 : int(page.boxes[2].left) + 14] = (
        255
    )
    assert split(page) == [(1, "y=2")]


def test_how_sure_it_must_be_is_told() -> None:
    """Half of a cell between lines that nearly meet: each attends to some of the other's ink."""
    page = system(second_line=34.0)
    assert split(page) == [(0, "x=1"), (1, "y=2")]
    assert split(page, ExtractionConfig(min_line_share=0.99)) == []


@pytest.mark.parametrize(
    "latex",
    [
        "x+1",  # no grid
        r"\begin{matrix}a\\b\end{matrix}+\begin{matrix}c\\d\end{matrix}",
        r"\begin{matrix}1&2\\3&4\end{matrix}",  # cells are no formulas
    ],
)
def test_what_has_no_lines_gives_none(latex: str) -> None:
    tree = parse(latex)
    count = sum(1 for _ in tree.walk())
    boxes = [Box(12.0 + 30 * place, 12.0, 32.0 + 30 * place, 42.0) for place in range(count)]
    picture = np.zeros((60, 40 * count), np.uint8)
    for left, top, right, bottom in boxes:
        picture[int(top) : int(bottom), int(left) : int(right)] = 255
    assert split_lines(Oracle(tree, boxes), picture, tree, CELL) == []


def test_an_empty_picture_has_no_lines() -> None:
    page = system()
    engine = Oracle(page.tree, page.boxes)
    assert split_lines(engine, np.zeros_like(page.picture), page.tree, CELL) == []


def test_each_symbol_knows_its_line() -> None:
    tree = parse(r"A=[\begin{matrix}x^{2}&1\\\frac{y}{2}\\3\end{matrix}]+B_{1}")
    names = [visit.symbol.name for visit in tree.walk()]
    assert list(zip(names, line_numbers(tree), strict=True)) == [
        ("A", BESIDE), ("=", BESIDE), ("[", BESIDE), (r"\matrix", NO_INK),
        ("x", 0), ("2", 0), ("&", NO_INK), ("1", 0), (r"\\", NO_INK),
        (r"\frac", 1), ("y", 1), ("2", 1), (r"\\", NO_INK), ("3", 2),
        ("]", BESIDE), ("+", BESIDE), ("B", BESIDE), ("1", BESIDE),
    ]  # fmt: skip
