import numpy as np
import pytest

from san.ink import Ink, draw
from san.reader.pages.parts import MAX_PARTS, Parts, parts_of_ink, parts_of_picture
from san.reader.pages.segmentation import find_blocks
from tests.reader.pages.written import LETTER, behind_brace, beside, lines_of

SINGLE = [
    r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}",
    r"\frac{a+b}{c+d}",
    r"\int_{0}^{1}x^{2}dx",
    r"\frac{1}{1+\frac{1}{x}}",
    "a=b",
    r"x^{2^{2}}",
    "i",
    "-",
]
LINES = ["x+1=2", r"y=\frac{a}{b}", "2x^{2}-3=0"]


def parts_of(ink: Ink, kind: str) -> Parts:
    return parts_of_ink(ink) if kind == "ink" else parts_of_picture(draw(ink))[0]


@pytest.fixture(params=["ink", "picture"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("formula", SINGLE)
def test_a_formula_is_one_block(formula: str, kind: str) -> None:
    parts = parts_of(lines_of(formula), kind)
    first, *others = find_blocks(parts)
    assert all(block.boundary < 0.5 for block in others)  # a dot may be in doubt, no more
    members = np.concatenate([block.members for block in (first, *others)])
    assert sorted(members.tolist()) == list(range(len(parts)))


@pytest.mark.parametrize("gap", [0.6, 1.0, 2.5])
@pytest.mark.parametrize("fall", [0.0, 0.05, -0.05])
def test_lines_come_apart_from_top_to_bottom(gap: float, fall: float, kind: str) -> None:
    blocks = find_blocks(parts_of(lines_of(*LINES, gap=gap, fall=fall), kind))
    assert sum(block.boundary > 0.5 for block in blocks) == 3  # others are in doubt
    tops = [block.box.top for block in blocks]
    assert tops == sorted(tops)
    assert np.unique(np.concatenate([block.members for block in blocks])).size == len(
        blocks[0].parts
    )


def test_a_brace_keeps_its_lines_together(kind: str) -> None:
    assert len(find_blocks(parts_of(behind_brace(lines_of(*LINES)), kind))) == 1


def test_columns_are_read_one_after_the_other(kind: str) -> None:
    page = beside(lines_of(*LINES), lines_of("a=1", "b=2"), gap=8)
    blocks = find_blocks(parts_of(page, kind))
    assert len(blocks) == 5
    lefts = [block.box.left for block in blocks]
    assert max(lefts[:3]) < min(lefts[3:])


def test_a_gap_between_words_is_no_column(kind: str) -> None:
    assert len(find_blocks(parts_of(beside(lines_of("x=1"), lines_of("y=2"), gap=2), kind))) == 1


@pytest.mark.slow
def test_a_page_of_specks_is_bounded() -> None:
    picture = np.zeros((900, 900), np.uint8)
    picture[::6, ::6] = 255
    parts, part_of = parts_of_picture(picture)
    assert len(parts) == MAX_PARTS
    assert part_of.max() == MAX_PARTS - 1
    assert find_blocks(parts)


def test_one_dot_is_a_block() -> None:
    assert len(find_blocks(parts_of_ink(Ink.of([[(3, 4)]])))) == 1
    (block,) = find_blocks(parts_of_ink(Ink.of([[(0, 0), (0, LETTER)]])))
    assert block.box.height == LETTER


def bars(gap: float, point: bool = False) -> Ink:
    """Two bars one above the other, with a point between them perhaps."""
    points = [[(40.0, gap / 2), (41.0, gap / 2)]] if point else []
    return Ink.of([[(0.0, 0.0), (80.0, 2.0)], [(0.0, gap), (80.0, gap - 1)], *points])


@pytest.mark.parametrize("point", [False, True])
def test_a_sign_of_bars_and_points_alone_is_one_block(point: bool, kind: str) -> None:
    assert len(find_blocks(parts_of(bars(30.0, point), kind))) == 1
    assert len(find_blocks(parts_of(bars(300.0, point), kind))) > 1  # each by itself
