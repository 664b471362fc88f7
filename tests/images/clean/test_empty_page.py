import cv2
import numpy as np

from san.images.bitmap import Mask
from san.images.clean.contrast import Contrast
from san.images.clean.empty_page import is_empty_page, is_full_of_ink

DARK = 0.5


def bars() -> Mask:
    ink = np.zeros((120, 300), np.uint8)
    ink[40:44, 60:120] = ink[80:84, 160:240] = 1
    return ink


def paper(ink: Mask, sigma: float = 0.01) -> Contrast:
    noise = np.random.default_rng(0).normal(0, sigma, ink.shape)
    return np.asarray(noise + DARK * ink, np.float32)


def test_bars_on_plain_paper_are_writing() -> None:
    page = paper(bars())
    assert not is_empty_page(bars(), page, page)


def test_bars_that_run_on_are_rulings_but_darker_ones_are_writing() -> None:
    page = paper(bars())
    page[40:44] = np.maximum(page[40:44], 0.75 * DARK)
    page[80:84] = np.maximum(page[80:84], 0.75 * DARK)
    assert is_empty_page(bars(), page, page)
    page = paper(bars())
    page[40:44] = np.maximum(page[40:44], 0.3 * DARK)
    assert not is_empty_page(bars(), page, page)


def test_bars_at_the_edge_are_rulings_unless_there_are_letters() -> None:
    ink = np.zeros((120, 300), np.uint8)
    ink[40:44, :120] = 1
    assert is_empty_page(ink, paper(ink), paper(ink))
    cv2.circle(ink, (200, 60), 20, 1, 3)
    assert not is_empty_page(ink, paper(ink), paper(ink))


def test_what_is_dark_on_one_side_only_is_a_shadow() -> None:
    ink = np.zeros((120, 300), np.uint8)
    cv2.circle(ink, (200, 60), 20, 1, 3)
    assert not is_empty_page(ink, paper(ink), paper(ink))
    assert is_empty_page(ink, paper(ink), paper(0 * ink))


def test_what_varies_like_its_surroundings_is_noise() -> None:
    ink = np.zeros((120, 300), np.uint8)
    cv2.circle(ink, (200, 60), 20, 1, 3)
    page = paper(ink, sigma=0.15)
    assert is_empty_page(ink, page, page)


def test_plenty_is_more_than_an_empty_page_shows() -> None:
    assert not is_full_of_ink(bars())
    assert is_full_of_ink(np.pad(np.ones((60, 60), np.uint8), 30))
