"""Scribbles and strikes are found with what lies under them; mathematics is not taken for them."""

import numpy as np
import pytest

from san.ink import Box, Ink, Sheet
from san.ink.alphabet import compose
from san.ink.crossed_out import crossed_out, passes
from san.ink.strokes import Points
from tests.ink.formulas import fraction, quadratic


def zigzag(box: Box, times: int = 7) -> Points:
    """To and fro over a box."""
    turns = np.array([[n % 2, n / times] for n in range(times + 1)], np.float64)
    along = np.linspace(0, times, 12 * times + 1)
    way = [np.interp(along, np.arange(times + 1), turns[:, axis]) for axis in (0, 1)]
    corner, size = np.array(box[:2]) - 2, np.array((box.width + 4, box.height + 4))
    return np.asarray(np.stack(way, axis=1) * size + corner, np.float32)


def word() -> Sheet:
    letters = ("a", "b", "c", "d", "2")
    return compose([(name, Box(50 * n, 0, 50 * n + 36, 50)) for n, name in enumerate(letters)])


@pytest.mark.parametrize("number", range(5))
def test_a_scribble_takes_what_lies_under_it_alone(number: int) -> None:
    sheet = word()
    glyph = sheet.glyphs[number]
    ink = Ink((*sheet.ink.strokes, zigzag(glyph.box)))
    (found,) = crossed_out(ink)
    assert found.by == len(sheet.ink.strokes)
    assert found.strokes == (*glyph.strokes, found.by)


def test_what_is_written_after_a_scribble_stays() -> None:
    sheet = word()
    box = sheet.glyphs[2].box
    again = compose([("3", box)]).ink.strokes
    (found,) = crossed_out(Ink((*sheet.ink.strokes, zigzag(box), *again)))
    assert found.strokes == (*sheet.glyphs[2].strokes, len(sheet.ink.strokes))


def test_a_line_through_a_row_strikes_it() -> None:
    sheet = word()
    line = np.stack([np.linspace(45, 240, 50), np.linspace(27, 24, 50)], axis=1)
    (found,) = crossed_out(Ink((*sheet.ink.strokes, np.asarray(line, np.float32))))
    struck = [number for glyph in sheet.glyphs[1:] for number in glyph.strokes]
    assert found.strokes == (*struck, len(sheet.ink.strokes))


@pytest.mark.parametrize("sheet", [fraction(), quadratic(), word()])
def test_a_formula_is_not_crossed_out(sheet: Sheet) -> None:
    assert crossed_out(sheet.ink) == []


@pytest.mark.parametrize(
    "names", [("=", "/"), ("x", "+"), (r"\neq", "m"), (r"\sum", "w"), (r"\theta", "t")]
)
def test_signs_that_cross_themselves_are_no_crossing(names: tuple[str, str]) -> None:
    sheet = compose([(name, Box(60 * n, 0, 60 * n + 45, 50)) for n, name in enumerate(names)])
    assert crossed_out(sheet.ink) == []


def test_a_fraction_bar_and_a_slash_over_an_equals_sign_stay() -> None:
    sheet = compose([("=", Box(0, 10, 40, 30)), ("a", Box(60, 0, 90, 40))])
    slash = np.stack([np.linspace(12, 28, 20), np.linspace(45, -5, 20)], axis=1)
    assert crossed_out(Ink((*sheet.ink.strokes, np.asarray(slash, np.float32)))) == []


def test_a_scribble_over_nothing_stays() -> None:
    sheet = word()
    aside = zigzag(Box(0, 200, 40, 240))
    assert crossed_out(Ink((*sheet.ink.strokes, aside))) == []
    assert crossed_out(Ink((aside,))) == []


def test_passes_are_counted() -> None:
    box = Box(0, 0, 40, 40)
    for times in (1, 3, 6, 9):
        assert passes(zigzag(box, times).astype(np.float64)) == times
    assert passes(np.zeros((1, 2))) == 0


def test_a_thousand_strokes_are_not_looked_at() -> None:
    many = [zigzag(Box(0, 0, 40, 40))] * 1_001
    assert crossed_out(Ink(tuple(many))) == []
