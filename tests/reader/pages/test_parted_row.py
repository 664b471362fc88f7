"""Formulas side by side in a row come apart where each has a relation of its own."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from san.grammar import parse
from san.ink import Box, Ink, draw
from san.ink.alphabet import compose
from san.reader import Formula, Recognizer
from san.reader.pages.parted_row import parted_rows
from san.reader.pages.prepared_page import page_of_ink
from san.reader.pages.reading import ReadBlock
from tests.ink.test_crossed_out import zigzag
from tests.reader.pages.written import beside, lines_of

pytestmark = pytest.mark.slow


def row(gap: float) -> Ink:
    """Two formulas that are written in one row, so many letters apart."""
    return beside(lines_of("x=2"), lines_of("a=b+1"), gap)


def test_a_row_of_ink_and_of_a_picture_comes_apart(reader: Recognizer) -> None:
    ink = row(2.5)
    picture = np.pad(255 - draw(ink), 40, "edge")
    for source in (ink, picture, *(np.rot90(picture, quarters) for quarters in (1, 2, 3))):
        page = reader.read_page(source)
        assert [formula.latex for formula in page] == ["x=2", "a=b+1"]
        assert not any("wide gap" in note for formula in page for note in formula.notes)
        assert page.derivations == [[0], [1]]  # beside one another, however the picture lies
    left, right = reader.read_page(ink).boxes
    assert left.right < right.left
    together = reader.read(ink)  # who asks for one formula is told
    assert together.latex == "x=2a=b+1"
    assert together.notes == ("a wide gap between 2 and a: perhaps several formulas side by side",)
    assert len(reader.read_page(row(0.4))) == 1


def test_what_is_crossed_out_is_told_of_the_formula_beside_it(reader: Recognizer) -> None:
    ink = row(2.5)
    box = Box(ink.box.right + 30, ink.box.top, ink.box.right + 60, ink.box.top + 40)
    crossed = [*compose([("d", box)]).ink.strokes, zigzag(box)]
    page = reader.read_page(Ink.of([*ink.strokes, *crossed]))
    assert [formula.latex for formula in page] == ["x=2", "a=b+1"]
    assert [len(formula.crossed_out) for formula in page] == [0, 1]
    assert "crossed out, and left out" in page.formulas[1].notes[0]


def test_pieces_that_are_no_formulas_stay_together(reader: Recognizer) -> None:
    page = page_of_ink(row(2.5))
    (block,) = page.blocks
    whole = ReadBlock(block, reader.read_prepared([page.image_of(block)])[0])

    def parted(latex: str) -> list[ReadBlock]:
        def read(images: Sequence[Any]) -> list[Formula]:
            return [cast(Formula, SimpleNamespace(expression=parse(latex)))] * len(images)

        return parted_rows(page, [whole], read)

    assert len(parted("x=2+1")) == 2
    assert parted("x2+11") == [whole]  # no relation in them
    assert parted("x=") == [whole]  # most of their symbols are gone
