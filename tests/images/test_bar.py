import numpy as np
import pytest

from san.images.bar import is_between, without_bar
from san.images.bitmap import Mask
from san.images.clean import clean
from san.images.light import Contrast
from san.images.ruling import Line, find_rulings, sweep

LEVEL = 0.6
HEIGHT, WIDTH, MIDDLE = 120, 200, 60


def letters(*tops: int) -> Mask:
    ink = np.zeros((HEIGHT, WIDTH), np.uint8)
    for top in tops:
        for left in range(15, WIDTH - 30, 30):
            ink[top : top + 30, left : left + 4] = 1
            ink[top + 26 : top + 30, left : left + 18] = 1
    return ink


def page(ink: Mask, line: float, *pale: int) -> Contrast:
    """Ink, a level line of that contrast from side to side, and rulings half as dark."""
    contrast = np.float32(LEVEL) * ink
    contrast[MIDDLE - 1 : MIDDLE + 2] = line
    for row in pale:
        contrast[row : row + 2] = line / 2
    return np.asarray(contrast, np.float32)


def rulings(contrast: Contrast) -> list[Line]:
    lines = list(find_rulings(contrast))
    assert lines
    bare, _ = sweep(contrast, lines)
    return without_bar(lines, contrast, np.asarray(bare > LEVEL / 2, np.uint8), LEVEL)


def test_a_bar_with_writing_on_both_sides_is_no_ruling() -> None:
    assert rulings(page(letters(15, 75), LEVEL)) == []


def test_a_bar_over_a_single_letter_is_one_unless_the_picture_is_a_long_line() -> None:
    few = letters(15)
    few[75:105, 90:110] = 1
    assert is_between(MIDDLE, 4, few)
    assert not is_between(MIDDLE, 4, np.pad(few, ((0, 0), (0, 4 * WIDTH))))
    assert not is_between(MIDDLE, 4, letters(15))


def test_a_bar_among_paler_rulings_is_told_from_them() -> None:
    left = rulings(page(letters(15, 75), LEVEL, 6, 112))
    assert len(left) == 2
    assert all(abs(float(np.mean(line.across)) - MIDDLE) > 40 for line in left)


@pytest.mark.parametrize(("tops", "line"), [((15,), LEVEL), ((75,), LEVEL), ((15, 75), LEVEL / 2)])
def test_a_line_beside_the_writing_or_paler_than_it_is_a_ruling(
    tops: tuple[int, ...], line: float
) -> None:
    assert len(rulings(page(letters(*tops), line))) == 1


def test_lines_that_come_in_numbers_are_rulings() -> None:
    contrast = page(letters(15, 75), LEVEL)
    contrast[2:5] = contrast[112:115] = LEVEL
    assert len(rulings(contrast)) == 3


def test_no_lines_are_no_rulings() -> None:
    assert without_bar([], page(letters(15), 0.0), letters(15), LEVEL) == []


def test_what_lies_between() -> None:
    assert is_between(MIDDLE, 4, letters(15, 75))
    assert not is_between(MIDDLE, 4, letters(15))
    assert not is_between(np.full(WIDTH, 5.0), 4, letters(15, 75))


def test_a_fraction_that_fills_its_crop_keeps_its_bar() -> None:
    grey = np.asarray(225 * (1 - page(letters(15, 75), LEVEL)), np.uint8)
    picture = clean(grey)
    rows = np.flatnonzero(picture.mean(axis=1) > 0.8 * 255 * (1 - 24 / picture.shape[1]))
    assert len(rows) >= 2
    assert abs(rows.mean() / len(picture) - 0.5) < 0.1
