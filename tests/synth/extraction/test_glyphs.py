"""From a picture and its tree to strokes that can be trusted."""

import numpy as np

from san.ink.strokes import Box, box_of
from san.synth.extraction.glyphs import gather
from tests.synth.extraction.drawn import drawn, row
from tests.synth.extraction.oracle import CELL, Oracle


def test_all_that_stands_apart_is_gathered_where_it_stands() -> None:
    page = row("2 x = 7 - 1")
    found = gather(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    assert found.tree.names == "2 x = 7 - 1".split()
    for strokes, box, like in zip(found.strokes, page.boxes, found.faithful, strict=True):
        assert like > 0.6
        assert np.abs(np.subtract(box_of(strokes), box)).max() < 6


def test_what_the_network_doubts_is_left() -> None:
    page = row("2 x + 1")
    found = gather(Oracle(page.tree, page.boxes, doubts=(1,)), page.picture, page.tree, CELL)
    assert [bool(strokes) for strokes in found.strokes] == [True, False, True, True]


def test_what_lacks_a_piece_is_left() -> None:
    page = row("2 = 1")
    left, top, right, _ = map(int, page.boxes[1])
    page.picture[top - 2 : top + 5, left : right + 1] = 0
    found = gather(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    assert [bool(strokes) for strokes in found.strokes] == [True, False, True]


def test_what_does_not_stand_as_the_tree_says_is_left() -> None:
    page = drawn(r"x^{2}", [("x", Box(0, 0, 24, 30)), ("2", Box(40, 60, 64, 90))])
    found = gather(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    assert not any(found.strokes)
    page = drawn(r"x^{2}", [("x", Box(0, 30, 24, 60)), ("2", Box(40, 0, 56, 24))])
    found = gather(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    assert all(found.strokes)


def test_what_passes_for_something_else_is_left() -> None:
    many = "a b c d e f g h i j k l m n o p q r s t u v w y A B C D E F G H I J K L M N O P Q R S T"
    page = row("2 x")  # a network that finds everything alike, and there is much to find
    engine = Oracle(page.tree, page.boxes, more=many + " 3 4 5 6 7 8 9 0 + - = < >")
    found = gather(engine, page.picture, page.tree, CELL)
    assert not any(found.strokes)
