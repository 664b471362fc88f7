import cv2
import numpy as np
import pytest

from san.images.clean.components import find_components
from san.images.clean.edge_lines import without_lines
from tests.images.letters import NIB, kept, loose, writing


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


def test_the_bar_of_a_root_that_slopes_at_first_stays_whole() -> None:
    ink = writing(rows=80, top=30)
    cv2.polylines(ink, [np.array([(60, 79), (75, 3), (150, 14), (299, 14)])], False, 1, 3)
    assert np.array_equal(loose(ink), ink)


def test_the_bar_of_a_root_stays_where_the_pen_was_lifted() -> None:
    ink = writing(rows=80, top=30)
    ink[0:4, 86:] = 1
    cv2.line(ink, (80, 2), (60, 72), 1, 3)
    assert np.array_equal(kept(loose(ink)), ink)


@pytest.mark.parametrize(("left", "top"), [(0, 52), (30, 57)], ids=["from a side", "at the edge"])
def test_a_line_under_the_writing_goes_that_ends_within_the_picture(left: int, top: int) -> None:
    ink = writing()
    ruled = ink.copy()
    ruled[top : top + 3, left:270] = 1
    ruled[48:top, 62:66] = 1  # a letter that stands on it
    result = loose(ruled)
    assert not result[top:, 100:250].any()
    assert np.array_equal(result[:46], ink[:46])


def test_a_line_with_writing_beneath_it_stays() -> None:
    ink = writing(rows=100)
    ink[54:57, 0:250] = 1
    ink[48:54, 62:66] = 1
    ink[60:95] = writing()[5:40]
    assert np.array_equal(loose(ink), ink)


def test_a_line_that_is_known_to_be_a_bar_stays() -> None:
    ink = writing()
    ink[52:55, :] = 1
    ink[48:60, 297:] = 1
    ink[48:52, 62:66] = 1
    bars = np.zeros_like(ink)
    bars[50:57] = 1
    found = find_components(ink)
    assert not np.array_equal(without_lines(ink, found, NIB), ink)
    assert np.array_equal(without_lines(ink, found, NIB, bars), ink)
