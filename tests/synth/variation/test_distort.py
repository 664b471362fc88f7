"""Strokes vary, but not beyond what was asked for."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from san.synth.composer import Composer
from san.synth.random_stream import RandomStream
from san.synth.variation.config import DistortionConfig, JoinedStrokesConfig, SpacingConfig
from san.synth.variation.distort import distort
from san.synth.variation.page import InkPage, copy_written

STILL = DistortionConfig(
    stretch=0, slant=0, slope=0, keystone=0, warp=0, symbol_shift=0, symbol_size=0, symbol_slant=0,
    symbol_turn=0, wobble=0, smooth=0, cut=0,
)  # fmt: skip


@pytest.fixture
def page(composer: Composer) -> InkPage:
    written = max(composer.bank.expressions, key=lambda own: own.length)
    return copy_written(composer.bank, written)


def distorted(page: InkPage, config: DistortionConfig, seed: int = 0) -> InkPage:
    same = InkPage(page.points.copy(), page.lengths, page.strokes)
    return distort(same, config, RandomStream(np.random.default_rng(seed)))


@pytest.mark.slow
def test_nothing_moves_where_nothing_may(page: InkPage) -> None:
    assert np.allclose(distorted(page, STILL).points, page.points, atol=1e-3)


def test_the_same_seed_moves_alike(page: InkPage) -> None:
    one, same, other = (distorted(page, DistortionConfig(), seed).points for seed in (1, 1, 2))
    assert (one == same).all()
    assert one.shape != other.shape or not np.allclose(one, other, atol=1)


@pytest.mark.parametrize(("slope", "deviations"), [(0.5, 2.0), (3.0, 2.0), (3.0, 1.0)])
def test_lines_slope_as_far_as_said_and_no_farther(
    page: InkPage, slope: float, deviations: float
) -> None:
    config = replace(STILL, slope=slope, max_slope_deviations=deviations)
    angles = []
    for seed in range(40):
        points = distorted(page, config, seed).points
        side = points[-1] - points[0]
        was = page.points[-1] - page.points[0]
        angles.append(np.degrees(np.arctan2(side[1], side[0]) - np.arctan2(was[1], was[0])))
    assert np.abs(angles).max() <= deviations * slope + 1e-3
    assert np.std(angles) > slope / 4


def test_the_middle_of_a_line_sags_or_rises_and_the_more_the_longer_it_is() -> None:
    def depths(wide: float) -> list[float]:
        line = np.stack((np.linspace(0, wide, 41), np.zeros(41)), axis=1).astype(np.float32)
        # 41 strokes, 20 units high and side by side.
        points = np.repeat(line, 2, axis=0)
        points[1::2] += (0, 20)
        page = InkPage(points, np.full(41, 2), np.full(41, 1))
        config = replace(STILL, bow=0.2)
        y = [distorted(page, config, seed).points[::2, 1] for seed in range(200)]
        return [float((own[0] + own[-1]) / 2 - own[20]) / 20 for own in y]

    long, short = depths(400.0), depths(40.0)
    assert min(long) < 0 < max(long)
    assert 0.08 < np.mean(np.abs(long)) < 0.25
    assert max(np.abs(long)) <= 4 * 3 * 0.2 * 1.1  # never beyond what was asked for
    assert np.mean(np.abs(short)) < 0.2 * np.mean(np.abs(long))


def test_cut_strokes_keep_most_of_their_points(page: InkPage) -> None:
    config = replace(STILL, cut=1.0)
    cut = distorted(page, config)
    assert len(cut.lengths) == len(page.lengths)
    assert (cut.lengths >= 1).all()
    assert (cut.lengths >= 0.8 * page.lengths).all()
    assert cut.lengths.sum() < page.lengths.sum()
    assert cut.lengths.sum() == len(cut.points)


def test_a_dot_survives_everything() -> None:
    dot = InkPage(np.zeros((1, 2), np.float32), np.array([1]), np.array([1]))
    for seed in range(20):
        points = distorted(dot, replace(JOINING, smooth=1.0, cut=1.0), seed).points
        assert points.shape == (1, 2)
        assert np.isfinite(points).all()


def test_what_is_off_draws_no_random_number(page: InkPage) -> None:
    """Whatever else is said of it: a seed gives the samples that it gave before."""
    still_off = DistortionConfig(
        symbol_bend_wavelength=(0.1, 9.0), wildness_power=3.0, steep_climb=0.5,
        spacing=SpacingConfig(0.0, (0.1, 0.2), 1.0, (1.0, 2.0), 0.0, 1.0),
    )  # fmt: skip
    for seed in range(10):
        streams = [RandomStream(np.random.default_rng(seed)) for _ in range(2)]
        pages = [InkPage(page.points.copy(), page.lengths, page.strokes) for _ in range(2)]
        plain, same = (
            distort(own, config, stream).points
            for own, config, stream in zip(
                pages, (DistortionConfig(), still_off), streams, strict=True
            )
        )
        assert plain.tobytes() == same.tobytes()
        assert streams[0].uniform() == streams[1].uniform()
        assert streams[0].generator.random() == streams[1].generator.random()


def row(count: int = 60) -> InkPage:
    """Upright rectangles of 12 by 20, side by side, of 16 points each."""
    side = np.linspace(0, 1, 4, endpoint=False)
    corners = np.array(((0, 0), (12, 0), (12, 20), (0, 20)))
    edges = np.roll(corners, -1, axis=0) - corners
    shape = (corners[:, None] + side[:, None] * edges[:, None]).reshape(-1, 2)
    places = np.stack((np.arange(count) * 30.0, np.zeros(count)), 1)
    points = (places[:, None] + shape).reshape(-1, 2).astype(np.float32)
    return InkPage(points, np.full(count, 16), np.full(count, 1))


def sides(page: InkPage) -> tuple[np.ndarray, np.ndarray]:
    low, high = (own.reduceat(page.points, page.starts) for own in (np.minimum, np.maximum))
    return high - low, (high + low) / 2


def test_wildness_is_a_factor_that_each_expression_draws() -> None:
    def moved(**changes: tuple[float, float] | float) -> list[float]:
        config = replace(STILL, symbol_shift=0.03, **changes)  # type: ignore[arg-type]
        centres = [sides(distorted(row(), config, seed))[1] for seed in range(60)]
        return [float((own - sides(row())[1]).std()) for own in centres]

    usual, wild = moved(), moved(wildness=(0.5, 4.0))
    assert np.std(usual) < 0.2 * np.mean(usual)
    assert 0.4 < min(wild) / np.mean(usual) < 0.7
    assert 3.0 < max(wild) / np.mean(usual) < 4.5
    seldom = moved(wildness=(0.5, 4.0), wildness_power=6.0)
    assert np.median(seldom) < np.median(wild)
    # Never farther than the widest configuration goes.
    widest, beyond = (
        distorted(row(), replace(STILL, symbol_size=size, wildness=(low, 10.0)), 1)
        for size, low in ((1.0, 9.0), (0.5, 10.0))
    )
    assert np.allclose(widest.points, beyond.points, atol=1e-2)


def test_symbols_get_wider_or_narrower_and_keep_their_area() -> None:
    sizes = sides(distorted(row(), replace(STILL, symbol_aspect=0.1)))[0]
    assert np.allclose(sizes.prod(axis=1), 12 * 20, rtol=1e-3)
    aspect = np.log(sizes[:, 0] / sizes[:, 1] / (12 / 20)) / 2
    assert 0.06 < aspect.std() < 0.14
    assert np.abs(aspect).max() <= 2.5 * 0.1 + 1e-4
    assert np.ptp(sizes, axis=0).min() > 1  # each by itself


@pytest.mark.parametrize("bend", [0.03, 1.0])
def test_symbols_are_bent_but_never_folded(bend: float) -> None:
    page = row()
    points = distorted(page, replace(STILL, symbol_bend=bend)).points
    moved = points - page.points
    assert np.abs(moved).max() <= 2.5 * bend * 20 + 1e-3
    within = (points - np.repeat(points[page.starts], page.counts, axis=0)).reshape(60, 16, 2)
    assert within.std(axis=0).max() > 0.2  # each by itself
    # Towards the right along its upper edge, downwards along the next.
    assert (np.diff(within[:, :5, 0], axis=1) > 0).all()
    assert (np.diff(within[:, 4:9, 1], axis=1) > 0).all()


def test_waves_of_the_paper_are_never_folded() -> None:
    config = replace(STILL, warp=1.0, warp_factor=(10.0, 10.0), warp_wavelength=(0.1, 8.0))
    for seed in range(20):
        moved = distorted(row(), config, seed).points - row().points
        # The wave along y moves what stands on one line alike: never more than a wave's height.
        assert np.abs(moved).max() <= 0.3 * 8.0 * 21 / 6.28 + 1e-2


def test_lines_climb_while_symbols_stay_upright() -> None:
    config = replace(STILL, climb=0.02, steep_climb=0.3, steep_climb_chance=0.2)
    climbs = []
    for seed in range(200):
        page = distorted(row(), config, seed)
        moved = page.points - row().points
        assert np.abs(moved[:, 0]).max() < 1e-2
        climb = moved[:, 1] / np.maximum(row().points[:, 0], 1.0)
        climbs.append(float(climb[-16]))
        assert np.allclose(moved[:, 1], climbs[-1] * row().points[:, 0], atol=0.05)
    steep = np.abs(climbs) > 3 * 0.02 + 1e-3
    assert 0.05 < steep.mean() < 0.25
    assert min(climbs) < -0.1 < 0.1 < max(climbs)
    assert 0.19 < np.abs(climbs).max() <= 0.2 + 1e-3


JOINING = replace(STILL, joined_strokes=JoinedStrokesConfig(chance=1.0))
AT_TIMES = replace(STILL, joined_strokes=JoinedStrokesConfig(chance=0.3))


def written(*symbols: tuple[tuple[tuple[float, float], ...], ...]) -> InkPage:
    """Symbols of strokes of points."""
    points = [point for symbol in symbols for stroke in symbol for point in stroke]
    lengths = [len(stroke) for symbol in symbols for stroke in symbol]
    strokes = [len(symbol) for symbol in symbols]
    return InkPage(np.array(points, np.float32), np.array(lengths), np.array(strokes))


FIVE = (((0, 0), (0, 8), (8, 12), (0, 20)), ((1, 0), (10, 0)))
EQUALS = (((0, 0), (14, 0)), ((0, 7), (14, 7)))
DIVIDE = (((0, 10), (18, 10)), ((9, 5), (9, 6)), ((9, 14), (9, 15)))
BAR = (((0, 0), (100, 0)),)


def joined(page: InkPage, config: DistortionConfig = JOINING, tries: int = 300) -> float:
    """How often it is written in fewer strokes."""
    return float(
        np.mean([len(distorted(page, config, s).lengths) < len(page.lengths) for s in range(tries)])
    )


@pytest.mark.slow
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


def test_symbols_keep_their_places_when_strokes_are_run_together(page: InkPage) -> None:
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


@pytest.mark.slow
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
