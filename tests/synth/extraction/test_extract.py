"""From a picture and its tree to strokes and a mask that can be trusted; what becomes a glyph."""

import numpy as np
import pytest

from san.ink.strokes import Box, box_of
from san.synth.extraction.extract import (
    component_counts,
    extract,
    has_fixed_shape,
    is_connected,
    lookalikes,
)
from san.synth.samples import boxes_of_labels
from tests.synth.extraction.drawn import Drawn, drawn, row
from tests.synth.extraction.oracle import CELL, Oracle


def test_all_that_stands_apart_is_gathered_where_it_stands() -> None:
    page = row("2 x = 7 - 1")
    found = extract(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    assert found.outline.names == "2 x = 7 - 1".split()
    for strokes, box, like in zip(found.strokes, page.boxes, found.fidelity, strict=True):
        assert like > 0.6
        assert np.abs(np.subtract(box_of(strokes), box)).max() < 6


def test_what_the_network_doubts_is_left() -> None:
    page = row("2 x + 1")
    found = extract(Oracle(page.tree, page.boxes, doubts=(1,)), page.picture, page.tree, CELL)
    assert [bool(strokes) for strokes in found.strokes] == [True, False, True, True]


def test_what_lacks_a_piece_is_left() -> None:
    page = row("2 = 1")
    left, top, right, _ = map(int, page.boxes[1])
    page.picture[top - 2 : top + 5, left : right + 1] = 0
    found = extract(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    assert [bool(strokes) for strokes in found.strokes] == [True, False, True]


def test_what_does_not_stand_as_the_tree_says_is_left() -> None:
    page = drawn(r"x^{2}", [("x", Box(0, 0, 24, 30)), ("2", Box(40, 60, 64, 90))])
    found = extract(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    assert not any(found.strokes)
    page = drawn(r"x^{2}", [("x", Box(0, 30, 24, 60)), ("2", Box(40, 0, 56, 24))])
    found = extract(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    assert all(found.strokes)


def test_what_passes_for_something_else_is_left() -> None:
    many = "a b c d e f g h i j k l m n o p q r s t u v w y A B C D E F G H I J K L M N O P Q R S T"
    page = row("2 x")  # a network that finds everything alike, and there is much to find
    engine = Oracle(page.tree, page.boxes, more=many + " 3 4 5 6 7 8 9 0 + - = < >")
    found = extract(engine, page.picture, page.tree, CELL)
    assert not any(found.strokes)


def mask_boxes(page: Drawn, doubts: tuple[int, ...] = ()) -> np.ndarray:
    """The boxes of the mask, NaN where a symbol has none."""
    engine = Oracle(page.tree, page.boxes, doubts)
    own = extract(engine, page.picture, page.tree, CELL)
    assert own.mask.shape == page.picture.shape
    assert not own.mask[page.picture == 0].any()
    return boxes_of_labels(own.mask, len(own.outline))


def test_what_stands_apart_has_its_mask() -> None:
    page = row("2 x = 7 - 1")
    assert np.abs(mask_boxes(page) - np.array(page.boxes)).max() <= 1


def test_what_the_network_doubts_has_none() -> None:
    known = np.isfinite(mask_boxes(row("2 x + 1"), doubts=(1,))[:, 0])
    assert known.tolist() == [True, False, True, True]


def test_symbols_that_touch_have_none() -> None:
    boxes = [Box(0, 0, 22, 30), Box(21, 0, 43, 30), Box(80, 0, 102, 30)]
    page = drawn("8 0 3", list(zip("8 0 3".split(), boxes, strict=True)))
    assert np.isfinite(mask_boxes(page)[:, 0]).tolist() == [False, False, True]


def test_a_root_has_a_mask_though_it_becomes_no_glyph() -> None:
    boxes = [Box(0, 0, 60, 50), Box(28, 16, 46, 44), Box(90, 16, 110, 44)]
    page = drawn(r"\sqrt{2}3", list(zip((r"\sqrt", "2", "3"), boxes, strict=True)))
    own = extract(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    assert not own.strokes[0]
    assert {*np.unique(own.mask)} == {0, 1, 2, 3}


def test_who_is_left_of_the_one_before_has_none_even_with_a_gap_in_what_is_known() -> None:
    boxes = [Box(80, 0, 102, 30), Box(40, 0, 62, 30), Box(0, 0, 22, 30), Box(120, 0, 142, 30)]
    page = drawn("2 x 3 7", list(zip("2 x 3 7".split(), boxes, strict=True)))
    known = np.isfinite(mask_boxes(page, doubts=(1,))[:, 0])
    assert known.tolist() == [False, False, False, True]


def test_pieces_are_as_many_as_a_pen_leaves() -> None:
    assert component_counts("=") == (2, 2)
    assert component_counts(r"\div") == (3, 3)
    assert component_counts("2") == (1, 1)
    assert not is_connected("=")
    assert is_connected("5")


@pytest.mark.parametrize(
    ("name", "can"),
    [("x", True), (r"\angle", True), (r"\frac", True), (r"\sqrt", False), (r"\overline", False),
     (r"\sin", False), (r"\lim", False), ("", False)],
)  # fmt: skip
def test_words_and_what_covers_others_stay_where_they_are(name: str, can: bool) -> None:
    assert has_fixed_shape(name) == can


def test_likeness_goes_both_ways() -> None:
    assert r"\times" in lookalikes("x")
    assert "x" in lookalikes(r"\times")
    assert lookalikes("&") == {"&"}
