from collections.abc import Callable

import cv2
import numpy as np
import pytest

from san.images.bitmap import Grey, Mask
from san.images.clean.broad_edges import broad_edges
from san.images.clean.pipeline import clean
from san.synth.photo.paper import PaperPage, Ruling
from tests.images.photographs import formula, grey_photograph, likeness


def with_finger(page: Grey) -> Grey:
    height, width = page.shape
    shape = np.zeros(page.shape, np.float32)
    at, axes = (round(0.8 * width), height), (width // 16, height // 5)
    cv2.ellipse(shape, at, axes, 10, 0, 360, 1.0, -1)
    finger = cv2.GaussianBlur(shape, (0, 0), 2)
    return np.asarray(page * (1 - finger) + 130 * finger, np.uint8)


def with_gutter(page: Grey) -> Grey:
    away = np.abs(np.arange(page.shape[1]) - 25)
    return np.asarray(page * (1 - 0.7 * np.exp(-away / 14)), np.uint8)


GREY_INKS = [(40, 40, 45), (125, 125, 128)]


def is_clean(spoilt: Callable[[Grey], Grey], ruling: Ruling, ink: tuple[int, int, int]) -> bool:
    drawn = formula()
    page = PaperPage(zoom=1.5, room=300, ruling=ruling, ink=ink)
    return likeness(drawn, clean(spoilt(grey_photograph(drawn, page)))) > 0.8


@pytest.mark.parametrize("ink", GREY_INKS)
def test_a_finger_is_no_ink(ink: tuple[int, int, int]) -> None:
    assert is_clean(with_finger, Ruling.PLAIN, ink)


@pytest.mark.parametrize("ruling", list(Ruling))
@pytest.mark.parametrize("ink", GREY_INKS)
def test_the_gutter_of_a_book_is_no_ink(ruling: Ruling, ink: tuple[int, int, int]) -> None:
    assert is_clean(with_gutter, ruling, ink)


def letters() -> Mask:
    """Five strokes of four pixels, on a page."""
    ink = np.zeros((200, 400), np.uint8)
    for left in range(60, 260, 40):
        ink[80:120, left : left + 4] = 1
    return ink


def test_a_stroke_beside_it_stays() -> None:
    ink = letters()
    ink[140:, 300:360] = 1
    ink[100:104, 270:340] = 1
    broad = broad_edges(ink)
    assert broad is not None
    assert broad[145:, 300:360].all()
    assert not broad[:125].any()


def test_what_leaves_no_edge_is_a_blot() -> None:
    ink = letters()
    ink[140:190, 300:360] = 1
    assert broad_edges(ink) is None


def test_a_little_darkness_in_a_corner_is_left_to_others() -> None:
    ink = letters()
    ink[185:, 385:] = 1
    assert broad_edges(ink) is None


def test_letters_that_fill_a_crop_are_no_finger() -> None:
    ink = np.zeros((60, 100), np.uint8)
    ink[:, 20:40] = 1
    ink[:, 60:80] = 1
    ink[10, 50] = ink[30, 50] = ink[50, 50] = 1
    assert broad_edges(ink) is None
