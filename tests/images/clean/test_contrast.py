import cv2
import numpy as np
import pytest

from san.images.clean.contrast import (
    closed_paper,
    contrast,
    evenly_lit,
    is_dark_paper,
    smooth_paper,
)
from san.synth.photo.paper import PaperPage, Ruling
from tests.images.photographs import formula, grey_photograph

LIGHT = PaperPage(shadow=0.5, uneven=0.4, ruling=Ruling.SQUARED)
DARK = PaperPage(paper=(30, 40, 35), ink=(220, 220, 210), shadow=0.4, ruling=Ruling.RULED)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.slow
def test_paper_is_told_from_ink(seed: int) -> None:
    assert not is_dark_paper(grey_photograph(formula(), LIGHT, seed))
    assert is_dark_paper(grey_photograph(formula(), DARK, seed))


def test_a_thick_pen_on_a_screen() -> None:
    screen = np.full((60, 60), 255, np.uint8)
    screen[10:50, 10:50] = 0  # more ink than paper, but paper all around
    assert not is_dark_paper(screen)
    assert is_dark_paper(255 - screen)


def test_light_is_cancelled() -> None:
    """In a shadow that takes half of the light, ink differs from paper as much as outside of it."""
    rows = np.where(np.arange(200) < 100, 230, 115)[:, None]
    page = np.repeat(rows, 300, axis=1).astype(np.float32)
    page[:, 50:54] *= 0.3
    page[:, 150:154] *= 0.3
    difference = contrast(page.astype(np.uint8))
    lit, dark = difference[20:80, 51:53].mean(), difference[120:180, 51:53].mean()
    assert lit == pytest.approx(dark, abs=0.08)
    assert lit > 0.5
    assert abs(np.median(difference)) < 0.01


def test_chalk_in_a_shadow_is_as_bright_as_in_the_light() -> None:
    rows = np.where(np.arange(200) < 100, 44, 18)[:, None]
    board = np.repeat(rows, 300, axis=1).astype(np.float32)
    assert np.array_equal(evenly_lit(board[:90].astype(np.uint8)), board[:90])  # no shadow
    board[:, 50:54] *= 5
    even = evenly_lit(board.astype(np.uint8)).astype(float)
    assert even[20:80, 51:53].mean() == pytest.approx(even[120:180, 51:53].mean(), rel=0.3)
    assert even[120:180, 150].mean() == pytest.approx(44, abs=3)


def test_the_page_has_no_ink() -> None:
    photo = grey_photograph(formula(), PaperPage(uneven=0, noise=0, texture=0))
    page = smooth_paper(photo)
    assert int(page.max()) - int(page.min()) < 12
    assert int(photo.max()) - int(photo.min()) > 150


def test_a_hard_shadow_has_no_contrast_but_ink_within_it() -> None:
    rows, columns = np.indices((200, 300))
    lit = np.where(rows > 40 + 0.5 * columns, 100.0, 230.0)
    page = np.asarray(cv2.GaussianBlur(lit, (0, 0), 2.0), np.float32)
    page[150:190, 50:54] *= 0.3
    light = page.astype(np.uint8)
    ink = np.zeros(light.shape, bool)
    ink[148:192, 48:56] = True
    exact = contrast(light, closed_paper)
    assert exact[150:190, 51:53].mean() > 0.5
    assert (exact[~ink] > 0.1).mean() < 0.25 * (contrast(light)[~ink] > 0.1).mean()


def test_a_sheet_on_an_even_desk_is_no_light_ink() -> None:
    desk = np.full((400, 560), 90, np.uint8)
    desk[60:-60, 120:-120] = 220
    desk[150:200, 200:204] = desk[150:200, 240:244] = desk[174:178, 200:244] = 40
    assert not is_dark_paper(desk)
    ink = np.full((400, 560), 90, np.uint8)
    ink[150:200, 200:204] = ink[150:200, 240:244] = ink[174:178, 200:244] = 220
    assert is_dark_paper(ink)
