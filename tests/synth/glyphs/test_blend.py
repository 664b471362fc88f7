"""Strokes made comparable and matched; glyphs blended from several that were written."""

from collections.abc import Sequence

import numpy as np
import pytest

from san.config import build
from san.errors import SanError
from san.ink.strokes import Points
from san.synth.composer import Composer
from san.synth.config import ComposerConfig
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.blend import (
    Blend,
    Blender,
    StrokeShapes,
    Way,
    in_order,
    is_straight,
    match_strokes,
    padded_sides,
    point_offsets,
    resampled,
    ways_of,
)
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.config import BlendConfig
from san.synth.glyphs.copybook import Copybook
from san.synth.random_stream import RandomStream
from san.synth.variation.config import ExchangeConfig
from san.synth.variation.exchange import exchange_symbols
from san.synth.variation.page import copy_written
from tests.synth.conftest import FORMULAS, composing
from tests.synth.glyph_rows import GlyphRows

REAL = Blend.blended
CONFIG = BlendConfig()
TOWARDS, AWAY, TRANSFERRED = WAYS = ways_of(CONFIG)
STROKE_POINTS = CONFIG.stroke_points
LINE = np.linspace(0, 1, STROKE_POINTS, dtype=np.float32)


def blends(blender: Blender, count: int = 40) -> list[Blend]:
    return [blender.expression(RandomStream(np.random.default_rng(seed))) for seed in range(count)]


