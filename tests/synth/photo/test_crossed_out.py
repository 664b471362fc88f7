"""What is crossed out: where it stands, what it moves, and that a symbol lies under it."""

import dataclasses

import numpy as np
import pytest

from san.images.clean.contrast import Contrast
from san.synth.photo.config import CrossedOutConfig
from san.synth.photo.crossed_out import with_crossed_out
from san.synth.photo.wear import has_all_symbols, wear
from san.synth.samples import Boxes
from tests.synth.photo.test_wear import STEADY, row

LETTER = 20.0


def frames() -> tuple[Contrast, Boxes]:
    """Four hollow squares in a row, the last two of which are one symbol: a pair of dots."""
    ink = np.zeros((30, 130), np.float32)
    corners = np.array(((5, 5), (35, 5), (65, 5), (95, 5)))
    for left, top in corners:
        ink[top : top + 20, left : left + 20] = 1.0
        ink[top + 3 : top + 17, left + 3 : left + 17] = 0.0
    boxes = np.array(((5, 5, 24, 24), (35, 5, 54, 24), (65, 5, 114, 24), (np.nan,) * 4), np.float32)
    return ink, boxes


def test_what_was_written_stays_and_what_follows_moves() -> None:
    ink, boxes = frames()
    places = set()
    for seed in range(60):
        made, moved = with_crossed_out(ink, boxes, LETTER, np.random.default_rng(seed))
        wider = made.shape[1] - ink.shape[1]
        assert wider > 0.35 * LETTER
        shift = (moved - boxes)[:3, 0]
        assert set(shift.tolist()) <= {0.0, float(wider)}
        assert (np.diff(shift) >= 0).all()
        assert np.isnan(moved[3]).all()
        assert ((moved - boxes)[:3, 1::2] == 0).all()  # neither up nor down
        for before, after in zip(boxes[:3].astype(int), moved[:3].astype(int), strict=True):
            there = made[after[1] : after[3] + 1, after[0] : after[2] + 1]
            assert (there == ink[before[1] : before[3] + 1, before[0] : before[2] + 1]).all()
        places.add(tuple((shift > 0).tolist()))
    # Before all, between the symbols, after all; but never within the pair.
    assert len(places) == 4


def test_a_symbol_lies_under_the_scribble() -> None:
    ink, boxes = frames()
    own = np.count_nonzero(ink[:, :30])
    for seed in range(30):
        made, moved = with_crossed_out(ink, boxes, LETTER, np.random.default_rng(seed))
        for left, _, right, _ in moved[:3].astype(int):
            made[:, left : right + 1] = 0
        assert np.count_nonzero(made) > 1.3 * own  # the symbol, and a good deal more


@pytest.mark.parametrize("boxes", [np.full((2, 4), np.nan), np.array(((5.0, 5, 24, 7),))])
def test_where_no_symbol_may_be_crossed_out_nothing_is(boxes: Boxes) -> None:
    ink, _ = frames()
    made, moved = with_crossed_out(ink, boxes, LETTER, np.random.default_rng(0))
    assert made is ink
    assert moved is boxes


def test_a_symbol_at_the_edge_is_crossed_out_within_the_page() -> None:
    ink, boxes = frames()
    ink, boxes = ink[5:25, 5:], boxes - 5
    reaching = dataclasses.replace(CrossedOutConfig(), room=(0.5, 0.5))
    for seed in range(20):
        made, _ = with_crossed_out(ink, boxes, LETTER, np.random.default_rng(seed), reaching)
        assert len(made) == len(ink)
        assert made.max() <= 1


def test_worn_ink_has_it_where_it_is_asked_for() -> None:
    picture, boxes = row()
    steady = dataclasses.replace(STEADY, cleaned_size=False)
    how = dataclasses.replace(steady, crossed_out=1.0)
    more = 0
    for seed in range(20):
        made, moved = wear(picture, boxes, np.random.default_rng(seed), how)
        assert has_all_symbols(made, moved)
        plain, _ = wear(picture, boxes, np.random.default_rng(seed), steady)
        more += int(made.shape[1] > plain.shape[1])
    assert more > 15
