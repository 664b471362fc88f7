"""Ink is sound by construction, and tells its own measures."""

import numpy as np
import pytest

from san.errors import SanError
from san.ink import Box, Ink, InkError
from san.ink.strokes import MAX_WAY_POINTS, Way, bounded_step


def test_measures() -> None:
    ink = Ink.of([[[1, 2], [5, 2]], [[3, 0], [3, 8], [4, 4]], [[9, 9]]])
    assert ink.box == Box(1, 0, 9, 9)
    assert (ink.box.width, ink.box.height) == (8, 9)
    assert ink.sizes.tolist() == [[4, 0], [1, 8], [0, 0]]
    assert ink.starts.tolist() == [0, 2, 5]
    assert len(ink.points) == 6


def test_glyphs() -> None:
    ink = Ink.of([[[1, 2], [5, 2]], [[3, 0], [3, 8], [4, 4]], [[9, 9]]])
    glyph = ink.glyph("x", [1, 0, 1])
    assert (glyph.label, glyph.strokes, glyph.box) == ("x", (0, 1), Box(1, 0, 5, 8))
    assert ink.glyph(".", (2,)).box == Box(9, 9, 9, 9)


def test_strokes_become_float32() -> None:
    ink = Ink.of([np.array([[1, 2]], np.int64)])
    assert ink.strokes[0].dtype == np.float32


@pytest.mark.parametrize(
    "stroke",
    [
        [(1, 2, 0.5), (3, 4, 0.7)],
        [(1, 2, 0.5, 1.7e12), (3, 4)],
        [(1, 2, None), (3, 4, 1e300)],
        np.array([[1, 2, *range(6)], [3, 4, *range(6)]]),
    ],
)
def test_what_follows_x_and_y_is_passed_over(stroke: list) -> None:
    (points,) = Ink.of([stroke]).strokes
    assert points.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("strokes", "reason"),
    [
        ([], "no strokes"),
        ([[]], "stroke 1 is not a list"),
        ([[[1, 2]], [[1], [2]]], "stroke 2 is not a list"),
        ([[range(9)]], "a point has 9 numbers"),
        ([[[1, 2], range(9)]], "a point has 9 numbers"),
        ([[[1, 2, 3], [1]]], "not a list of x, y points"),
        ([[1, 2]], "stroke 1 is not a list"),
        ([[["a", "b"]]], "not a list of x, y points"),
        ([[[1, 2], [3]]], "not a list of x, y points"),
        ([[[0, float("nan")]]], "not a number within"),
        ([[[0, float("inf")]]], "not a number within"),
        ([[[0, 1e300]]], "not a number within"),
        ([[[0, -2e7]]], "not a number within"),
        ([[[0, 10**400]]], "not a list of x, y points"),
    ],
)
def test_unsound_ink_is_refused(strokes: list, reason: str) -> None:
    with pytest.raises(InkError, match=reason):
        Ink.of(strokes)


def test_a_way_has_points_where_the_pen_left_none() -> None:
    way = Way(np.array([[0, 0], [6, 0], [6, 2]], np.float32))
    assert way.length == 8
    assert way.at(np.array([0.0, 3.0, 7.0, 9.0])).tolist() == [[0, 0], [3, 0], [6, 1], [6, 2]]
    assert way.dense(4.0).tolist() == [[0, 0], [6, 0], [6, 2], [4, 0]]
    dot = Way(np.array([[5, 5]], np.float32))
    assert dot.length == 0
    assert dot.dense(4.0).tolist() == [[5, 5]]


def test_steps_are_longer_where_a_way_has_no_end() -> None:
    short, long = (Way(np.array([[0, 0], [end, 0]], np.float32)) for end in (100, 1e7))
    assert bounded_step([short], 4.0) == 4.0
    assert bounded_step([short, long], 4.0) == pytest.approx(1e7 / MAX_WAY_POINTS, rel=1e-4)


def test_other_types_need_of() -> None:
    with pytest.raises(InkError, match="float64, not float32"):
        Ink((np.zeros((2, 2)),))  # type: ignore[arg-type]


def test_people_may_see_the_error() -> None:
    assert issubclass(InkError, SanError)
