"""Gaps of a line grow or shrink together, and symbols keep their order and their shape."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from san.synth.composer import Composer
from san.synth.random_stream import RandomStream
from san.synth.variation.config import SpacingConfig
from san.synth.variation.distort import change_spacing
from san.synth.variation.page import InkPage, copy_written

EVEN = SpacingConfig(wide_gap_chance=0.0, wander=0.0)
WIDTHS = np.array((10.0, 14.0, 6.0, 30.0, 12.0))
GAPS = np.array((4.0, 8.0, 20.0, 3.0))
SIZE = 31.0  # the bars are 30 high


def line() -> InkPage:
    """Five slashes in a row, written from right to left."""
    left = np.concatenate(((0.0,), (WIDTHS[:-1] + GAPS).cumsum()))
    strokes = np.stack((np.stack((left, left + WIDTHS), 1), np.tile((0.0, 30.0), (5, 1))), 2)
    return InkPage(strokes[::-1].reshape(-1, 2).astype(np.float32), np.full(5, 2), np.full(5, 1))


def spaced(page: InkPage, config: SpacingConfig, seed: int) -> InkPage:
    page = InkPage(page.points.copy(), page.lengths, page.strokes)
    change_spacing(page, config, RandomStream(np.random.default_rng(seed)))
    return page


def gaps_of(page: InkPage) -> NDArray[np.float32]:
    slashes = page.points.reshape(-1, 2, 2)[::-1]
    return slashes[1:, 0, 0] - slashes[:-1, 1, 0]


def test_all_gaps_change_by_one_factor() -> None:
    factors = []
    for seed in range(60):
        changed = gaps_of(spaced(line(), EVEN, seed)) / GAPS
        assert np.ptp(changed) < 1e-3
        factors.append(changed[0])
    assert 0.5 <= min(factors) < 0.7
    assert 1.5 < max(factors) <= 2.0


def test_one_gap_is_widened_and_none_that_is_small() -> None:
    config = replace(EVEN, gap_factor=(1.0, 1.0), wide_gap_chance=1.0, min_widened=0.2)
    widened = set()
    for seed in range(40):
        extra = gaps_of(spaced(line(), config, seed)) - GAPS
        (place,) = np.flatnonzero(extra > 1e-2).tolist()
        assert 0.5 * SIZE <= extra[place] <= 3.0 * SIZE
        widened.add(place)
    assert widened == {1, 2}


def test_a_base_line_wanders_from_gap_to_gap() -> None:
    config = replace(EVEN, gap_factor=(1.0, 1.0), wander=0.1)
    steps = np.concatenate(
        [np.diff(spaced(line(), config, seed).points[::2, 1]) for seed in range(200)]
    )
    assert 0.08 * SIZE < steps.std() < 0.11 * SIZE
    assert np.abs(steps).max() <= 2.5 * 0.1 * SIZE + 1e-3


def test_what_overlaps_moves_as_a_whole() -> None:
    """A fraction between two letters: its parts keep their distances."""
    stroke = ((0, 0), (8, 20)), ((12, 14), (60, 14)), ((20, 0), (26, 10)), ((40, 18), (46, 30))
    points = np.array([*stroke, ((70, 0), (80, 20))], np.float32).reshape(-1, 2)
    page = InkPage(points, np.full(5, 2), np.full(5, 1))
    for seed in range(20):
        moved = spaced(page, SpacingConfig(), seed).points - points
        assert np.ptp(moved[2:8], axis=0).max() < 1e-4
        assert (moved[0] == 0).all()


@pytest.mark.parametrize(
    "config",
    [
        SpacingConfig(),
        SpacingConfig(1.0, (0.05, 20.0), 1.0, (0.0, 100.0), 0.0, 1.0),
        SpacingConfig(1.0, (0.05, 0.05), 0.0, (0.0, 0.0), 100.0, 1.0),
    ],
)
def test_symbols_keep_shape_and_order(composer: Composer, config: SpacingConfig) -> None:
    for seed, written in enumerate(composer.bank.expressions[::5]):
        page = copy_written(composer.bank, written)
        changed = spaced(page, config, seed)
        moved = changed.points - page.points
        assert np.isfinite(moved).all()
        # No symbol is changed by itself ...
        shifts = np.repeat(moved[page.starts], page.counts, axis=0)
        assert np.allclose(moved, shifts, atol=1e-2)
        # ... and none overtakes another.
        before, after = (
            np.minimum.reduceat(own.points[:, 0], own.starts) for own in (page, changed)
        )
        order = np.argsort(before, kind="stable")
        assert (np.diff(after[order]) >= -1e-2).all()


def test_where_there_is_no_gap_nothing_moves() -> None:
    points = np.array(((0, 0), (9, 20), (5, 0), (15, 20)), np.float32)
    for page in (
        InkPage(points, np.full(2, 2), np.full(2, 1)),
        InkPage(points, np.full(2, 2), np.array([2])),
    ):
        assert (spaced(page, SpacingConfig(), 3).points == points).all()
