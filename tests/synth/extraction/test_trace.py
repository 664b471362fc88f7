"""From shapes of ink to strokes."""

import cv2
import numpy as np
import pytest

from san.ink.alphabet import compose
from san.ink.draw import Pen, draw
from san.ink.strokes import Box, Points
from san.synth.extraction.trace import fidelity, trace


def shape_of(name: str, width: int = 3, size: float = 40.0) -> np.ndarray:
    sheet = compose([(name, Box(0, 0, size * 0.8, size))])
    return (draw(sheet.ink, Pen(width=width), scale=1) > 0).astype(np.uint8)


@pytest.mark.parametrize("name", [*"0123456789abcxyABC", "=", r"\pi"])
@pytest.mark.parametrize("width", [3, 6])
def test_strokes_drawn_again_look_like_the_shape(name: str, width: int) -> None:
    mask = shape_of(name, width)
    strokes, found = trace(mask)
    assert abs(found - width) < 1.5
    assert fidelity(mask, strokes, found) > 0.6
    assert sum(map(len, strokes)) < 60


def crossed(*lines: tuple[tuple[int, int], tuple[int, int]], width: int = 5) -> np.ndarray:
    mask = np.zeros((80, 80), np.uint8)
    for start, end in lines:
        cv2.line(mask, start, end, 1, width)
    return mask


def spans(stroke: Points) -> tuple[float, float]:
    wide, tall = np.ptp(stroke, axis=0).tolist()
    return wide, tall


def test_a_pen_goes_straight_on_where_lines_cross() -> None:
    strokes, _ = trace(crossed(((10, 40), (70, 40)), ((40, 10), (40, 70))))
    assert len(strokes) == 2
    (wide, flat), (thin, tall) = sorted(map(spans, strokes), reverse=True)
    assert min(wide, tall) > 50
    assert max(flat, thin) < 4


def test_a_slanting_cross_is_two_strokes_as_well() -> None:
    mask = crossed(((28, 8), (52, 72)), ((52, 8), (28, 72)))
    strokes, width = trace(mask)
    assert [round(max(spans(stroke)), -1) for stroke in strokes] == [60, 60]
    assert all(min(spans(stroke)) > 15 for stroke in strokes)
    assert fidelity(mask, strokes, width) > 0.7


def test_a_line_that_meets_another_ends_there() -> None:
    strokes, _ = trace(crossed(((10, 20), (70, 20)), ((40, 20), (40, 70))))
    assert sorted(round(max(spans(stroke)), -1) for stroke in strokes) == [50, 60]


def test_a_ring_is_one_stroke_that_closes() -> None:
    mask = np.zeros((60, 60), np.uint8)
    cv2.circle(mask, (30, 30), 20, 1, 4)
    (stroke,), _ = trace(mask)
    assert np.hypot(*(stroke[0] - stroke[-1])) < 2
    assert min(spans(stroke)) > 36


def test_a_dot_is_a_stroke() -> None:
    mask = np.zeros((9, 9), np.uint8)
    mask[3:6, 3:6] = 1
    (stroke,), _ = trace(mask)
    assert np.abs(stroke - 4).max() <= 1


def test_a_blot_is_not_faithful() -> None:
    mask = np.zeros((90, 90), np.uint8)
    cv2.circle(mask, (45, 45), 40, 1, -1)
    cv2.line(mask, (0, 45), (89, 45), 1, 3)
    strokes, _ = trace(mask)
    assert fidelity(mask, strokes, 3.0) < 0.3
