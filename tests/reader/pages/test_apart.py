"""Writing that is too small or too faint to be in a page's picture: a block of its own."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from san.grammar import parse
from san.reader import Formula, Recognizer
from san.reader.pages.page import TOO_SMALL, read_page
from san.reader.pages.prepared_page import page_of_image
from tests.reader.other_line import LARGE, OTHER, with_other_line


@pytest.mark.parametrize("faint", [False, True], ids=["small", "faint"])
@pytest.mark.slow
def test_it_is_a_formula_of_the_page(reader: Recognizer, faint: bool) -> None:
    grey = with_other_line(faint)
    for turned in (False, True):
        page = reader.read_page(np.ascontiguousarray(np.rot90(grey, 2)) if turned else grey)
        assert [formula.latex for formula in page] == [LARGE, OTHER]
        assert page.notes == []
        for formula, box in zip(page.formulas, page.boxes, strict=True):
            assert formula.unread == ()
            assert formula.confidence > 0.5
            left, top, right, bottom = (round(side) for side in box)
            if turned:
                left, top, right, bottom = 1500 - right, 1000 - bottom, 1500 - left, 1000 - top
            assert (grey[top:bottom, left:right] < 220).any()
            assert (top > 400) == (formula.latex == OTHER)


def test_its_picture_has_nothing_of_it_and_is_looked_at_with_it() -> None:
    page = page_of_image(with_other_line())
    (block,), (one,) = page.blocks, page.apart
    assert not page.is_single
    assert page.image_of(block).apart == page.image_of(block).others == ()
    assert len(one.parts) == 6
    assert one.is_single


@pytest.mark.parametrize("hopeless", [False, True])
def test_what_may_be_no_formula_is_left_out_and_said_to_be(hopeless: bool) -> None:
    page = page_of_image(with_other_line())
    small = page.apart[0].whole.picture

    def read(images: Sequence[Any]) -> list[Formula]:
        return [
            cast(
                Formula,
                SimpleNamespace(
                    confidence=0.9,
                    expression=parse("x"),
                    reading=SimpleNamespace(
                        mean_probability=0.3 if hopeless and image.picture is small else 0.9
                    ),
                ),
            )
            for image in images
        ]

    result = read_page(page, read)
    assert len(result) == (1 if hopeless else 2)
    if hopeless:
        (block,) = result.left_out
        assert block.reason == TOO_SMALL
        assert block.box.top > 700
        assert result.notes == [f"1 block is left out ({TOO_SMALL})"]
