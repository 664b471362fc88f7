"""Which pieces of ink are whose."""

import numpy as np

from san.images.clean.components import Components, find_components
from san.ink.strokes import Box
from san.synth.extraction.forced import looks
from san.synth.extraction.place import Found, found
from tests.synth.extraction.drawn import Drawn, drawn, row
from tests.synth.extraction.oracle import CELL, Oracle


def placed(page: Drawn) -> tuple[Components, list[Found]]:
    inked = find_components((page.picture > 0).astype(np.uint8))
    seen = looks(Oracle(page.tree, page.boxes), page.picture, page.tree)
    return inked, found(inked, seen.attention, CELL)


def covered(inked: Components, own: Found) -> Box:
    stats = inked.stats[list(own.pieces)]
    left, top = stats[:, :2].min(axis=0)
    right, bottom = (stats[:, :2] + stats[:, 2:4]).max(axis=0)
    return Box(left, top, right, bottom)


def test_symbols_that_stand_apart_get_all_their_pieces() -> None:
    page = row("2 x = 7 - 1")
    inked, owned = placed(page)
    assert all(own.sure for own in owned)
    assert len(owned[2].pieces) == 2  # of the equals sign
    for own, box in zip(owned, page.boxes, strict=True):
        assert np.abs(np.subtract(covered(inked, own), box)).max() <= 1


def test_a_piece_that_two_symbols_share_is_nobodys() -> None:
    boxes = [Box(0, 0, 22, 30), Box(21, 0, 43, 30), Box(80, 0, 102, 30)]
    page = drawn("8 0 3", list(zip("8 0 3".split(), boxes, strict=True)))
    inked, owned = placed(page)
    assert len(inked.stats) == 2  # the first two touch
    assert [own.sure for own in owned] == [False, False, True]


def test_a_picture_without_ink_has_nothing_for_anybody() -> None:
    page = row("x 1")
    nothing = find_components(np.zeros((40, 60), np.uint8))
    seen = looks(Oracle(page.tree, page.boxes), page.picture, page.tree)
    assert found(nothing, seen.attention, CELL) == [Found((), False)] * 2
