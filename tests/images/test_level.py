import cv2
import numpy as np
import pytest

from tests.images.letters import kept, loose, writing


@pytest.mark.parametrize("slope", [0.0, 0.03, -0.03])
def test_letters_stay_that_stand_on_a_ruling_which_leaves_the_picture(slope: float) -> None:
    ink = writing()
    ruled = ink.copy()
    first, last = round(50 + 100 * slope), round(50 - 80 * slope)
    cv2.line(ruled, (120, first), (299, last), 1, 3)
    ruled[last:, 296:] = 1  # around the corner
    result = kept(loose(ruled))
    assert np.array_equal(result[:42], ink[:42])  # a bar that lies on it is a part of it
    assert (result & (1 - ink)).sum() < 0.05 * ink.sum()


def test_strokes_are_carried_across_a_ruling() -> None:
    ink = writing()
    ruled = ink.copy()
    ruled[38:41, 130:] = 1
    ruled[38:, 297:] = 1
    result = kept(loose(ruled))
    assert result[10:50, 220:224].all()
    assert result[38:41, 170:200].sum() == 0


def test_the_bar_of_a_root_at_the_upper_edge_stays() -> None:
    ink = writing()
    ink[0:3, 90:250] = 1
    ink[0:40, 90:93] = 1
    assert np.array_equal(loose(ink), ink)


def test_writing_that_touches_no_corner_is_not_touched() -> None:
    ink = writing()
    ink[45:48, 10:290] = 1
    assert loose(ink) is ink
