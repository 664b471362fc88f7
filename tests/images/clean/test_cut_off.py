import cv2
import numpy as np
import pytest

from san.images.bitmap import Mask
from tests.images.letters import NIB, kept, letter, loose, writing


def test_an_exponent_at_the_edge_stays() -> None:
    ink = writing()
    letter(ink, 178, 0, 20)
    assert np.array_equal(kept(ink), ink)


def test_a_denominator_at_the_edge_stays() -> None:
    ink = writing()
    ink[30:34, 178:208] = 1
    letter(ink, 185, 40, 20)
    assert np.array_equal(kept(ink), ink)


def test_several_marks_at_an_edge_are_another_line() -> None:
    ink = writing(rows=75, top=25)
    letter(ink, 178, 0, 20)
    letter(ink, 262, 0, 20)
    assert np.array_equal(kept(ink), writing(rows=75, top=25))


@pytest.mark.parametrize(
    ("left", "width", "height"),
    [(178, NIB, 20), (178, 18, 8), (178, 70, 8)],
    ids=["a foot", "too low", "too wide"],
)
def test_what_is_no_script_goes(left: int, width: int, height: int) -> None:
    ink = writing(rows=75, top=25)
    ink[:height, left : left + width] = 1
    assert np.array_equal(kept(ink), writing(rows=75, top=25))


def test_a_lone_mark_far_from_the_writing_goes() -> None:
    ink = writing(rows=100, top=50)
    letter(ink, 180, 0, 20)
    assert np.array_equal(kept(ink), writing(rows=100, top=50))


def test_letters_that_touch_one_another_and_a_corner_stay() -> None:
    ink = writing()
    for left in (180, 210, 240, 270):
        letter(ink, left, 20)
    assert np.array_equal(kept(ink), ink)


def test_a_thin_pen_in_a_corner_stays() -> None:
    ink = writing()
    ink[:, 200:] = 0
    for middle in (214, 269):
        cv2.ellipse(ink, (middle, 44), (28, 14), 0, 0, 360, 1, 2)
    assert np.array_equal(kept(ink), ink)


def test_a_digit_in_a_corner_stays_where_only_bars_touch_no_edge() -> None:
    ink = np.zeros((60, 130), np.uint8)
    letter(ink, 0, 10)
    for row in (25, 36):
        ink[row : row + NIB, 50:80] = 1
    ink[18:, 126:] = 1
    assert np.array_equal(kept(ink), ink)


def test_a_bracket_as_high_as_the_picture_stays() -> None:
    ink = writing()
    cv2.ellipse(ink, (299, 30), (14, 34), 0, 90, 270, 1, NIB)
    assert np.array_equal(kept(ink), ink)


def test_an_upright_line_at_the_side_goes() -> None:
    ink = writing()
    ink[:, 296:] = 1
    assert np.array_equal(kept(ink), writing())


def test_a_bar_from_side_to_side_stays_between_writing_alone() -> None:
    above, beneath = writing(rows=120, top=10), writing(rows=120, top=70)
    bar = np.zeros_like(above)
    bar[58:62] = 1
    assert np.array_equal(kept(above | bar | beneath), above | bar | beneath)
    assert np.array_equal(kept(above | bar), above)
    assert np.array_equal(kept(bar | beneath), beneath)


def test_a_band_that_is_broader_than_strokes_goes() -> None:
    ink = writing()
    corners = np.array([(265, 0), (279, 0), (299, 59), (285, 59)])
    band = cv2.fillConvexPoly(np.zeros_like(ink), corners, 1)
    assert np.array_equal(kept(ink | np.asarray(band, np.uint8)), ink)


def root(ink: Mask, left: int, right: int, top: int, foot: int) -> None:
    """A hook, a leg and a bar."""
    corners = np.array([(left, foot - 15), (left + 10, foot), (left + 22, top), (right, top)])
    cv2.polylines(ink, [corners], isClosed=False, color=1, thickness=NIB)


@pytest.mark.parametrize("right", [270, 299], ids=["ends within", "leaves by the corner"])
def test_a_root_that_fills_the_crop_stays(right: int) -> None:
    ink = np.zeros((60, 300), np.uint8)
    for left in (60, 100, 140, 220):
        letter(ink, left, 15, 35)
    root(ink, 1, right, 2, 57)
    assert np.array_equal(loose(ink), ink)
    assert np.array_equal(kept(ink), ink)


def test_a_fraction_bar_that_touches_a_letter_and_the_side_stays() -> None:
    ink = np.zeros((120, 300), np.uint8)
    for left, top in ((20, 40), (60, 40), (150, 4), (190, 4), (230, 4), (170, 70), (220, 70)):
        letter(ink, left, top)
    ink[52:56, 130:300] = 1
    ink[0:54, 296:300] = 1  # stands on the bar, and leaves the picture
    assert np.array_equal(loose(ink), ink)
    assert np.array_equal(kept(ink), ink)


def test_a_slender_bracket_in_a_corner_stays() -> None:
    ink = writing(rows=120, top=40)
    cv2.ellipse(ink, (297, 60), (12, 62), 0, 90, 270, 1, NIB)
    assert np.array_equal(kept(ink), ink)


def test_a_letter_that_fills_the_crop_stays() -> None:
    ink = np.zeros((40, 30), np.uint8)
    letter(ink, 0, 0)
    assert np.array_equal(kept(ink), ink)


def test_a_line_that_fills_the_crop_goes() -> None:
    ink = np.zeros((40, 30), np.uint8)
    ink[:, :NIB] = 1
    assert not kept(ink).any()


def test_a_dot_that_just_touches_the_edge_stays() -> None:
    ink = writing(rows=56, top=14)
    cv2.circle(ink, (192, 3), 3, 1, -1)
    ink[12:50, 190:194] = 1
    assert np.array_equal(kept(ink), ink)


def test_a_dot_that_is_cut_through_goes() -> None:
    ink = writing(rows=56, top=14)
    cv2.circle(ink, (192, 0), 4, 1, -1)
    assert np.array_equal(kept(ink), writing(rows=56, top=14))


def test_a_slanted_bar_that_touches_the_edge_with_an_end_stays() -> None:
    ink = writing(rows=56, top=14)
    cv2.line(ink, (180, 6), (212, 2), 1, NIB)
    assert np.array_equal(kept(ink), ink)


def test_the_lower_bar_of_a_sign_at_the_edge_stays() -> None:
    ink = writing(rows=60, top=15)
    ink[44:48, 180:208] = 1
    ink[57:60, 181:209] = 1
    assert np.array_equal(kept(ink), ink)
    ink[44:48, 180:208] = 0  # alone it is the head of a letter
    assert np.array_equal(kept(ink), writing(rows=60, top=15))


def test_a_stroke_over_a_fraction_bar_at_the_edge_stays() -> None:
    ink = writing()
    ink[0:17, 190:194] = 1
    ink[22:25, 178:206] = 1
    letter(ink, 183, 30, 20)
    assert np.array_equal(kept(ink), ink)
    ink[22:25, 178:206] = 0
    assert not kept(ink)[:17, 190:194].any()


def test_a_stroke_beside_a_script_at_the_edge_stays() -> None:
    ink = writing()
    ink[8:11, 262:274] = 1  # a minus
    ink[0:18, 280:284] = 1
    assert np.array_equal(kept(ink), ink)
    ink[0:18, 205:209] = 1  # feet of another line come in numbers
    assert not kept(ink)[:7, 205:209].any()
    assert not kept(ink)[:7, 280:284].any()
