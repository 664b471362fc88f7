"""Light lies where attention is, and does not hide the ink."""

import numpy as np

from san.reader.explain.heatmap import CELL, COLOURS, colour_of, framed, glowing, light, tint

SHAPE = (3 * CELL, 5 * CELL)


def _look(row: int, column: int) -> np.ndarray:
    cells = np.zeros((4, 8), np.float32)  # of a batch: larger than the picture
    cells[row, column] = 1
    return cells


def test_light_is_brightest_in_its_cell_and_fades_to_the_frame() -> None:
    shape = framed(np.zeros(SHAPE, np.uint8)).shape
    glow = light(_look(1, 3), shape)
    assert glow.shape == shape
    row, column = np.unravel_index(glow.argmax(), glow.shape)
    assert abs(row - 2.5 * CELL) <= 1
    assert abs(column - 4.5 * CELL) <= 1
    assert glow.max() == 1
    edges = (glow[0], glow[-1], glow[:, 0], glow[:, -1])
    assert max(float(edge.max()) for edge in edges) < 0.02


def test_an_even_look_stays_faint_and_no_number_breaks_it() -> None:
    shape = framed(np.zeros(SHAPE, np.uint8)).shape
    assert light(np.full((3, 5), 1 / 15, np.float32), shape).max() < 0.6
    assert light(np.zeros((3, 5), np.float32), shape).max() == 0
    broken = np.array([[np.nan, np.inf, -np.inf, 0, -1]] * 3, np.float32)
    assert np.isfinite(light(broken, shape)).all()


def test_the_paper_takes_the_colour_and_the_ink_stays_dark() -> None:
    picture = framed(np.zeros(SHAPE, np.uint8))
    picture[2 * CELL + 4 : 2 * CELL + 12, 3 * CELL : 6 * CELL] = 255
    image = glowing(picture, [(light(_look(1, 3), picture.shape), COLOURS[0])], 2.0)
    assert image.shape == (2 * picture.shape[0], 2 * picture.shape[1], 3)
    assert image[5 * CELL, 9 * CELL].max() < 60, "ink in the middle of the light"
    lit = image[4 * CELL + 1, 9 * CELL].astype(int)
    assert lit[2] > lit[0] + 60, "blue paper beside it"
    assert (image[2, 2] > 250).all(), "white paper far from it"


def test_where_two_lights_meet_the_stronger_prevails() -> None:
    picture = framed(np.zeros(SHAPE, np.uint8))
    red, blue = (220, 0, 0), (0, 0, 220)
    lights = [(light(_look(1, 1), picture.shape), red), (light(_look(1, 3), picture.shape), blue)]
    image = glowing(picture, lights, 1.0).astype(int)
    left, right = image[40, 2 * CELL + 8], image[40, 4 * CELL + 8]
    assert left[0] > left[2] + 60
    assert right[2] > right[0] + 60


def test_neighbours_have_different_colours() -> None:
    assert all(colour_of(n) != colour_of(n + 1) for n in range(20))
    assert tint((0, 100, 200), 0) == (255, 255, 255)
    assert tint((0, 100, 200), 1) == (0, 100, 200)
