"""Walking along a tree that is known."""

import numpy as np
import pytest

from san.errors import SanError
from san.grammar import parse
from san.ink.strokes import Box
from san.synth.extraction.forced import alone, looks
from tests.synth.extraction.drawn import drawn, row
from tests.synth.extraction.oracle import CELL, UNSURE, Oracle


def test_each_symbol_is_looked_for_where_its_own_step_looks() -> None:
    page = drawn(
        r"\frac{x}{2}+y^{3}",
        [
            (r"\frac", Box(0, 48, 40, 49)),
            ("x", Box(8, 8, 32, 40)),
            ("2", Box(8, 60, 32, 96)),
            ("+", Box(60, 36, 84, 60)),
            ("y", Box(100, 32, 124, 70)),
            ("3", Box(132, 8, 146, 30)),
        ],
    )
    seen = looks(Oracle(page.tree, page.boxes, doubts=(3,)), page.picture, page.tree)
    assert len(seen.chances) == 6
    for box, own in zip(page.boxes, seen.attention, strict=True):
        y, x = np.unravel_index(own.argmax(), own.shape)
        assert x * CELL <= box.right
        assert (x + 1) * CELL > box.left
        assert y * CELL <= box.bottom
        assert (y + 1) * CELL > box.top
    assert seen.chances[3] == pytest.approx(UNSURE, abs=1e-3)
    assert (np.delete(seen.chances, 3) > 0.9).all()


def test_a_symbol_that_the_network_does_not_know_is_one_line() -> None:
    page = row("x + 1")
    with pytest.raises(SanError, match="the network does not know y"):
        looks(Oracle(page.tree, page.boxes), page.picture, parse("x+y"))


def test_alone_tells_how_probable_each_symbol_is() -> None:
    page = row("x + 1")
    chances = alone(Oracle(page.tree, page.boxes), page.picture)
    assert chances["x"] > 0.9
    assert sum(chances.values()) == pytest.approx(1, abs=1e-5)
