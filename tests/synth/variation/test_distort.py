"""Strokes vary, but not beyond what was asked for."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from san.synth.composer import Composer
from san.synth.random_stream import RandomStream
from san.synth.variation.config import DistortionConfig, JoinedStrokesConfig
from san.synth.variation.distort import distort
from san.synth.variation.page import Page, copy_written

STILL = DistortionConfig(
    stretch=0, slant=0, slope=0, keystone=0, warp=0, symbol_shift=0, symbol_size=0, symbol_slant=0,
    symbol_turn=0, wobble=0, smooth=0, cut=0,
)  # fmt: skip


@pytest.fixture
def page(composer: Composer) -> Page:
    written = max(composer.bank.expressions, key=lambda own: own.length)
    return copy_written(composer.bank, written)


def distorted(page: Page, config: DistortionConfig, seed: int = 0) -> Page:
    same = Page(page.points.copy(), page.lengths, page.strokes)
    return distort(same, config, RandomStream(np.random.default_rng(seed)))


def test_nothing_moves_where_nothing_may(page: Page) -> None:
    assert np.allclose(distorted(page, STILL).points, page.points, atol=1e-3)


def test_the_same_seed_moves_alike(page: Page) -> None:
    one, same, other = (distorted(page, DistortionConfig(), seed).points for seed in (1, 1, 2))
    assert (one == same).all()
    assert one.shape != other.shape or not np.allclose(one, other, atol=1)


@pytest.mark.parametrize("slope", [0.5, 3.0])
def test_lines_slope_as_far_as_said_and_no_farther(page: Page, slope: float) -> None:
    config = replace(STILL, slope=slope)
    angles = []
    for seed in range(40):
        points = distorted(page, config, seed).points
        side = points[-1] - points[0]
        was = page.points[-1] - page.points[0]
        angles.append(np.degrees(np.arctan2(side[1], side[0]) - np.arctan2(was[1], was[0])))
    assert np.abs(angles).max() <= 2 * slope + 1e-3
    assert np.std(angles) > slope / 4


def test_the_middle_of_a_line_sags_or_rises_and_the_more_the_longer_it_is() -> None:
    def depths(wide: float) -> list[float]:
        line = np.stack((np.linspace(0, wide, 41), np.zeros(41)), axis=1).astype(np.float32)
        # 41 strokes, 20 units high and side by side.
        points = np.repeat(line, 2, axis=0)
        points[1::2] += (0, 20)
        page = Page(points, np.full(41, 2), np.full(41, 1))
        config = replace(STILL, bow=0.2)
        y = [distorted(page, config, seed).points[::2, 1] for seed in range(200)]
        return [float((own[0] + own[-1]) / 2 - own[20]) / 20 for own in y]

    long, short = depths(400.0), depths(40.0)
    assert min(long) < 0 < max(long)
    assert 0.08 < np.mean(np.abs(long)) < 0.25
    assert max(np.abs(long)) <= 4 * 3 * 0.2 * 1.1  # never beyond what was asked for
    assert np.mean(np.abs(short)) < 0.2 * np.mean(np.abs(long))


def test_cut_strokes_keep_most_of_their_points(page: Page) -> None:
    config = replace(STILL, cut=1.0)
    cut = distorted(page, config)
    assert len(cut.lengths) == len(page.lengths)
    assert (cut.lengths >= 1).all()
    assert (cut.lengths >= 0.8 * page.lengths).all()
    assert cut.lengths.sum() < page.lengths.sum()
    assert cut.lengths.sum() == len(cut.points)


def test_a_dot_survives_everything() -> None:
    dot = Page(np.zeros((1, 2), np.float32), np.array([1]), np.array([1]))
    for seed in range(20):
        points = distorted(dot, replace(JOINING, smooth=1.0, cut=1.0), seed).points
        assert points.shape == (1, 2)
        assert np.isfinite(points).all()


JOINING = replace(STILL, joined_strokes=JoinedStrokesConfig(chance=1.0))
AT_TIMES = replace(STILL, joined_strokes=JoinedStrokesConfig(chance=0.3))


def written(*symbols: tuple[tuple[tuple[float, float], ...], ...]) -> Page:
    """Symbols of strokes of points."""
    points = [point for symbol in symbols for stroke in symbol for point in stroke]
    lengths = [len(stroke) for symbol in symbols for stroke in symbol]
    strokes = [len(symbol) for symbol in symbols]
    return Page(np.array(points, np.float32), np.array(lengths), np.array(strokes))


FIVE = (((0, 0), (0, 8), (8, 12), (0, 20)), ((1, 0), (10, 0)))
EQUALS = (((0, 0), (14, 0)), ((0, 7), (14, 7)))
DIVIDE = (((0, 10), (18, 10)), ((9, 5), (9, 6)), ((9, 14), (9, 15)))
BAR = (((0, 0), (100, 0)),)


def joined(page: Page, config: DistortionConfig = JOINING, tries: int = 300) -> float:
    """How often it is written in fewer strokes."""
    return float(
        np.mean([len(distorted(page, config, s).lengths) < len(page.lengths) for s in range(tries)])
    )


def test_a_joining_writer_hangs_the_bar_on_a_five_but_seldom_joins_an_equals_sign() -> None:
    assert joined(written(FIVE)) > 0.4
    digit = (((30, -5), (30, 20)),)
    assert 0.01 < joined(written(EQUALS, digit)) < 0.2
    assert joined(written(DIVIDE, digit)) == 0
    assert joined(written(FIVE), STILL) == 0
    assert 0.1 < joined(written(FIVE), AT_TIMES) < 0.3


def test_the_bar_of_a_five_is_joined_where_it_begins() -> None:
    page = written(FIVE)
    made = next(own for s in range(99) if len((own := distorted(page, JOINING, s)).lengths) < 2)
    assert made.strokes.tolist() == [1]
    assert len(made.points) == len(page.points) + 1  # one in the middle of the join
    steps = np.hypot(*np.diff(made.points, axis=0).T)
    assert np.isclose(np.sort(steps)[:2], 0.5, atol=0.1).all()  # no line from its foot to its head
    assert {tuple(own) for own in page.points.tolist()} <= {
        tuple(own) for own in made.points.round(3).tolist()
    }


def test_symbols_keep_their_places_when_strokes_are_run_together(page: Page) -> None:
    ends = [low.reduceat(page.points, page.starts) for low in (np.minimum, np.maximum)]
    tallest = float((ends[1] - ends[0])[:, 1].max())
    for seed in range(30):
        made = distorted(page, JOINING, seed)
        assert len(made.strokes) == len(page.strokes)
        assert made.lengths.sum() == len(made.points)
        assert made.strokes.sum() == len(made.lengths)
        assert (made.strokes <= page.strokes).all()
        assert (made.strokes >= 1).all()
        for low in (np.minimum, np.maximum):
            moved = low.reduceat(made.points, made.starts) - low.reduceat(page.points, page.starts)
            assert np.abs(moved).max() < JoinedStrokesConfig.near * tallest


def test_drags_are_told_by_the_strokes_that_there_are_in_the_end() -> None:
    """Also where others of the page were run together before them, and ends were cut."""
    config, uncut = (replace(JOINING, cut=cut) for cut in (1.0, 1e-9))
    page = written(FIVE, (((14, 10), (26, 10)),), (((30, 8), (34, 4), (34, 20)),))
    both = 0
    for seed in range(400):
        made, whole = distorted(page, config, seed), distorted(page, uncut, seed)
        assert (made.dragged is None) == (whole.dragged is None)
        if made.dragged is None or not len(made.dragged):
            continue
        both += len(made.lengths) < len(page.lengths)
        last = (made.strokes.cumsum() - 1)[:-1]  # of each symbol but the last
        assert set(made.dragged.tolist()) <= set(last.tolist())
        assert len(made.ink().strokes) == len(made.lengths) - len(made.dragged)
        after = made.points[made.stroke_starts[made.dragged + 1]]
        before = made.points[made.stroke_starts[made.dragged] + made.lengths[made.dragged] - 1]
        assert (after[:, 0] > before[:, 0] - 1).all()  # rightwards
    assert both > 3


@pytest.mark.slow
def test_the_farther_the_pen_has_to_go_the_seldomer_it_stays_on_the_paper() -> None:
    def share(gap: float) -> float:
        two = (((0, 0), (20, 0)), ((20, 20 * gap), (0, 20 * gap)))
        return joined(written(two, (((60, -10), (60, 10)),)), tries=1500)

    shares = [share(gap) for gap in (0.1, 0.2, 0.27, 0.33, 0.6)]
    assert all(near > far - 0.02 for near, far in pairwise(shares))
    assert shares[0] > 0.3 > 0.15 > shares[-1]


def test_a_pen_that_is_dragged_on_joins_two_symbols_in_ink_but_not_in_boxes() -> None:
    minus = (((0, 10), (12, 10)),)
    page = written(minus, (((16, 8), (20, 4), (20, 20)),), minus)
    found = [own for s in range(200) if (own := distorted(page, JOINING, s)).dragged is not None]
    dragged = [own for own in found if own.dragged is not None and len(own.dragged)]
    assert 5 < len(dragged) < 60
    for own in dragged:
        # Only to the right: what follows in the tree may stand anywhere.
        assert own.dragged is not None
        assert own.dragged.tolist() == [0]
        assert len(own.ink().strokes) == 2
        assert own.strokes.tolist() == [1, 1, 1]
        assert np.allclose(own.points, page.points, atol=1e-3)
    # Nothing is dragged on from a bar that is many symbols long.
    strokes = [(((104 + 10 * i, -5), (104 + 10 * i, 15)),) for i in range(6)]
    after = [distorted(written(BAR, *strokes), JOINING, s).dragged for s in range(200)]
    assert all(own is None or 0 not in own.tolist() for own in after)
