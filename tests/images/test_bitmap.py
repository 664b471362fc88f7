import numpy as np

from san.images.bitmap import extent, is_bitmap, resized
from san.ink.draw import Pen, draw
from tests.ink.formulas import fraction


def test_only_the_fields_own_drawing_is_one() -> None:
    ink = fraction().ink
    drawn = draw(ink)
    assert is_bitmap(drawn)
    assert not is_bitmap(255 - drawn)
    assert not is_bitmap(drawn[1:])
    assert not is_bitmap(np.pad(drawn, 1))
    assert not is_bitmap(draw(ink, Pen(width=2)))
    assert not is_bitmap(draw(ink, Pen(width=9)))
    assert not is_bitmap(drawn // 2)
    assert not is_bitmap(np.zeros((50, 50), np.uint8))


def test_extent() -> None:
    mask = np.zeros((9, 9), np.uint8)
    assert extent(mask) is None
    mask[2:4, 5] = 1
    assert extent(mask) == (5, 2, 6, 4)


def test_resized_keeps_a_pixel() -> None:
    assert resized(np.zeros((1, 100), np.uint8), 0.01).shape == (1, 1)
