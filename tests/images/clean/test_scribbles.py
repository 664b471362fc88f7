"""Blots are taken out of a cleaned picture, and formulas stay as they are."""

import numpy as np

from san.images.clean.scribbles import without_scribbles
from san.ink import Box, Ink, draw
from tests.ink.formulas import fraction, quadratic
from tests.ink.test_crossed_out import zigzag


def test_a_dense_blot_is_taken_out_and_the_rest_stays() -> None:
    plain = np.pad(draw(fraction().ink), ((0, 0), (0, 80)))
    blotted = plain.copy()
    scribble = draw(Ink((zigzag(Box(0, 0, 34, 34), 13),)), scale=1.0)
    rows, columns = scribble.shape
    place = blotted[20 : 20 + rows, -70 : -70 + columns]
    place |= scribble
    picture, boxes = without_scribbles(blotted)
    assert np.array_equal(picture, plain)
    (found,) = boxes
    assert found.left >= plain.shape[1] - 70
    assert not np.array_equal(blotted, plain), "what is given is not written on"


def test_formulas_stay_as_they_are() -> None:
    for ink in (fraction().ink, quadratic().ink):
        picture = draw(ink)
        same, boxes = without_scribbles(picture)
        assert same is picture
        assert boxes == []


def test_where_nothing_would_be_left_all_stays() -> None:
    blot = np.zeros((80, 80), np.uint8)
    blot[20:60, 20:60] = 255
    picture, boxes = without_scribbles(blot)
    assert picture is blot
    assert boxes == []
