"""Boxes are where the ink is, to the pixel."""

import numpy as np
import pytest

from san.compose.composer import Composer
from san.compose.dice import Dice
from san.compose.distort import Range
from san.compose.page import Page, copy
from san.compose.picture import for_steps, picture_of


@pytest.mark.parametrize("nib", [(1.0,), (0.0, 1.0), (0.0, 0.0, 1.0)])
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5])
def test_the_boxes_together_are_the_box_of_the_ink(
    composer: Composer, width: int, nib: tuple[float, ...]
) -> None:
    how = Range(pen=(0.0,) * (width - 1) + (1.0,), nib=nib, merge=0.5)
    width += len(nib) == 3 and width < 4  # of a broad nib
    for seed, written in enumerate(composer.bank.written[::5]):
        picture, boxes = picture_of(
            copy(composer.bank, written), how, Dice(np.random.default_rng(seed))
        )
        rows, columns = np.nonzero(picture)
        found = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        said = [*boxes[:, :2].min(axis=0), *boxes[:, 2:].max(axis=0)]
        # Of an even width the middle is a matter of taste.
        assert np.abs(np.subtract(found, said)).max() <= (width % 2 == 0)


def test_what_is_too_long_is_drawn_smaller_and_boxed_so() -> None:
    x = np.repeat(np.arange(400, dtype=np.float32), 2)
    fence = np.stack((x * 30, np.arange(800, dtype=np.float32) % 2 * 20), axis=1)
    page = Page(fence, np.full(400, 2), np.full(400, 1))
    picture, boxes = picture_of(page, Range(), Dice(np.random.default_rng(0)))
    assert 2190 <= max(picture.shape) <= 2200
    assert 2150 < boxes[:, 2].max() <= picture.shape[1]


def test_scale_is_the_fields_times_a_random_one(composer: Composer) -> None:
    written = composer.bank.written[0]
    heights = []
    for seed in range(40):
        how = Range(scale=(0.5, 2.0), symbol_size=0, stretch=0)
        picture, _ = picture_of(
            copy(composer.bank, written), how, Dice(np.random.default_rng(seed))
        )
        heights.append(picture.shape[0] - 26)
    assert 2.5 < max(heights) / min(heights) < 5


def test_rows_of_steps_that_write_nothing_are_not_numbers() -> None:
    rows = for_steps(np.ones((3, 4), np.float32), (0, 2), 4)
    assert np.isnan(rows[:, 0]).tolist() == [False, True, False, True]


def test_nibs_are_as_likely_as_the_range_says(composer: Composer) -> None:
    def drawn(nib: tuple[float, ...], seed: int) -> bytes:
        how = Range(nib=nib, pen=(0.0, 0.0, 0.0, 1.0))
        page = copy(composer.bank, composer.bank.written[0])
        return picture_of(page, how, Dice(np.random.default_rng(seed)))[0].tobytes()

    plain = sum(drawn((0.9, 0.05, 0.05), seed) == drawn((1.0, 0.0), seed) for seed in range(100))
    assert 80 <= plain < 100
