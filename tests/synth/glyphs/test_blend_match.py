"""Strokes beside strokes."""

import numpy as np
import pytest

from san.synth.glyphs.blend_match import beside, matched
from san.synth.glyphs.blend_shapes import DENSE

LINE = np.linspace(0, 1, DENSE, dtype=np.float32)
FALLING = np.stack((LINE, LINE), axis=1) - 0.5
RISING = np.stack((LINE, 1 - LINE), axis=1) - 0.5
CROSS = np.stack((FALLING, RISING))
ARC = np.stack((np.cos(6 * LINE), np.sin(6 * LINE)), axis=1)[None] / 2


def test_strokes_are_matched_in_any_order_and_from_either_end() -> None:
    other = np.stack((RISING[::-1], FALLING))
    match = matched(CROSS, np.stack((CROSS, other, other[::-1])))
    assert match.worst == pytest.approx(0, abs=1e-3)
    assert match.order.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert match.turned.tolist() == [[False, False], [False, True], [False, True]]
    assert np.array_equal(beside(other, match.order[1], match.turned[1]), CROSS)


def test_the_worst_stroke_tells_how_far_shapes_are_apart() -> None:
    moved = CROSS.copy()
    moved[1, :, 0] += 0.3
    assert matched(CROSS, moved[None]).worst == pytest.approx(0.3, abs=1e-3)
    assert matched(ARC, FALLING[None, None]).worst > 0.3


def test_words_of_many_strokes_are_compared_as_they_were_written() -> None:
    word = np.stack([FALLING + step for step in range(7)]).astype(np.float32)
    match = matched(word, word[None])
    assert match.order.tolist() == [list(range(7))]
    assert match.worst == pytest.approx(0, abs=5e-3)
