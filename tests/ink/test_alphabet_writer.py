"""A hand writes the alphabet: steadily by its seed, never twice alike, always legibly."""

import numpy as np
import pytest

from san.ink.alphabet import BASELINE, SHAPES, WORDS, SimulatedWriter, knot_strokes
from san.ink.strokes import Box, box_of


def _box(hand: SimulatedWriter, label: str, **stretch: float) -> Box:
    return box_of(hand.write(label, 1.0, **stretch))


def test_the_same_seed_writes_the_same_ink() -> None:
    first, again, other = (SimulatedWriter(seed).write("b", 1.0) for seed in (5, 5, 6))
    assert all((a == b).all() for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_a_hand_never_writes_twice_alike() -> None:
    hand = SimulatedWriter(1)
    (first,), (second,) = hand.write("b", 1.0), hand.write("b", 1.0)
    assert first.shape == second.shape
    assert 0.05 < np.abs(first - second).max() < 4


@pytest.mark.parametrize("label", [*SHAPES, *WORDS])
def test_a_symbol_keeps_its_place_on_the_line(label: str) -> None:
    knots = np.concatenate([outline.knots for outline in knot_strokes(label)]) - (0, BASELINE)
    box = _box(SimulatedWriter(3, slant=0.0), label)
    assert abs(box.top - knots[:, 1].min()) < 3.5
    assert abs(box.bottom - knots[:, 1].max()) < 3.5


def test_a_steady_upright_hand_slants_as_told() -> None:
    upright, slanted = (SimulatedWriter(0, slant=slant, unsteady=0.0) for slant in (0.0, 0.5))
    assert _box(slanted, "h").width > _box(upright, "h").width + 3


def test_a_bar_grows_and_the_tick_of_a_root_does_not() -> None:
    for wide in (30, 90):
        (root,) = SimulatedWriter(0, slant=0.0, unsteady=0.0).write(
            r"\sqrt", 1.0, width=wide, height=25
        )
        box = box_of([root])
        assert box.width == pytest.approx(wide, rel=0.05)
        assert box.height == pytest.approx(25, rel=0.1)
        deepest = root[root[:, 1].argmax(), 0] - box.left
        assert deepest == pytest.approx(4.2, abs=0.6), "however long the bar"


def test_sizes_scale() -> None:
    small, large = (box_of(SimulatedWriter(2).write("e", size)) for size in (1.0, 3.0))
    assert large.height == pytest.approx(3 * small.height, rel=1e-4)