def glyphs(blender: Blender, count: int = 60) -> list[int]:
    """Some that can be blended."""
    groups = blender.shapes.group_of
    able = [glyph for glyph, group in enumerate(groups) if group is not None]
    return able[:: max(len(able) // count, 1)]


def points_of(bank: GlyphBank, chosen: list[int]) -> Points:
    return np.concatenate(
        [bank.points[bank.point_ends[own] : bank.point_ends[own + 1]] for own in chosen]
    )


def test_written_points_move_as_those_around_them_and_ends_as_ends() -> None:
    way = np.zeros((2, STROKE_POINTS, 2), np.float32)
    way[1, :, 0] = LINE
    along = np.array([0, 31, 0, 7.75, 31], np.float32)
    moved = point_offsets(way, np.array([2, 3]), along)
    assert moved[:2].tolist() == [[0, 0], [0, 0]]
    assert moved[2:, 0] == pytest.approx([0, 0.25, 1], abs=1e-6)


def test_blended_with_itself_or_by_nothing_a_glyph_is_itself(composer: Composer) -> None:
    bank = composer.bank
    chosen = glyphs(composer.blender)
    points = points_of(bank, chosen)
    alone, still = blends(composer.blender, 2)
    alone.way, alone.share = TOWARDS, 0.5
    alone._window = lambda glyph, _: np.array([glyph])  # type: ignore[method-assign]
    still.share = 0.0
    for blend in (alone, still):
        assert np.allclose(blend.blended(points, chosen), points, atol=0.02)


@pytest.mark.parametrize("way", WAYS)
def test_a_blend_is_another_shape_in_the_same_box(composer: Composer, way: Way) -> None:
    bank = composer.bank
    chosen = glyphs(composer.blender)
    points = points_of(bank, chosen)
    counts = np.array([bank.point_ends[own + 1] - bank.point_ends[own] for own in chosen])
    starts = counts.cumsum() - counts
    changed = 0
    for blend in blends(composer.blender, 10):
        if blend.way != way:
            continue
        new = blend.blended(points, chosen)
        assert new.shape == points.shape
        assert new.dtype == np.float32
        for end in (np.minimum, np.maximum):
            off = np.abs(end.reduceat(new, starts) - end.reduceat(points, starts))
            side = composer.blender.shapes.sides[chosen].max(axis=1, keepdims=True)
            assert (off < 0.2 * side).all()
            assert np.median(off / side) < 1e-3
        far = np.maximum.reduceat(np.abs(new - points).max(axis=1), starts) / side[:, 0]
        assert far.max() < 0.5
        changed += int((far > 0.01).sum())
    assert changed > 20


def test_far_shapes_are_never_blended(composer: Composer) -> None:
    shapes = composer.blender.shapes
    (blend,) = blends(composer.blender, 1)
    blend.way = AWAY
    near = far = 0
    for glyph in glyphs(composer.blender):
        count = int(shapes.first_stroke[glyph + 1] - shapes.first_stroke[glyph])
        own = shapes.strokes[shapes.first_stroke[glyph] : shapes.first_stroke[glyph + 1]].astype(
            np.float32
        )
        window = shapes.groups[shapes.group_of[glyph] or 0]
        for partner in window[window != glyph][:4]:
            blend._window = lambda *_, partner=partner: np.array([partner])  # type: ignore[misc]
            first = shapes.first_stroke[partner]
            other = shapes.strokes[first : first + count].astype(np.float32)
            is_near = bool(
                match_strokes(own, other[None], CONFIG.max_permuted).worst
                < CONFIG.max_distance_beyond
            )
            way = np.zeros_like(own)
            assert blend._to_partner(glyph, way) == is_near
            assert is_near or not way.any()
            near, far = near + is_near, far + (not is_near)
    assert near
    assert far


def test_partners_are_by_the_writer_of_the_expressions_place_where_there_are_any(
    composer: Composer,
) -> None:
    mine = [False, True, False, True]
    for blend in blends(composer.blender):
        needed = 1 + blend.way.transferred
        for near, allowed in (([0, 1, 2, 3], {1, 3}), ([0, 2], {0, 2})):
            found = blend._chosen(near, mine)
            assert {*found} <= allowed
            assert len({*found}) == len(found) == needed
        assert len(blend._chosen([1], mine)) == (not blend.way.transferred)


def test_partners_are_looked_for_in_one_place_and_never_the_glyph_itself(
    composer: Composer,
) -> None:
    bank = composer.bank
    for blend in blends(composer.blender, 5):
        for glyph in glyphs(composer.blender):
            group = composer.blender.shapes.group_of[glyph]
            assert group is not None
            window = blend._window(glyph, group)
            assert glyph not in window
            assert len(window) <= CONFIG.candidates
            assert {bank.names[own] for own in window} <= {bank.names[glyph]}
            others = [own for own in composer.blender.shapes.groups[group].tolist() if own != glyph]
            if others:  # the place is within the window, or beyond the end of the group
                assert window[0] <= max(blend._spot(group), others[0])
                assert window[-1] >= min(blend._spot(group), others[-1])
                assert others[others.index(window[0]) :][: len(window)] == window.tolist()


def test_all_ways_are_gone(composer: Composer) -> None:
    found = [blend.way for blend in blends(composer.blender, 200)]
    for way in WAYS:
        assert found.count(way) == pytest.approx(200 * way.weight, abs=25)
    assert TRANSFERRED.transferred


@pytest.mark.slow
def test_without_blends_nothing_is_drawn_for_them() -> None:
    bank = build_bank(Copybook())
    plain = Composer(bank, FORMULAS, composing(blend_share=0.0))
    random = RandomStream(np.random.default_rng(0))
    assert plain._blend(random) is None
    assert random.uniform() == RandomStream(np.random.default_rng(0)).uniform()
    plain.sample(np.random.default_rng(0))
    assert "shapes" not in vars(plain.blender)  # nor does it pay for them


@pytest.mark.parametrize("share", ["varied", "joined", "formula", "grafted", "invented"])
@pytest.mark.slow
def test_whatever_is_not_real_ink_can_be_blended(
    composer: Composer, share: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares = dict.fromkeys(("real", "varied", "joined", "formula", "grafted", "invented"), 0.0)
    one = Composer(composer.bank, FORMULAS, composing(1.0, **{**shares, share: 1.0}))
    moved: list[bool] = []

    def blended(self: Blend, points: Points, glyphs: Sequence[int]) -> Points:
        new = REAL(self, points, glyphs)
        moved.append(not np.array_equal(new, points))
        return new

    monkeypatch.setattr(Blend, "blended", blended)
    for seed in range(10):
        made, same = (one.sample(np.random.default_rng(seed)) for _ in range(2))
        assert made.tree == same.tree
        assert made.picture.tobytes() == same.picture.tobytes()
        assert np.array_equal(made.boxes, same.boxes, equal_nan=True)
    assert len(moved) >= 8
    assert np.mean(moved) > 0.7


def test_written_ink_is_blended_in_its_place(composer: Composer) -> None:
    bank = composer.bank
    never = ExchangeConfig(glyph_chance=0.0, rename_share=0.0, rename_chance=0.0, sign_chance=0.0)
    moved = 0.0
    for blend, written in zip(blends(composer.blender), bank.expressions, strict=False):
        page, tree = exchange_symbols(
            bank, written, never, RandomStream(np.random.default_rng(0)), blend
        )
        old = copy_written(bank, written)
        assert tree is written.tree
        assert page.lengths.tolist() == old.lengths.tolist()
        off = np.abs(page.points - old.points).max()
        assert off < 0.5 * np.ptp(old.points, axis=0).max()
        moved = max(moved, float(off))
    assert moved > 1


@pytest.mark.slow
def test_the_bank_itself_stays_as_it_is(composer: Composer) -> None:
    bank = composer.bank
    before = bank.points.copy()
    for seed in range(10):
        Composer(bank, FORMULAS, composing(1.0)).sample(np.random.default_rng(seed))
    assert np.array_equal(bank.points, before)


def test_at_most_everything_is_blended() -> None:
    with pytest.raises(SanError, match=r"blend_share: 1\.5 is not between"):
        build(ComposerConfig, {"blend_share": 1.5})


FALLING = np.stack((LINE, LINE), axis=1) - 0.5
RISING = np.stack((LINE, 1 - LINE), axis=1) - 0.5
CROSS = np.stack((FALLING, RISING))
ARC = np.stack((np.cos(6 * LINE), np.sin(6 * LINE)), axis=1)[None] / 2


def test_a_stroke_is_resampled_by_its_length_from_end_to_end() -> None:
    # Far apart points first, near ones then; a corner; a dot; a stroke that never moves.
    strokes = [[[0, 0], [3, 0], [3, 0.5], [3, 1]], [[7, 7]], [[2, 2], [2, 2]]]
    points = np.array([point for stroke in strokes for point in stroke], np.float32)
    dense, along = resampled(points, np.array([4, 1, 2]), STROKE_POINTS)
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
    found = padded_sides(low, high, CONFIG.min_side)
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
    match = match_strokes(CROSS, np.stack((CROSS, other, other[::-1])), CONFIG.max_permuted)
    assert match.worst == pytest.approx(0, abs=1e-3)
    assert match.order.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert match.turned.tolist() == [[False, False], [False, True], [False, True]]
    assert np.array_equal(in_order(other, match.order[1], match.turned[1]), CROSS)


def test_the_worst_stroke_tells_how_far_shapes_are_apart() -> None:
    moved = CROSS.copy()
    moved[1, :, 0] += 0.3
    assert match_strokes(CROSS, moved[None], CONFIG.max_permuted).worst == pytest.approx(
        0.3, abs=1e-3
    )
    assert match_strokes(ARC, FALLING[None, None], CONFIG.max_permuted).worst > 0.3


def test_words_of_many_strokes_are_compared_as_they_were_written() -> None:
    word = np.stack([FALLING + step for step in range(7)]).astype(np.float32)
    match = match_strokes(word, word[None], CONFIG.max_permuted)
    assert match.order.tolist() == [list(range(7))]
    assert match.worst == pytest.approx(0, abs=5e-3)
