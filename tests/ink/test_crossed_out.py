"""Scribbles and strikes are found with what lies under them; mathematics is not taken for them."""

import time
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from san.ink import Box, Ink, Sheet
from san.ink.alphabet import compose
from san.ink.crossed_out import MAX_SCRIBBLES, crossed_out, passes
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


def beside_a_way_without_end() -> list[Points]:
    """Scribbles, and a stroke that goes to and fro over half a million pixels before them."""
    long = [(100 * (n % 2), 30 * (n // 2 % 2)) for n in range(8_000)]
    scribbles = [[(1_000 + 40 * k + 28 * (n % 2), 2 * n) for n in range(13)] for k in range(40)]
    return [np.array(stroke, np.float32) for stroke in (long, *scribbles)]


def specks_beside_a_wide_stroke() -> list[Points]:
    """Specks, by which the scale goes, and a stroke that is 33 million pixels long."""
    specks = [[(n / 1_000, 0), (n / 1_000, 1)] for n in range(998)]
    wide = [(6_000 * (n % 2), 0.5) for n in range(200)]
    return [np.array(stroke, np.float32) for stroke in (*specks, wide)]


def scribbles_over_a_way_without_end() -> list[Points]:
    """Scribbles over a part of a stroke that has as many points as are looked at."""
    long = np.array([(56 * (n % 2), 28 * (n // 2 % 2)) for n in range(20_000)], np.float32)
    return [long, *[zigzag(Box(0, 0, 24, 24))] * 900]


@pytest.mark.parametrize(
    "strokes",
    [beside_a_way_without_end, specks_beside_a_wide_stroke, scribbles_over_a_way_without_end],
)
def test_little_ink_that_is_made_to_cost_much_does_not(
    strokes: Callable[[], list[Points]],
) -> None:
    ink = Ink(tuple(strokes()))
    start = time.process_time()
    crossed_out(ink)
    assert time.process_time() - start < 4.0
    tracemalloc.start()
    try:
        crossed_out(ink)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()


def test_of_very_many_scribbles_the_first_are_looked_at() -> None:
    sheet = word()
    stay = np.array([(0, 0), (300, 0)], np.float32)  # its share under a scribble is small
    over = zigzag(Box(0, -20, 40, 20))
    glyph = sheet.glyphs[4]
    ink = [*sheet.ink.strokes, stay, *[over] * MAX_SCRIBBLES, zigzag(glyph.box)]
    early = [*sheet.ink.strokes, stay, zigzag(glyph.box), *[over] * MAX_SCRIBBLES]
    taken = {one.by for one in crossed_out(Ink(tuple(early)))}
    assert len(sheet.ink.strokes) + 1 in taken
    assert len(ink) - 1 not in {one.by for one in crossed_out(Ink(tuple(ink)))}
