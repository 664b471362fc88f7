"""Forced decoding, and which components of ink it assigns to which symbol."""

import numpy as np
import pytest

from san.errors import SanError
from san.grammar import parse
from san.images.clean.components import Components, find_components
from san.ink.strokes import Box
from san.synth.extraction.attention import (
    Assignment,
    assign_components,
    decode_forced,
    first_symbol_probabilities,
)
from tests.synth.extraction.drawn import Drawn, drawn, row
from tests.synth.extraction.oracle import CELL, UNSURE, Oracle


def test_each_symbol_is_where_its_own_step_attends() -> None:
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
    seen = decode_forced(Oracle(page.tree, page.boxes, doubts=(3,)), page.picture, page.tree)
    assert len(seen.probabilities) == 6
    for box, own in zip(page.boxes, seen.attention, strict=True):
        y, x = np.unravel_index(own.argmax(), own.shape)
        assert x * CELL <= box.right
        assert (x + 1) * CELL > box.left
        assert y * CELL <= box.bottom
        assert (y + 1) * CELL > box.top
    assert seen.probabilities[3] == pytest.approx(UNSURE, abs=1e-3)
    assert (np.delete(seen.probabilities, 3) > 0.9).all()


def test_a_symbol_that_the_network_does_not_know_is_one_line() -> None:
    page = row("x + 1")
    with pytest.raises(SanError, match="the network does not know y"):
        decode_forced(Oracle(page.tree, page.boxes), page.picture, parse("x+y"))


def test_alone_tells_how_probable_each_symbol_is() -> None:
    page = row("x + 1")
    chances = first_symbol_probabilities(Oracle(page.tree, page.boxes), page.picture)
    assert chances["x"] > 0.9
    assert sum(chances.values()) == pytest.approx(1, abs=1e-5)


def placed(page: Drawn) -> tuple[Components, list[Assignment]]:
    inked = find_components((page.picture > 0).astype(np.uint8))
    seen = decode_forced(Oracle(page.tree, page.boxes), page.picture, page.tree)
    return inked, assign_components(inked, seen.attention, CELL)


def covered(inked: Components, own: Assignment) -> Box:
    stats = inked.stats[list(own.components)]
    left, top = stats[:, :2].min(axis=0)
    right, bottom = (stats[:, :2] + stats[:, 2:4]).max(axis=0)
    return Box(left, top, right, bottom)


def test_symbols_that_stand_apart_get_all_their_pieces() -> None:
    page = row("2 x = 7 - 1")
    inked, owned = placed(page)
    assert all(own.certain for own in owned)
    assert len(owned[2].components) == 2  # of the equals sign
    for own, box in zip(owned, page.boxes, strict=True):
        assert np.abs(np.subtract(covered(inked, own), box)).max() <= 1


def test_a_piece_that_two_symbols_share_is_nobodys() -> None:
    boxes = [Box(0, 0, 22, 30), Box(21, 0, 43, 30), Box(80, 0, 102, 30)]
    page = drawn("8 0 3", list(zip("8 0 3".split(), boxes, strict=True)))
    inked, owned = placed(page)
    assert len(inked.stats) == 2  # the first two touch
    assert [own.certain for own in owned] == [False, False, True]


def test_a_picture_without_ink_has_nothing_for_anybody() -> None:
    page = row("x 1")
    nothing = find_components(np.zeros((40, 60), np.uint8))
    seen = decode_forced(Oracle(page.tree, page.boxes), page.picture, page.tree)
    assert assign_components(nothing, seen.attention, CELL) == [Assignment((), False)] * 2
