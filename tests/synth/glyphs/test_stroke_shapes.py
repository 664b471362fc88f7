"""Strokes made comparable, and matched."""

import numpy as np
import pytest

from san.synth.composer import Composer
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.config import BlendConfig
from san.synth.glyphs.copybook import Copybook
from san.synth.glyphs.stroke_shapes import (
    STROKE_POINTS,
    StrokeShapes,
    in_order,
    is_straight,
    match_strokes,
    padded_sides,
    resampled,
)
from tests.synth.glyph_rows import GlyphRows

LINE = np.linspace(0, 1, STROKE_POINTS, dtype=np.float32)
FALLING = np.stack((LINE, LINE), axis=1) - 0.5
RISING = np.stack((LINE, 1 - LINE), axis=1) - 0.5
CROSS = np.stack((FALLING, RISING))
ARC = np.stack((np.cos(6 * LINE), np.sin(6 * LINE)), axis=1)[None] / 2


def test_a_stroke_is_resampled_by_its_length_from_end_to_end() -> None:
    # Far apart points first, near ones then; a corner; a dot; a stroke that never moves.
    strokes = [[[0, 0], [3, 0], [3, 0.5], [3, 1]], [[7, 7]], [[2, 2], [2, 2]]]
    points = np.array([point for stroke in strokes for point in stroke], np.float32)
    dense, along = resampled(points, np.array([4, 1, 2]))
    assert dense.shape == (3, STROKE_POINTS, 2)
    assert dense[0, 0].tolist() == [0, 0]
    assert dense[0, -1].tolist() == [3, 1]
    steps = np.abs(np.diff(dense[0], axis=0)).sum(axis=1)
    assert steps == pytest.approx(4 / (STROKE_POINTS - 1), rel=1e-3)
    assert (dense[1] == 7).all()
    assert (dense[2] == 2).all()
    assert along[:4] == pytest.approx([0, 23.25, 27.125, 31])
    assert not along[4:].any()


def test_what_is_narrow_keeps_its_proportions() -> None:
    low = np.zeros((3, 2))
    high = np.array([[10, 40], [40, 30], [0, 0]])
    found = padded_sides(low, high)
    assert found[:2].tolist() == [[12, 40], [40, 30]]
    assert (found > 0).all()


def test_bars_and_dots_are_straight_and_bows_are_not() -> None:
    line = np.linspace(0, 1, STROKE_POINTS)
    bar, bow, dot = (line, 0.1 * line), (line, np.sin(3 * line)), (0 * line, 0 * line)
    strokes = np.stack([np.stack(own, axis=1) for own in (bar, bow, dot)])
    assert is_straight(strokes, BlendConfig().bar_straightness).tolist() == [True, False, True]


def test_every_glyph_is_as_large_as_any_other(composer: Composer) -> None:
    shapes = composer.blender.shapes
    low = np.minimum.reduceat(shapes.strokes.min(axis=1), shapes.first_stroke[:-1])
    high = np.maximum.reduceat(shapes.strokes.max(axis=1), shapes.first_stroke[:-1])
    largest = (high - low).max(axis=1)
    assert largest.max() < 1.001
    assert np.median(largest) > 0.97
    assert shapes.positions.min() == 0
    assert shapes.positions.max() == STROKE_POINTS - 1


@pytest.mark.slow
def test_a_group_has_one_name_and_one_number_of_strokes_and_one_source() -> None:
    bank = build_bank(Copybook(), photo_glyphs=GlyphRows("2 3 x", "2 D -"))
    shapes = StrokeShapes(bank)
    counts = np.diff(shapes.first_stroke)
    photo_writers = {*bank.photo_writers}
    for group in shapes.groups:
        assert len({bank.names[own] for own in group}) <= 1
        assert len({*counts[group].tolist()}) <= 1
        assert len({bank.writer[own] in photo_writers for own in group}) <= 1
        assert (np.diff(group) > 0).all()
    grouped = {bank.names[own] for group in shapes.groups for own in group}
    assert {"x", "2", "="} <= grouped
    assert not grouped & {"-", r"\frac", r"\sqrt", ""}
    assert any(bank.writer[own] in photo_writers for group in shapes.groups for own in group)


def test_strokes_are_matched_in_any_order_and_from_either_end() -> None:
    other = np.stack((RISING[::-1], FALLING))
    match = match_strokes(CROSS, np.stack((CROSS, other, other[::-1])))
    assert match.worst == pytest.approx(0, abs=1e-3)
    assert match.order.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert match.turned.tolist() == [[False, False], [False, True], [False, True]]
    assert np.array_equal(in_order(other, match.order[1], match.turned[1]), CROSS)


def test_the_worst_stroke_tells_how_far_shapes_are_apart() -> None:
    moved = CROSS.copy()
    moved[1, :, 0] += 0.3
    assert match_strokes(CROSS, moved[None]).worst == pytest.approx(0.3, abs=1e-3)
    assert match_strokes(ARC, FALLING[None, None]).worst > 0.3


def test_words_of_many_strokes_are_compared_as_they_were_written() -> None:
    word = np.stack([FALLING + step for step in range(7)]).astype(np.float32)
    match = match_strokes(word, word[None])
    assert match.order.tolist() == [list(range(7))]
    assert match.worst == pytest.approx(0, abs=5e-3)
