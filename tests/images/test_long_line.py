"""The longest straight line of a picture tells how it is tilted."""

import cv2
import numpy as np
import pytest

from san.images.bitmap import Grey
from san.images.long_line import MIN_SIDE, long_line_tilt
from tests.images.photographs import formula


def ruled(degrees: float, width: int = 700) -> Grey:
    """A formula's ink with a ruling below it that goes from side to side, tilted."""
    height = width // 2
    page = np.full((height, width), 225, np.uint8)
    fall = int(np.tan(np.radians(degrees)) * width / 2)
    middle = height // 2
    cv2.line(page, (0, middle - fall), (width, middle + fall), 120, 3)
    ink = formula()
    page[5 : 5 + len(ink), 40 : 40 + ink.shape[1]][ink > 0] = 70
    return np.asarray(cv2.GaussianBlur(page, (0, 0), 0.8), np.uint8)


@pytest.mark.parametrize("degrees", [-18.0, -7.0, 0.0, 5.0, 14.0])
def test_a_ruling_tells_the_tilt(degrees: float) -> None:
    for width in (600, 1500):
        assert long_line_tilt(ruled(degrees, width)) == pytest.approx(degrees, abs=1)
        assert long_line_tilt(255 - ruled(degrees, width)) == pytest.approx(degrees, abs=1)


def test_letters_shadows_and_steep_lines_tell_nothing() -> None:
    ink = formula()
    assert long_line_tilt(np.pad(255 - ink, 30, constant_values=255)) == pytest.approx(0, abs=2)
    shadow = np.full((300, 400), 220, np.uint8)
    shadow[np.tri(300, 400, 100, bool)] = 170
    assert long_line_tilt(shadow) == 0
    assert long_line_tilt(ruled(40.0)) == 0
    assert long_line_tilt(np.zeros((300, MIN_SIDE - 1), np.uint8)) == 0
