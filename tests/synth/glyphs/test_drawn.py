"""Our own shapes by imagined writers."""

import numpy as np
import pytest

from san.ink.alphabet import VARIANTS, parse_shape
from san.synth.glyphs.drawn import drawn


def test_so_many_writers_so_many_glyphs_each_and_none_alike() -> None:
    groups = drawn(VARIANTS["D"][0], np.random.default_rng(0), writers=5, each=4)
    assert [len(group) for group in groups] == [4] * 5
    points = [piece for group in groups for piece, _ in group]
    assert len({piece.tobytes() for piece in points}) == 20
    for piece, lengths in groups[0]:
        assert piece.dtype == np.float32
        assert sum(lengths) == len(piece)
        assert len(lengths) == 2  # a bar and a bow


def test_the_same_seed_draws_the_same() -> None:
    one, same, other = (
        drawn(VARIANTS["Q"][0], np.random.default_rng(seed), 2, 2) for seed in (1, 1, 2)
    )
    assert (one[0][0][0] == same[0][0][0]).all()
    assert (one[0][0][0] != other[0][0][0]).any()


def test_a_writer_is_more_like_itself_than_like_others() -> None:
    groups = drawn(VARIANTS["O"][0], np.random.default_rng(0), writers=20, each=8)
    table = np.array([[piece for piece, _ in group] for group in groups])
    within = table.std(axis=1).mean()
    between = table.mean(axis=1).std(axis=0).mean()
    assert between > within


@pytest.mark.slow
def test_glyphs_stay_near_their_shape() -> None:
    for name, ways in VARIANTS.items():
        for way in ways:
            knots = np.concatenate([outline.knots for outline in parse_shape(way)])
            groups = drawn(way, np.random.default_rng(3), writers=15, each=1)
            points = np.array([piece for ((piece, _),) in groups])
            assert np.isfinite(points).all()
            for side in (np.min, np.max):
                usual = np.median(side(points, axis=1), axis=0)
                assert np.abs(usual - side(knots, axis=0)).max() < 3, name


def test_a_dot_is_a_short_stroke() -> None:
    for group in drawn("0.5,11 / 0.5,18.6", np.random.default_rng(0), writers=3, each=2):
        for piece, (first, _) in group:
            assert first > 1
            assert 0 < np.ptp(piece[:first], axis=0).max() < 3
