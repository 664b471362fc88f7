import numpy as np
import pytest

from san.images.bitmap import Mask
from san.images.clean.bars import Lines, bar_mask, has_leg, is_between, is_known_bar, split_bars
from san.images.clean.contrast import Contrast
from san.images.clean.pipeline import clean
from san.images.clean.rulings import Line, find_rulings, remove_lines

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


def told(contrast: Contrast) -> Lines:
    lines = list(find_rulings(contrast))
    assert lines
    bare, _ = remove_lines(contrast, lines)
    return split_bars(lines, contrast, np.asarray(bare > LEVEL / 2, np.uint8), LEVEL)


def rulings(contrast: Contrast) -> list[Line]:
    return told(contrast).rulings


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
    assert split_bars([], page(letters(15), 0.0), letters(15), LEVEL) == ([], [])


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


def test_a_bar_beneath_a_single_stroke_is_one() -> None:
    narrow = letters(75)
    narrow[20:50, 100:104] = 1
    assert rulings(page(narrow, LEVEL)) == []


def test_letters_that_run_through_a_line_stand_on_a_ruling() -> None:
    through = letters(15, 75)
    through[30:90, 20:24] = through[30:90, 110:114] = 1
    assert len(rulings(page(through, LEVEL))) == 1


def root(start: int) -> Contrast:
    """A bar along the upper edge, from some column to the right side, and letters beneath it."""
    ink = letters(30)[: HEIGHT // 2 + 10]
    contrast = np.float32(LEVEL) * ink
    contrast[0:4, start:] = LEVEL
    return np.asarray(contrast, np.float32)


def test_a_line_over_a_leg_is_the_bar_of_a_root() -> None:
    ruled, legged = root(12), root(12)
    legged[0:60, 11:15] = LEVEL
    (line,) = (Line(False, np.arange(WIDTH) + 0.5, np.full(WIDTH, 2.0)),)
    for contrast, bars in ((ruled, 0), (legged, 1)):
        bare, _ = remove_lines(contrast, [line])
        ink = np.asarray(bare > LEVEL / 2, np.uint8)
        assert len(split_bars([line], contrast, ink, LEVEL).bars) == bars


def test_a_leg_hangs_from_the_start_of_a_line() -> None:
    ink = np.zeros((60, 100), np.uint8)
    ink[10:50, 30:33] = 1
    assert has_leg(ink, 31, 8.0, 30.0, 3.0)
    assert not has_leg(ink, 70, 8.0, 30.0, 3.0)
    assert not has_leg(ink, 31, 0.0, 30.0, 3.0)  # there is paper between the two


def test_a_known_bar_is_known_again_where_the_picture_was_cut_and_enlarged() -> None:
    (bar,) = told(page(letters(15, 75), LEVEL)).bars
    moved = Lines([], [bar]).moved(2.0, 10.0, 20.0).bars
    where = bar_mask(moved, (160, 300))
    assert np.flatnonzero(where[:, 150]).mean() == pytest.approx(2 * (MIDDLE - 20), abs=2)
    assert is_known_bar(moved[0], where)
    assert not is_known_bar(bar, where)


@pytest.mark.parametrize("touching", [False, True])
def test_a_fraction_keeps_its_bar_though_letters_hang_from_it_to_the_edge(touching: bool) -> None:
    ink = letters(15, 75)[:105]
    if touching:
        ink[MIDDLE : MIDDLE + 20, 15:19] = ink[MIDDLE : MIDDLE + 20, 105:109] = 1
    contrast = page(ink, 0.0)
    contrast[MIDDLE - 1 : MIDDLE + 2, 2:] = LEVEL
    picture = clean(np.asarray(225 * (1 - contrast), np.uint8))
    assert (picture > 0).mean(axis=1).max() > 0.8
