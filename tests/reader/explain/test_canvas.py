"""Every symbol can be shown; light lies where attention is and does not hide the ink."""

import numpy as np
import pytest

from san.grammar.characters import CHARACTERS
from san.reader.explain.canvas import (
    COLOURS,
    PAPER,
    STRIDE,
    Canvas,
    colour_of,
    light,
    lit_picture,
    symbol_width,
    tint,
    with_margin,
)


def _drawn(name: str) -> np.ndarray:
    canvas = Canvas(240, 60)
    canvas.symbol(120, 30, name, 24)
    return np.asarray(canvas.finished()).astype(int)


@pytest.mark.parametrize("name", ["x", "7", "-", r"\theta", r"\sqrt", r"\int", r"\lim", r"\Xi"])
def test_a_symbol_stands_about_its_middle_and_is_as_wide_as_said(name: str) -> None:
    ink = np.abs(_drawn(name) - np.array(PAPER)).sum(axis=-1) > 60
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    assert len(columns)
    assert abs((columns[0] + columns[-1]) / 2 - 120) <= 2.5
    assert abs((rows[0] + rows[-1]) / 2 - 30) <= 7  # letters hang about the line, not the middle
    assert abs((columns[-1] - columns[0]) - symbol_width(name, 24)) <= 5


def test_symbols_of_the_pen_are_told_apart() -> None:
    names = [r"\theta", r"\phi", r"\pi", r"\sum", r"\int", r"\infty", r"\geq", r"\leq", "-"]
    pictures = [_drawn(name) for name in names]
    for place, one in enumerate(pictures):
        for other in pictures[place + 1 :]:
            assert np.abs(one - other).sum() > 3000


def test_every_symbol_has_a_width_and_a_dot_is_seen() -> None:
    assert all(0 <= symbol_width(name, 20) < 300 for name in CHARACTERS)
    assert (np.abs(_drawn(r"\cdot") - np.array(PAPER)).sum(axis=-1) > 300).sum() >= 4


@pytest.mark.parametrize("name", [r"\angle", r"\downarrow", r"\therefore", r"\approx", r"\Omega"])
def test_signs_of_the_school_are_drawn_and_not_named(name: str) -> None:
    assert symbol_width(name, 12) < symbol_width(name[1:], 12) / 2  # than its name would be


SHAPE = (3 * STRIDE, 5 * STRIDE)


def _crop(row: int, column: int) -> np.ndarray:
    cells = np.zeros((4, 8), np.float32)  # of a batch: larger than the picture
    cells[row, column] = 1
    return cells


def test_light_is_brightest_in_its_cell_and_fades_to_the_frame() -> None:
    shape = with_margin(np.zeros(SHAPE, np.uint8)).shape
    glow = light(_crop(1, 3), shape)
    assert glow.shape == shape
    row, column = np.unravel_index(glow.argmax(), glow.shape)
    assert abs(row - 2.5 * STRIDE) <= 1
    assert abs(column - 4.5 * STRIDE) <= 1
    assert glow.max() == 1
    edges = (glow[0], glow[-1], glow[:, 0], glow[:, -1])
    assert max(float(edge.max()) for edge in edges) < 0.02


def test_an_even_look_stays_faint_and_no_number_breaks_it() -> None:
    shape = with_margin(np.zeros(SHAPE, np.uint8)).shape
    assert light(np.full((3, 5), 1 / 15, np.float32), shape).max() < 0.6
    assert light(np.zeros((3, 5), np.float32), shape).max() == 0
    broken = np.array([[np.nan, np.inf, -np.inf, 0, -1]] * 3, np.float32)
    assert np.isfinite(light(broken, shape)).all()


def test_the_paper_takes_the_colour_and_the_ink_stays_dark() -> None:
    picture = with_margin(np.zeros(SHAPE, np.uint8))
    picture[2 * STRIDE + 4 : 2 * STRIDE + 12, 3 * STRIDE : 6 * STRIDE] = 255
    image = lit_picture(picture, [(light(_crop(1, 3), picture.shape), COLOURS[0])], 2.0)
    assert image.shape == (2 * picture.shape[0], 2 * picture.shape[1], 3)
    assert image[5 * STRIDE, 9 * STRIDE].max() < 60, "ink in the middle of the light"
    lit = image[4 * STRIDE + 1, 9 * STRIDE].astype(int)
    assert lit[2] > lit[0] + 60, "blue paper beside it"
    assert (image[2, 2] > 250).all(), "white paper far from it"


def test_where_two_lights_meet_the_stronger_prevails() -> None:
    picture = with_margin(np.zeros(SHAPE, np.uint8))
    red, blue = (220, 0, 0), (0, 0, 220)
    lights = [(light(_crop(1, 1), picture.shape), red), (light(_crop(1, 3), picture.shape), blue)]
    image = lit_picture(picture, lights, 1.0).astype(int)
    left, right = image[40, 2 * STRIDE + 8], image[40, 4 * STRIDE + 8]
    assert left[0] > left[2] + 60
    assert right[2] > right[0] + 60


def test_neighbours_have_different_colours() -> None:
    assert all(colour_of(n) != colour_of(n + 1) for n in range(20))
    assert tint((0, 100, 200), 0) == (255, 255, 255)
    assert tint((0, 100, 200), 1) == (0, 100, 200)
