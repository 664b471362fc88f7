"""Reading pages with a reader that knows how sure it is of any number of rows."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from san.grammar import parse
from san.grammar.tree import Expression, Symbol
from san.images.view import ViewedImage
from san.ink import Box, Ink, draw
from san.ink.strokes import box_of
from san.reader.pages.derivations import has_stacked, stacked
from san.reader.pages.parts import parts_of_picture
from san.reader.pages.prepared_page import PreparedPage, page_of_ink
from san.reader.pages.reading import MAX_READINGS, Read, ReadBlock, kept_share, read_blocks
from san.reader.pages.segmentation import Block
from san.reader.prepared import cleaned_image
from san.reader.result import Formula
from tests.reader.pages.written import lines_of

LINES = ["x+1=2", "a=b", "2x=0"]


def page_with(boundaries: Sequence[float]) -> PreparedPage:
    """Three blocks; how probable it is that the second and the third are apart is given."""
    page = page_of_ink(lines_of(*LINES))
    blocks = [
        Block(block.parts, block.members, boundary)
        for block, boundary in zip(page.blocks, [1.0, *boundaries], strict=True)
    ]
    page.__dict__["blocks"] = blocks
    return page


def formula_of(ink: Ink, confidence: float) -> Formula:
    """A reading with a symbol for each stroke."""
    return formula_at([box_of([stroke]) for stroke in ink.strokes], confidence)


def formula_at(boxes: Sequence[Box], confidence: float) -> Formula:
    """A reading with a symbol in each box."""
    symbols = [SimpleNamespace(box=box) for box in boxes]
    tree = Expression((Symbol("x"),) * len(symbols))
    known = SimpleNamespace(confidence=confidence, expression=tree, symbols=symbols, unread=())
    return cast(Formula, known)


def reader(sure: Callable[[int], float], seen: list[int]) -> Read:
    """`sure`: of a picture of so many strokes."""

    def read(images: Sequence[Any]) -> list[Formula]:
        counts = [len(image.ink.strokes) for image in images]
        seen.extend(counts)
        return [
            formula_of(image.ink, sure(count)) for image, count in zip(images, counts, strict=True)
        ]

    return read


def test_a_few_blocks_are_one_formula_where_that_is_sure_and_whole() -> None:
    page = page_with([1.0, 0.99])
    every = len(page.parts)
    for whole, formulas in ((0.95, 1), (0.85, 3)):
        seen: list[int] = []
        read = reader(lambda count, whole=whole: whole if count == every else 0.9, seen)
        blocks, _ = read_blocks(page, read, 9)
        assert (len(blocks), len(seen), seen[-1]) == (formulas, 4, every)


def test_lines_below_one_another_are_as_many_formulas_however_sure() -> None:
    pieces = reader(lambda strokes: 0.5, [])

    def read(images: Sequence[Any]) -> list[Formula]:
        formulas = list(pieces(images))
        for image, formula in zip(images, formulas, strict=True):
            if len(image.ink.strokes) > len(lines_of(LINES[0]).strokes):  # more than a line
                lines = stacked([Expression((Symbol("x"),)), formula.expression])
                formula.__dict__.update(expression=lines, confidence=0.99)
        return formulas

    found, _ = read_blocks(page_with([0.4, 0.4]), read, 10)
    assert len(found) == len(LINES)
    brace = Symbol(r"\{")
    assert has_stacked(stacked([parse("x=1"), parse("y=2")]))
    assert not has_stacked(Expression((brace, *stacked([parse("x=1"), parse("y=2")]).symbols)))
    assert not has_stacked(parse("x=1"))
    beside = r"\begin{gathered}y=2\\2)\end{gathered}\begin{cases}a=8\\b=1\end{cases}"
    assert has_stacked(parse(beside))
    assert not has_stacked(parse(r"2)\begin{cases}a=8\\b=1\end{cases}"))


def test_a_boundary_in_doubt_is_read_both_ways_and_the_surer_is_taken() -> None:
    strokes = [len(block.members) for block in page_with([1, 1]).blocks]
    both = strokes[0] + strokes[1]
    for whole, formulas in ((0.9, 2), (0.05, 3)):
        seen: list[int] = []
        sure = {both: whole}
        page = page_with([0.9, 1.0])
        read = reader(lambda count, sure=sure: sure.get(count, 0.7), seen)
        blocks, _ = read_blocks(page, read, 9)
        assert len(blocks) == formulas
        assert len(seen) == 5  # the last: all of the page as one formula
        assert sum(len(read.block.members) for read in blocks) == len(page.parts)


def test_a_reading_that_loses_a_line_is_not_taken() -> None:
    """However sure: that is what becomes of two lines that are read as one."""
    page = page_with([0.8, 1.0])
    upper, lower = (page.image_of(block).ink for block in page.blocks[:2])
    assert upper is not None
    assert lower is not None
    alone = [
        ReadBlock(block, formula_of(ink, 0.9))
        for block, ink in zip(page.blocks, (upper, lower), strict=False)
    ]
    both = Ink((*upper.strokes, *lower.strokes))
    assert kept_share(page, formula_of(both, 0.9), alone) == 1
    assert kept_share(page, formula_of(upper, 0.9), alone) == 0

    def read(images: Sequence[Any]) -> list[Formula]:
        """All of a single line, and the upper one of two."""
        inks = [upper if len(one.ink.strokes) == len(both.strokes) else one.ink for one in images]
        return [formula_of(ink, 0.6) for ink in inks]

    assert len(read_blocks(page, read, 9)[0]) == 3


@pytest.mark.parametrize("quarters", range(4))
def test_symbols_of_a_turned_page_are_in_their_lines(quarters: int) -> None:
    grey = np.rot90(255 - draw(lines_of(*LINES[:2])), quarters)
    seen = ViewedImage(np.ascontiguousarray(grey)).quarter_turned(quarters)
    whole = cleaned_image(*seen)
    page = PreparedPage(whole, *parts_of_picture(whole.picture), seen.grey)

    def boxes(block: Block) -> list[Box]:
        return [
            page.box_of(Block(page.parts, block.members[[n]])) for n in range(len(block.members))
        ]

    upper, lower = page.blocks
    alone = [ReadBlock(block, formula_at(boxes(block), 0.9)) for block in page.blocks]
    assert kept_share(page, formula_at(boxes(upper) + boxes(lower), 0.9), alone) == 1
    assert kept_share(page, formula_at(boxes(upper), 0.9), alone) == 0


def test_strokes_keep_their_numbers() -> None:
    page = page_of_ink(lines_of(*LINES))
    numbers = [page.image_of(block).stroke_numbers or () for block in page.blocks]
    assert sorted(number for some in numbers for number in some) == list(range(len(page.parts)))


def test_no_more_blocks_are_read_than_are_allowed() -> None:
    seen: list[int] = []
    page = page_with([1.0, 1.0])
    blocks, beyond = read_blocks(page, reader(lambda count: 0.9, seen), 2)
    assert (len(blocks), beyond, len(seen)) == (2, page.blocks[2:], 2)


def test_readings_of_a_page_are_bounded() -> None:
    """Where everything is in doubt, too."""
    page = page_with([0.9, 0.9])
    first = page.blocks[0]
    doubtful = [0.9, 0.3] * (MAX_READINGS // 4)
    page.__dict__["blocks"] = [Block(first.parts, first.members, one) for one in doubtful]
    seen: list[int] = []
    blocks, _ = read_blocks(page, reader(lambda count: 0.9, seen), MAX_READINGS)
    assert len(blocks) == len(seen) == MAX_READINGS // 4
