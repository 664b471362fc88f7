"""Strokes made comparable."""

import numpy as np
import pytest

from san.synth.composer import Composer
from san.synth.glyphs.bank import Bank
from san.synth.glyphs.blend_shapes import DENSE, sides, straight, walked
from san.synth.glyphs.copybook import Copybook
from tests.synth.pupils import Harvest


def test_a_stroke_is_walked_by_its_length_from_end_to_end() -> None:
    # Far apart points first, near ones then; a corner; a dot; a stroke that never moves.
    strokes = [[[0, 0], [3, 0], [3, 0.5], [3, 1]], [[7, 7]], [[2, 2], [2, 2]]]
    points = np.array([point for stroke in strokes for point in stroke], np.float32)
    dense, along = walked(points, np.array([4, 1, 2]))
    assert dense.shape == (3, DENSE, 2)
    assert dense[0, 0].tolist() == [0, 0]
    assert dense[0, -1].tolist() == [3, 1]
    steps = np.abs(np.diff(dense[0], axis=0)).sum(axis=1)
    assert steps == pytest.approx(4 / (DENSE - 1), rel=1e-3)
    assert (dense[1] == 7).all()
    assert (dense[2] == 2).all()
    assert along[:4] == pytest.approx([0, 23.25, 27.125, 31])
    assert not along[4:].any()


def test_what_is_narrow_keeps_its_proportions() -> None:
    low = np.zeros((3, 2))
    high = np.array([[10, 40], [40, 30], [0, 0]])
    found = sides(low, high)
    assert found[:2].tolist() == [[12, 40], [40, 30]]
    assert (found > 0).all()


def test_bars_and_dots_are_straight_and_bows_are_not() -> None:
    line = np.linspace(0, 1, DENSE)
    bar, bow, dot = (line, 0.1 * line), (line, np.sin(3 * line)), (0 * line, 0 * line)
    strokes = np.stack([np.stack(own, axis=1) for own in (bar, bow, dot)])
    assert straight(strokes).tolist() == [True, False, True]


def test_every_glyph_is_as_large_as_any_other(composer: Composer) -> None:
    shapes = composer.bank.shapes
    low = np.minimum.reduceat(shapes.strokes.min(axis=1), shapes.first[:-1])
    high = np.maximum.reduceat(shapes.strokes.max(axis=1), shapes.first[:-1])
    largest = (high - low).max(axis=1)
    assert largest.max() < 1.001
    assert np.median(largest) > 0.97
    assert shapes.along.min() == 0
    assert shapes.along.max() == DENSE - 1


def test_a_pile_has_one_name_and_one_number_of_strokes_and_never_pupils_with_others() -> None:
    bank = Bank(Copybook(), harvest=Harvest("2 3 x", "2 D -"))
    shapes = bank.shapes
    counts = np.diff(shapes.first)
    pupils = {*bank.pupils}
    for pile in shapes.piles:
        assert len({bank.names[own] for own in pile}) <= 1
        assert len({*counts[pile].tolist()}) <= 1
        assert len({bank.hand[own] in pupils for own in pile}) <= 1
        assert (np.diff(pile) > 0).all()
    piled = {bank.names[own] for pile in shapes.piles for own in pile}
    assert {"x", "2", "="} <= piled
    assert not piled & {"-", r"\frac", r"\sqrt", ""}
    assert any(bank.hand[own] in pupils for pile in shapes.piles for own in pile)
