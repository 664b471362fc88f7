"""Symbols of photographs drawn anew: which, for what, and how."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from san.images.clean.components import stroke_width
from san.ink.strokes import Box
from san.synth.glyphs.blend import Blend
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.measure import outline
from san.synth.photo.clippings import Clipping, CuttablePhoto
from san.synth.photo.collage import level_of
from san.synth.photo.config import CollageConfig
from san.synth.photo.glyph_exchange import (
    DrawnGlyph,
    GlyphDrawer,
    GlyphStyle,
    exchange_symbols,
    substitutes_of,
)
from san.synth.random_stream import RandomStream
from tests.synth.extraction.drawn import Drawn, row
from tests.synth.glyph_rows import GlyphRows
from tests.synth.photographs import WIDTH, labels_of, power

pytestmark = pytest.mark.slow  # its fixtures take seconds to make

CONFIG = CollageConfig()
ROWS = ("2 x + 2 = 3", "3 y = 2 .", "x y 2 3 + =")


@pytest.fixture(scope="module")
def drawer() -> GlyphDrawer:
    return GlyphDrawer(build_bank(Copybook(), photo_glyphs=GlyphRows(*ROWS)))


def clipping(page: Drawn, width: float = 3.0) -> Clipping:
    ink = (page.picture > 0).astype(np.uint8)
    return CuttablePhoto(page.tree, ink, labels_of(page), width).whole()


@pytest.mark.slow
def test_what_is_drawn_anew_stands_in_the_old_ones_place(drawer: GlyphDrawer) -> None:
    for seed in range(20):
        page = clipping(row("2 x = 3"))
        before, ink = page.boxes.copy(), page.ink.copy()
        others = (page.labels > 0) & (page.labels != 2)
        random = RandomStream(np.random.default_rng(seed))
        assert drawer.replace(page, 1, "y", drawer.choose("y", False, random), random)
        old, new = before[1], page.boxes[1]
        assert np.abs(old[:2] + old[2:] - new[:2] - new[2:]).max() < 16
        left, top, right, bottom = new.astype(int)
        own = page.labels == 2
        assert page.ink[own].all()
        assert own[top:bottom, left:right].sum() == own.sum() > 40
        assert not own.any(axis=0)[:left].any()
        # The old ink is gone, but for where the new crosses it; the others' is as it was.
        gone = (ink > 0) & ~others & (page.labels != 2)
        assert not page.ink[gone].any()
        assert (page.ink[others] == ink[others]).all()
        assert np.array_equal(np.delete(page.boxes, 1, 0), np.delete(before, 1, 0))


@pytest.mark.slow
def test_strokes_are_as_wide_as_the_photographs(drawer: GlyphDrawer) -> None:
    glyph = drawer.photo_glyphs["2"][0]
    box = drawer.bank.box[glyph]
    factor = 60 / box.height
    for width in (3.0, 4.0, 5.0):
        made = drawer.drawn(glyph, (factor, factor), (50.3, 50.8), 0.0, width)
        assert stroke_width(made.pixels) == pytest.approx(width, rel=0.16)
        assert made.left + made.pixels.shape[1] / 2 == pytest.approx(50.3, abs=1.5)


def test_a_sample_has_a_style_of_its_own(drawer: GlyphDrawer) -> None:
    glyph = drawer.photo_glyphs["x"][0]
    factor = 60 / drawer.bank.box[glyph].height

    def drawn(style: GlyphStyle) -> DrawnGlyph:
        return drawer.drawn(glyph, (factor, factor), (100.0, 100.0), 0.0, 3.0, style)

    upright, leaning = drawn(GlyphStyle()), drawn(GlyphStyle(lean=0.5))
    rows = np.nonzero(leaning.pixels)[0]
    head, foot = (np.nonzero(leaning.pixels[row])[0].mean() for row in (rows.min(), rows.max()))
    own = np.nonzero(upright.pixels[0])[0].mean() - np.nonzero(upright.pixels[-1])[0].mean()
    assert head - foot == pytest.approx(own + 30, abs=6)  # to the right, as writing leans
    moved = SimpleNamespace(blended=lambda points, glyphs: points * (2, 1))
    assert (
        drawn(GlyphStyle(blend=cast(Blend, moved))).pixels.shape[1] > 1.5 * upright.pixels.shape[1]
    )


def test_no_other_ink_is_covered(drawer: GlyphDrawer) -> None:
    tight = row("2 x = 3", gap=1.0)
    fitted = 0
    for seed in range(30):
        page = clipping(tight)
        before = page.ink.copy()
        random = RandomStream(np.random.default_rng(seed))
        done = drawer.replace(page, 1, "3", drawer.choose("3", seed % 2 > 0, random), random)
        fitted += done
        if not done:
            assert np.array_equal(page.ink, before)
            continue
        left, top, right, bottom = page.boxes[1].astype(int)
        own = (page.labels == 2)[top:bottom, left:right]
        lost = np.count_nonzero((page.labels > 0) & (page.labels != 2) & (page.ink == 0))
        assert lost == 0
        assert own.any()
    assert drawer.config.max_covered < 0.1
    assert fitted


def test_what_would_be_a_blot_stays(drawer: GlyphDrawer) -> None:
    page = clipping(row("2 x = 3"), width=14.0)
    random = RandomStream(np.random.default_rng(0))
    before = page.ink.copy()
    assert not drawer.replace(page, 0, "3", drawer.choose("3", False, random), random)
    assert np.array_equal(page.ink, before)


def test_dots_bars_and_what_nobody_wrote_on_paper_are_not_drawn(drawer: GlyphDrawer) -> None:
    assert drawer.can_draw("2")
    assert not drawer.can_draw(r"\frac")
    assert not drawer.can_draw("q")


def test_a_dot_of_one_point_is_drawn() -> None:
    """An i: its dot is a single point, as tablets have it."""
    points = np.array(((5, 0), (5, 12), (5, 40)), np.float32)
    lengths = np.array((1, 2))
    bank = SimpleNamespace(
        box=[Box(5, 0, 5, 40)],
        points=points,
        point_ends=[0, 3],
        stroke_ends=[0, 2],
        stroke_lengths=lengths,
    )
    drawer = cast(GlyphDrawer, SimpleNamespace(bank=bank, config=CONFIG))
    pixels = GlyphDrawer.drawn(drawer, 0, (1.0, 1.0), (30.0, 30.0), 0.0, 3.0).pixels
    rows = pixels.any(axis=1)
    assert rows[:3].all()  # the dot
    assert not rows[5:9].any()
    assert rows[14:].all()


def test_a_sign_stands_on_its_axis(drawer: GlyphDrawer) -> None:
    sign = drawer.sign("=", 40.0, 3.0, RandomStream(np.random.default_rng(0)))
    level = level_of(sign, drawer.usual, at_end=True)
    assert level is not None
    assert level.em == 40
    assert 0 < level.axis < sign.ink.shape[0]
    left, top, right, bottom = sign.boxes[0].astype(int)
    assert sign.ink[top:bottom, left:right].sum() == sign.ink.sum() > 20


@pytest.fixture(scope="module")
def namer() -> GlyphDrawer:
    return GlyphDrawer(
        build_bank(Copybook(), photo_glyphs=GlyphRows("2 x + 2 = 3", "3 z = 2 x", "x z 2 3 + ="))
    )


def names(page: Drawn, namer: GlyphDrawer, seed: int, without: tuple[int, ...] = ()) -> list[str]:
    ink = (page.picture > 0).astype(np.uint8)
    own = CuttablePhoto(page.tree, ink, labels_of(page, without), WIDTH).whole()
    others = substitutes_of("2 3 x z + =".split(), namer.can_draw, CONFIG.frequency_power)
    exchange_symbols(own, namer, others, RandomStream(np.random.default_rng(seed)))
    assert own.outline.names == outline(own.tree).names
    assert outline(own.tree).parents == outline(page.tree).parents
    return own.outline.names


@pytest.mark.slow
def test_the_tree_changes_with_the_ink(namer: GlyphDrawer) -> None:
    found = [names(power(), namer, seed) for seed in range(80)]
    assert {own[1] for own in found} == {"2", "3"}
    assert {own[0] for own in found} == {"x", "z"}
    assert {own[2] for own in found} == {"+"}


@pytest.mark.slow
def test_letters_change_everywhere_or_nowhere(namer: GlyphDrawer) -> None:
    page = row("x 2 x = 3 x", gap=30.0)
    found = [names(page, namer, seed) for seed in range(80)]
    assert {own[0] for own in found} == {"x", "z"}
    assert all(own[0] == own[2] == own[5] for own in found)
    kept = [names(page, namer, seed, without=(2,)) for seed in range(80)]
    assert {own[0] for own in kept} == {"x"}


def test_copies_are_drawn_together_and_by_one_writer(
    namer: GlyphDrawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, drawn = row("x 2 x = 3 x", gap=30.0), []
    leans: set[float] = set()
    done = namer.replace

    def watched(
        own: Clipping, place: int, name: str, glyph: int, random: RandomStream, style: GlyphStyle
    ) -> bool:
        drawn.append((place, name, namer.bank.writer[glyph]))
        leans.add(style.lean)
        return done(own, place, name, glyph, random, style)

    monkeypatch.setattr(namer, "replace", watched)
    writers = set()
    for seed in range(60):
        drawn.clear()
        leans.clear()
        names(page, namer, seed)
        assert len(leans) <= 1
        own = [(name, writer) for place, name, writer in drawn if place in (0, 2, 5)]
        assert len(own) in (0, 3)
        assert len(set(own)) <= 1
        writers |= {writer for _, writer in own}
    assert len(writers) > 1


@pytest.mark.slow
def test_some_samples_are_by_writers_of_the_corpus_and_each_leans_its_own_way(
    namer: GlyphDrawer, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, by, leans = row("x 2 x = 3 x", gap=30.0), set[bool](), set[float]()
    done, photo_writers = namer.replace, {*namer.bank.photo_writers}

    def watched(
        own: Clipping, place: int, name: str, glyph: int, random: RandomStream, style: GlyphStyle
    ) -> bool:
        by.add(namer.bank.writer[glyph] not in photo_writers)
        leans.add(style.lean)
        return done(own, place, name, glyph, random, style)

    monkeypatch.setattr(namer, "replace", watched)
    from_corpus, seen = [], []
    for seed in range(300):
        by.clear()
        leans.clear()
        names(page, namer, seed)
        if by:
            assert len(by) == 1  # this bank's corpus has all of these symbols
            from_corpus.extend(by)
            seen.extend(leans)
    assert len(from_corpus) > 200
    assert abs(np.mean(from_corpus) - CONFIG.corpus_chance) < 0.08
    assert len({*seen}) == len(seen)
    assert 0.8 * CONFIG.lean < np.std(seen) < 1.2 * CONFIG.lean


def test_names_change_within_their_class_and_common_ones_are_chosen_more_often() -> None:
    found = substitutes_of("2 2 2 2 2 2 2 2 2 3 7 x = A B".split(), lambda name: name != "7", 0.5)
    assert found["3"] == found["2"] == ["2"] * 3 + ["3"]
    assert "7" not in found
    assert found["x"] == ["x"]
    assert found["A"] == ["A", "B"]
