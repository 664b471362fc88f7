import numpy as np

from san.images.clean.black_border import without_black_border
from san.images.clean.pipeline import clean
from san.synth.photo.paper import PaperPage
from tests.images.photographs import formula, grey_photograph, likeness


def test_black_bars_and_wedges_are_filled() -> None:
    drawn = formula()
    photo = grey_photograph(drawn, PaperPage())
    framed = np.pad(photo, ((20, 15), (30, 0)))
    framed[np.arange(len(framed))[:, None] > 3 * np.arange(framed.shape[1])[None] + 150] = 0
    filled = without_black_border(framed)
    assert filled.min() > 12
    assert np.array_equal(filled[40:100, 100:200], framed[40:100, 100:200])
    assert likeness(drawn, clean(framed)) > 0.85


def test_ink_that_touches_the_edge_stays() -> None:
    page = np.full((100, 200), 255, np.uint8)
    page[:50, 60:66] = 0
    assert np.array_equal(without_black_border(page), page)


def test_ink_that_touches_a_frame_stays() -> None:
    page = np.full((100, 200), 255, np.uint8)
    page[96:] = 0
    page[40:46, 60:160] = 0
    page[40:, 100:106] = 0
    filled = without_black_border(page)
    assert filled[98].min() == 255
    assert not filled[40:46, 60:160].any()


def test_dark_paper_is_no_frame() -> None:
    board = np.zeros((100, 200), np.uint8)
    board[40:60, 90:95] = 255
    assert np.array_equal(without_black_border(board), board)
