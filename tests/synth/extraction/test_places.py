"""Which pixels of a photograph are which symbol."""

import numpy as np

from san.ink.strokes import Box
from san.synth.extraction.glyphs import gather
from san.synth.sources import boxes_of_labels
from tests.synth.extraction.drawn import Drawn, drawn, row
from tests.synth.extraction.oracle import CELL, Oracle


def found(page: Drawn, doubts: tuple[int, ...] = ()) -> np.ndarray:
    """The boxes of the places, NaN where there is none."""
    engine = Oracle(page.tree, page.boxes, doubts)
    own = gather(engine, page.picture, page.tree, CELL)
    assert own.places.shape == page.picture.shape
    assert not own.places[page.picture == 0].any()
    return boxes_of_labels(own.places, len(own.tree))


def test_what_stands_apart_has_its_place() -> None:
    page = row("2 x = 7 - 1")
    assert np.abs(found(page) - np.array(page.boxes)).max() <= 1


def test_what_the_network_doubts_has_none() -> None:
    known = np.isfinite(found(row("2 x + 1"), doubts=(1,))[:, 0])
    assert known.tolist() == [True, False, True, True]


def test_symbols_that_touch_have_none() -> None:
    boxes = [Box(0, 0, 22, 30), Box(21, 0, 43, 30), Box(80, 0, 102, 30)]
    page = drawn("8 0 3", list(zip("8 0 3".split(), boxes, strict=True)))
    assert np.isfinite(found(page)[:, 0]).tolist() == [False, False, True]


def test_a_root_has_a_place_though_nobody_harvests_it() -> None:
    boxes = [Box(0, 0, 60, 50), Box(28, 16, 46, 44), Box(90, 16, 110, 44)]
    page = drawn(r"\sqrt{2}3", list(zip((r"\sqrt", "2", "3"), boxes, strict=True)))
    own = gather(Oracle(page.tree, page.boxes), page.picture, page.tree, CELL)
    assert not own.strokes[0]
    assert {*np.unique(own.places)} == {0, 1, 2, 3}


def test_who_is_left_of_the_one_before_has_none_even_with_a_gap_in_what_is_known() -> None:
    boxes = [Box(80, 0, 102, 30), Box(40, 0, 62, 30), Box(0, 0, 22, 30), Box(120, 0, 142, 30)]
    page = drawn("2 x 3 7", list(zip("2 x 3 7".split(), boxes, strict=True)))
    known = np.isfinite(found(page, doubts=(1,))[:, 0])
    assert known.tolist() == [False, False, False, True]
