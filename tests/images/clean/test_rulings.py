import cv2
import numpy as np
import pytest

from san.images.clean.contrast import Contrast
from san.images.clean.rulings import Line, find_rulings, remove_lines

WIDTH, HEIGHT = 400, 200


def page(slope: float = 0.0, bend: float = 0.0, darkness: float = 0.15) -> Contrast:
    """Three level rulings."""
    rng = np.random.default_rng(0)
    sheet = rng.normal(0, 0.01, (HEIGHT, WIDTH)).astype(np.float32)
    columns = np.arange(WIDTH)
    way = slope * (columns - WIDTH / 2) + bend * np.sin(np.pi * columns / WIDTH)
    for start in (40, 100, 160):
        distance = np.abs(np.arange(HEIGHT)[:, None] - (start + way)[None])
        sheet += darkness * np.clip(1.8 - distance, 0, 1).astype(np.float32)
    return sheet


@pytest.mark.parametrize(("slope", "bend"), [(0, 0), (0.05, 0), (-0.08, 0), (0.02, 5)])
def test_rulings_are_found_and_taken_out(slope: float, bend: float) -> None:
    sheet = page(slope, bend)
    lines = list(find_rulings(sheet))
    assert [line.upright for line in lines] == [False] * 3
    middles = sorted(float(line.across[WIDTH // 2]) for line in lines)
    assert middles == pytest.approx([40.5 + bend, 100.5 + bend, 160.5 + bend], abs=1)
    removed, where = remove_lines(sheet, lines)
    assert removed.max() < 0.07
    assert 3 * WIDTH < where.sum() < 3 * WIDTH * 8


def test_upright_rulings_are_the_same_turned_over() -> None:
    sheet = np.ascontiguousarray(page(0.03).T)
    lines = list(find_rulings(sheet))
    assert [line.upright for line in lines] == [True] * 3
    assert remove_lines(sheet, lines)[0].max() < 0.07


def test_squares_vanish_with_their_crossings() -> None:
    sheet = page() + np.pad(page().T, ((0, 0), (100, 100)))[:HEIGHT]
    lines = list(find_rulings(np.ascontiguousarray(sheet)))
    assert len(lines) == 6
    assert remove_lines(sheet, lines)[0].max() < 0.07


def short(*columns: int, darkness: float = 0.15) -> Contrast:
    """A line of writing, 60 pixels high, with upright lines over its height."""
    sheet = np.random.default_rng(0).normal(0, 0.01, (60, WIDTH)).astype(np.float32)
    for left in range(15, WIDTH - 20, 37):
        sheet[20:45, left : left + 4] = sheet[41:45, left : left + 20] = 0.6
    for column in columns:
        sheet[:, column : column + 2] = darkness
    return sheet


def test_squares_behind_one_line_of_writing_are_known_by_their_spaces() -> None:
    assert len([line for line in find_rulings(short(40, 120, 200, 360)) if line.upright]) == 4
    assert not list(find_rulings(short(40, 120, 175)))
    assert not list(find_rulings(short(40, 120)))


def test_upright_strokes_as_dark_as_the_ink_are_no_squares() -> None:
    assert not list(find_rulings(short(40, 120, 200, darkness=0.6)))


def test_a_ruling_that_writing_hides_for_the_most_part_is_found() -> None:
    sheet = page()
    sheet[85:115, : 3 * WIDTH // 4][:, ::10] = 0.6
    sheet[92:108, 20 : 3 * WIDTH // 4 : 25] = 0.6
    assert len(list(find_rulings(sheet))) == 3


def test_a_fraction_bar_stays() -> None:
    sheet = np.zeros((HEIGHT, WIDTH), np.float32)
    sheet[99:102, 30:-30] = 0.6
    assert not list(find_rulings(sheet))


def test_a_row_of_bars_is_no_ruling() -> None:
    sheet = np.zeros((HEIGHT, WIDTH), np.float32)
    for start in range(0, WIDTH, 60):
        sheet[99:102, start : start + 45] = 0.6
    assert not list(find_rulings(sheet))


@pytest.mark.parametrize("darkness", [0.15, 0.5])
def test_ink_that_crosses_a_ruling_stays_whole(darkness: float) -> None:
    sheet = page(darkness=darkness)
    sheet[60:140, 200:204] = np.maximum(sheet[60:140, 200:204], 0.6)
    removed, _ = remove_lines(sheet, find_rulings(sheet))
    assert removed[60:140, 201:203].min() > 0.4
    assert removed[:, 210:].max() < 0.1


def short_squares() -> tuple[Contrast, list[Line]]:
    """Upright lines where the writing alone is looked at."""
    along = np.arange(60) + 0.5
    lines = [Line(True, along, np.full(60, column + 1.0)) for column in range(40, WIDTH, 40)]
    sheet = np.random.default_rng(0).normal(0, 0.01, (60, WIDTH)).astype(np.float32)
    for line in lines:
        sheet[:, int(line.across[0]) - 1 : int(line.across[0]) + 1] = 0.15
    return sheet, lines


def test_a_stroke_along_most_of_a_known_line_stays() -> None:
    """As a 1 on squared paper."""
    sheet, lines = short_squares()
    sheet[8:56, 199:203] = 0.7
    removed, where = remove_lines(sheet, lines)
    assert removed[8:56, 200:202].min() > 0.6
    assert np.delete(removed, slice(196, 206), axis=1).max() < 0.07
    assert where[:, 200].all()


def test_a_bold_line_among_pale_ones_is_a_line() -> None:
    """As every fifth of graph paper; what is written on it stays."""
    sheet, lines = short_squares()
    sheet[:, 199:203] = 0.5
    sheet[30:36, 198:204] = 0.9
    removed, _ = remove_lines(sheet, lines)
    assert removed[30:36, 199:203].min() > 0.8
    removed[28:38, 196:206] = 0
    assert removed.max() < 0.07


def test_a_line_can_be_moved_with_the_picture() -> None:
    line = next(find_rulings(page()))
    moved = line.moved(2.0, 10, 20)
    assert moved.along[0] == pytest.approx((line.along[0] - 10) * 2)
    assert moved.across[0] == pytest.approx((line.across[0] - 20) * 2)
    larger = np.repeat(np.repeat(page()[20:, 10:], 2, axis=0), 2, axis=1)
    row = int(moved.across[50])
    assert remove_lines(larger, [moved])[0][row - 1 : row + 2].max() < 0.1


def test_letters_among_dense_squares_stay_whole() -> None:
    """In a picture made small most of a letter is near to a crossing."""
    rng = np.random.default_rng(0)
    sheet = rng.normal(0, 0.005, (HEIGHT, WIDTH)).astype(np.float32)
    for start in range(5, HEIGHT, 10):
        sheet[start] += 0.07
    for start in range(5, WIDTH, 10):
        sheet[:, start] += 0.07
    ink = np.zeros((HEIGHT, WIDTH), np.float32)
    for left in range(30, WIDTH - 30, 27):
        cv2.ellipse(ink, (left, 100), (5, 8), 20, 0, 360, 0.4, 2)
    bare = remove_lines(sheet + ink, list(find_rulings(sheet)))[0]
    assert (bare[ink > 0] > 0.2).mean() > 0.97
    assert bare[ink == 0].max() < 0.2
