"""Ink as sixteenths of a pixel: small, near, and drawn alike to the last bit."""

import numpy as np
import pytest

from san.data.packed_ink import to_ink, to_steps
from san.ink import Ink, Pen, draw, scale_of
from tests.data.drawn import ink


def packed(original: Ink) -> Ink:
    return to_ink(to_steps(original), np.array([len(stroke) for stroke in original.strokes]))


def in_pixels(original: Ink, scale: float) -> np.ndarray:
    return original.points.astype(np.float64) * scale


@pytest.mark.parametrize("seed", range(20))
def test_points_stay_within_a_sixteenth(seed: int) -> None:
    original = ink(seed)
    back = packed(original)
    assert [len(stroke) for stroke in back.strokes] == [len(s) for s in original.strokes]
    away = in_pixels(original, scale_of(original)) - back.points
    moved = np.rint(away.mean(axis=0))
    assert (np.abs(away - moved) <= 1 / 16 + 1e-3).all()  # float32 is good for a thousandth here


@pytest.mark.parametrize("seed", range(20))
def test_drawn_again_it_is_the_same_picture(seed: int) -> None:
    original = ink(seed)
    assert np.array_equal(draw(packed(original), scale=1), draw(original))


def test_dots_and_flat_lines() -> None:
    for original in (
        Ink.of([[(5, 5)]]),
        Ink.of([[(0, 0), (300, 0)]]),
        Ink.of([[(-7, 3)], [(9, 3)]]),
    ):
        assert np.array_equal(draw(packed(original), scale=1), draw(original))


def test_the_longest_ink_still_fits() -> None:
    # The pen jumps from end to end, farther than 15 bits of sixteenths.
    original = Ink.of([[(0, 0), (0, 1)], [(99_999, 0), (99_999, 1)], [(0, 0), (0, 1)]])
    back = packed(original)
    assert [stroke[0, 0] for stroke in back.strokes] == [0, back.box.right, 0]
    assert back.box.right > 2**15 / 16
    # Drawn as it is, not shrunk once more.
    assert draw(back, scale=1).shape[1] == back.box.right + Pen().border <= Pen.max_side
