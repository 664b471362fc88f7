"""Clippings side by side."""

import numpy as np
import pytest

from san.grammar import to_latex
from san.synth.photo.collage_glyph import Usual
from san.synth.photo.collage_join import Level, em_of, joined, level_of
from san.synth.photo.collage_source import Clipping, Source
from tests.synth.extraction.drawn import Drawn, row
from tests.synth.photographs import WIDTH, told

USUAL: dict[str, Usual] = {"2": (1.0, 0.0), "3": (1.0, 0.0), "x": (1.0, 0.1), "y": (1.0, 0.1)}


def source(page: Drawn) -> Source:
    return Source(page.tree, (page.picture > 0).astype(np.uint8), told(page), WIDTH)


def whole(page: Drawn) -> Clipping:
    return source(page).whole()


def test_a_line_tells_how_large_and_how_high_it_is() -> None:
    page = row("2 x 3 y")
    em = em_of(source(page), USUAL)
    assert em == pytest.approx(np.hypot(22, 30), rel=0.1)
    own = whole(page)
    assert level_of(own, USUAL, at_end=True) is None  # nobody said how large it is
    own.em = 40.0
    level = level_of(own, USUAL, at_end=True)
    assert level is not None
    middle = (page.boxes[0].top + page.boxes[0].bottom) / 2
    assert level.axis == pytest.approx(middle - 0.05 * 40, abs=2)


def test_a_line_that_contradicts_itself_tells_nothing() -> None:
    page = row("2 x 3 y")
    uneven = whole(page)
    uneven.em = 40.0
    uneven.boxes[3, 1::2] -= 60
    assert level_of(uneven, USUAL, at_end=True) is None
    unsteady = source(page)
    unsteady.boxes[:2, 2:] += 60
    assert em_of(unsteady, USUAL) is None
    assert em_of(source(page), {"2": (1.0, 0.0)}) is None


def test_what_is_joined_agrees_in_size_and_line() -> None:
    left, right = whole(row("2 x")), whole(row("3 y"))
    one, other = Level(30.0, 27.0), Level(20.0, 30.0)
    made = joined(left, right, one, other, 0.5, 1.0)
    assert made is not None
    assert to_latex(made.tree) == "2x3y"
    tall = made.boxes[:, 3] - made.boxes[:, 1]
    assert tall[2] == pytest.approx(1.5 * tall[0], abs=2)
    gap = made.boxes[2, 0] - made.boxes[1, 2]
    assert gap == pytest.approx(15, abs=4)
    lines = [
        made.boxes[0, 1] + 27 - left.boxes[0, 1],
        made.boxes[2, 1] + 45 - 1.5 * right.boxes[0, 1],
    ]
    assert lines[0] == pytest.approx(lines[1], abs=2)
    assert joined(left, right, one, Level(60.0, 30.0), 0.5, 1.0) is None
