"""Pieces of ink: how much attention each of them gets."""

import numpy as np
import pytest

from san.ink import Ink
from san.ink.strokes import MAX_WAY_POINTS
from san.reader.pieces import (
    POINT_SPACING,
    InkPieces,
    PieceAttention,
    components_of,
    evened,
    owners_of,
    strokes_of,
)
from san.reader.prepared import PreparedImage, drawn_ink, prepare_ink

CELL = 16


def dots(*points: tuple[float, float], width: float = 1.0) -> InkPieces:
    """Points, each a piece of its own; with no width, strokes."""
    places = np.array(points, float)
    return InkPieces(places, np.arange(len(places)), width, np.hstack([places, places]))


def test_pieces_share_a_cell_by_their_ink() -> None:
    places = np.array([(1, 1), (2, 1), (3, 1), (9, 9)], float)
    piece = np.array([0, 0, 0, 1])
    pieces = InkPieces(places, piece, 1.0, np.zeros((2, 4)))
    seen = PieceAttention(pieces, (1, 1), CELL).of(np.ones((1, 1, 1), np.float32))
    assert np.allclose(seen, [[0.75, 0.25]])


def test_ink_beyond_the_last_cell_is_in_that_cell() -> None:
    seen = PieceAttention(dots((40.0, 40.0)), (1, 1), CELL).of(np.ones((1, 1, 1), np.float32))
    assert seen.tolist() == [[1.0]]


def test_strokes_get_attention_of_those_that_they_touch_and_parts_of_a_picture_do_not() -> None:
    attention = np.zeros((1, 1, 4), np.float32)
    attention[0, 0, 0] = 1.0
    near = (15.0, 1.0), (17.0, 1.0), (60.0, 1.0)  # the first two touch, in cells side by side
    strokes = PieceAttention(dots(*near, width=0.0), (1, 4), CELL).of(attention)
    parts = PieceAttention(dots(*near), (1, 4), CELL).of(attention)
    assert strokes[0].tolist() == pytest.approx([1.0, 0.4, 0.0])
    assert parts[0].tolist() == [1.0, 0.0, 0.0]


def test_a_piece_that_nobody_looks_at_has_no_owner() -> None:
    seen = np.array([[0.5, 0.01, 0.2], [0.4, 0.015, 0.3]])
    assert owners_of(seen).tolist() == [0, -1, 1]


def test_a_piece_goes_where_it_fits_among_those_that_look_at_it() -> None:
    seen = np.array([[0.5, 0.5, 0.01, 0.5], [0.1, 0.0005, 0.015, 0.4]])
    likely = np.array([[0.01, 0.01, 0.9, 0.0], [0.9, 0.9, 0.9, 0.0]])
    # The second is hardly seen by whom it fits, the third by nobody, and the last fits nowhere.
    assert owners_of(seen, likely).tolist() == [1, 0, -1, 0]


def test_evened_attention_comes_to_one_and_nothing_stays_nothing() -> None:
    attention = np.array([[[0.9, 0.1]], [[0.0, 0.0]]], np.float32)
    even = evened(attention)
    assert even[0].sum() == pytest.approx(1.0)
    assert 0.1 < even[0, 0, 1] < 0.5
    assert not even[1].any()


def test_long_straight_strokes_have_points_in_every_cell() -> None:
    prepared = prepare_ink(Ink((np.array([(0, 0), (400, 0)], np.float32),)))
    pieces = strokes_of(prepared)
    columns = np.unique(pieces.points[:, 0] // CELL)
    assert np.array_equal(columns, np.arange(columns[0], columns[-1] + 1))


def test_a_stroke_that_goes_to_and_fro_for_ever_has_no_more_points_for_it() -> None:
    letters = [np.array([(0, 30 * n), (0, 30 * n + 28)], np.float32) for n in range(9)]
    turns = 1_500
    for_ever = np.stack([np.tile([0.0, 2000.0], turns // 2), np.linspace(0, 2, turns)], axis=1)
    prepared = drawn_ink(Ink((*letters, np.asarray(for_ever, np.float32))))
    assert turns * 2000 / POINT_SPACING > 3 * MAX_WAY_POINTS
    assert len(strokes_of(prepared).points) < 1.1 * MAX_WAY_POINTS


def test_parts_of_a_picture_are_numbered_by_their_size() -> None:
    picture = np.zeros((20, 40), np.uint8)
    picture[2:4, 2:4] = picture[10:18, 20:30] = 255
    pieces = components_of(PreparedImage(picture, 1.0, 0.0, 0.0))
    assert np.bincount(pieces.piece).tolist() == [80, 4]
    assert pieces.extents.tolist() == [[20, 10, 29, 17], [2, 2, 3, 3]]
