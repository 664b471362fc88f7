"""Where paper ends is no ink; what is written near to it is."""

import numpy as np
import pytest

from san.images.bitmap import Grey, Mask
from san.images.clean.ground_edges import without_ground_edges
from tests.images.letters import writing


def line(darker: int) -> tuple[Mask, Grey]:
    """Letters, and a long line below them with so much darker ground beyond it."""
    ink = np.pad(writing(), ((0, 60), (0, 0)))
    edge = np.zeros_like(ink)
    edge[90:94, 20:280] = 1
    grey = np.full(ink.shape, 220, np.uint8)
    grey[92:] -= np.uint8(darker)
    ink |= edge
    return ink, np.where(ink > 0, np.uint8(40), grey)


@pytest.mark.parametrize(("darker", "stays"), [(0, True), (5, True), (60, False)])
def test_a_line_with_the_same_ground_on_both_sides_is_a_stroke(darker: int, stays: bool) -> None:
    ink, grey = line(darker)
    left = without_ground_edges(ink, grey)
    assert left[90:94].any() == stays
    assert (left[:80] == ink[:80]).all()


def test_letters_beside_a_bar_are_no_ground() -> None:
    """A numerator above it, and nothing below yet."""
    ink, grey = line(0)
    near = np.roll(ink[:60], 33, axis=0)
    ink[:60], grey[:60] = near, np.where(near > 0, 40, 220)
    assert (without_ground_edges(ink, grey) == ink).all()


def test_an_edge_alone_is_left_to_others() -> None:
    ink, grey = line(60)
    ink[:80] = 0
    assert (without_ground_edges(ink, grey) == ink).all()
