"""What is drawn onto a page: where it may lie, and that it only adds."""

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from san.images.clean.contrast import Contrast
from san.synth.photo.config import SurroundingsConfig
from san.synth.photo.surroundings import (
    draw_correction,
    draw_line_neighbour,
    draw_ruling,
    draw_side_neighbour,
    draw_specks,
)

LETTER = 20.0
ROOM = 8


def page_of(ink: Contrast) -> Contrast:
    return np.pad(ink, ROOM)


def writing() -> Contrast:
    """Uprights, as tall as the line."""
    ink = np.zeros((20, 90), np.float32)
    ink[:, 5::12] = ink[:, 6::12] = 1.0
    return ink


def a_neighbour(page: Contrast, rng: np.random.Generator) -> None:
    draw_line_neighbour(page, writing(), LETTER, rng)


def left_of_it(page: Contrast, rng: np.random.Generator) -> None:
    draw_side_neighbour(page, writing(), ROOM, False, rng)


def right_of_it(page: Contrast, rng: np.random.Generator) -> None:
    draw_side_neighbour(page, writing(), ROOM, True, rng)


def a_rule(page: Contrast, rng: np.random.Generator) -> None:
    draw_ruling(page, LETTER, rng)


def specks(page: Contrast, rng: np.random.Generator) -> None:
    draw_specks(page, LETTER, rng)


def mended(page: Contrast, rng: np.random.Generator) -> None:
    draw_correction(page, LETTER, rng)


Drawn = Callable[[Contrast, np.random.Generator], None]


@pytest.mark.parametrize("drawn", [a_neighbour, left_of_it, right_of_it, a_rule, specks, mended])
def test_nothing_of_the_writing_is_lost_and_something_comes(drawn: Drawn) -> None:
    before = page_of(writing())
    changed = 0
    for seed in range(40):
        page = before.copy()
        drawn(page, np.random.default_rng(seed))
        assert (page >= np.minimum(before, 0.5)).all()  # specks may be paler than ink
        assert page.max() <= 1
        changed += bool((page != before).any())
    assert changed > 5


def test_other_lines_lie_at_an_edge_and_touch_nothing() -> None:
    before = page_of(writing())
    before[ROOM:, 30:70] = 0  # here the line ends higher: heads of the next one reach into it
    before[ROOM : ROOM + 10, 30:70] = 1
    beside = cv2.dilate(before, np.ones((3, 3), np.uint8)) > 0
    reach, deepest = round(SurroundingsConfig().line_reach[1] * LETTER), 0
    for seed in range(60):
        page = before.copy()
        draw_line_neighbour(page, writing(), LETTER, np.random.default_rng(seed))
        new = page > before
        assert not (new & beside).any()
        rows = np.flatnonzero(new.any(axis=1))
        if len(rows):
            assert rows[-1] < reach or rows[0] >= len(page) - reach
            deepest = max(deepest, len(page) - int(rows[0]) if rows[0] > reach else 0)
    assert deepest > ROOM


@pytest.mark.parametrize("drawn", [left_of_it, right_of_it])
def test_other_writing_stays_in_the_room_around(drawn: Drawn) -> None:
    before = page_of(writing())
    for seed in range(40):
        page = before.copy()
        drawn(page, np.random.default_rng(seed))
        inner = (slice(ROOM, -ROOM), slice(ROOM, -ROOM))
        assert np.array_equal(page[inner], before[inner])


def test_sides_are_told_apart() -> None:
    for drawn, bare in ((left_of_it, slice(-ROOM, None)), (right_of_it, slice(0, ROOM))):
        for seed in range(20):
            page = page_of(writing())
            drawn(page, np.random.default_rng(seed))
            assert not page[:, bare].any()


def test_rulings_are_straight_and_specks_small() -> None:
    for seed in range(40):
        page = np.zeros((60, 200), np.float32)
        draw_ruling(page, LETTER, np.random.default_rng(seed))
        rows, columns = (np.count_nonzero(page.any(axis=axis)) for axis in (1, 0))
        assert min(rows, columns) <= round(0.11 * LETTER)
        page = np.zeros((60, 200), np.float32)
        draw_specks(page, LETTER, np.random.default_rng(seed))
        assert 0 < np.count_nonzero(page) < LETTER * LETTER


def test_what_is_mended_is_where_ink_is() -> None:
    bare = np.zeros((30, 30), np.float32)
    draw_correction(bare, LETTER, np.random.default_rng(0))
    assert not bare.any()
    for seed in range(40):
        page = np.zeros((80, 300), np.float32)
        page[30:50, 20:24] = page[30:50, 40:44] = 1.0
        draw_correction(page, LETTER, np.random.default_rng(seed))
        # Not farther away than two and a half letters, and the pen's width.
        assert not page[:, 44 + round(2.7 * LETTER) :].any()
