"""Symbols drawn anew onto photographs."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from san.images.clean.components import stroke_width
from san.ink.strokes import Box
from san.synth.glyphs.blend import Blend
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.photo.collage_glyph import COVERED, Glyph, Hand, Scribe
from san.synth.photo.collage_join import level_of
from san.synth.photo.collage_source import Clipping, Source
from san.synth.random_stream import RandomStream
from tests.synth.extraction.drawn import Drawn, row
from tests.synth.photographs import told
from tests.synth.pupils import Harvest

ROWS = ("2 x + 2 = 3", "3 y = 2 .", "x y 2 3 + =")


@pytest.fixture(scope="module")
def scribe() -> Scribe:
    return Scribe(build_bank(Copybook(), photo_glyphs=Harvest(*ROWS)))


def clipping(page: Drawn, width: float = 3.0) -> Clipping:
    ink = (page.picture > 0).astype(np.uint8)
    return Source(page.tree, ink, told(page), width).whole()


def test_what_is_drawn_anew_stands_in_the_old_ones_place(scribe: Scribe) -> None:
    for seed in range(20):
        page = clipping(row("2 x = 3"))
        before, ink = page.boxes.copy(), page.ink.copy()
        others = (page.owner > 0) & (page.owner != 2)
        random = RandomStream(np.random.default_rng(seed))
        assert scribe.exchange(page, 1, "y", scribe.pick("y", False, random), random)
        old, new = before[1], page.boxes[1]
        assert np.abs(old[:2] + old[2:] - new[:2] - new[2:]).max() < 16
        left, top, right, bottom = new.astype(int)
        own = page.owner == 2
        assert page.ink[own].all()
        assert own[top:bottom, left:right].sum() == own.sum() > 40
        assert not own.any(axis=0)[:left].any()
        # The old ink is gone, but for where the new crosses it; the others' is as it was.
        gone = (ink > 0) & ~others & (page.owner != 2)
        assert not page.ink[gone].any()
        assert (page.ink[others] == ink[others]).all()
        assert np.array_equal(np.delete(page.boxes, 1, 0), np.delete(before, 1, 0))


def test_strokes_are_as_wide_as_the_photographs(scribe: Scribe) -> None:
    glyph = scribe.pupils["2"][0]
    box = scribe.bank.box[glyph]
    factor = 60 / box.height
    for width in (3.0, 4.0, 5.0):
        made = scribe.drawn(glyph, (factor, factor), (50.3, 50.8), 0.0, width)
        assert stroke_width(made.pixels) == pytest.approx(width, rel=0.16)
        assert made.left + made.pixels.shape[1] / 2 == pytest.approx(50.3, abs=1.5)


def test_a_sample_has_a_hand_of_its_own(scribe: Scribe) -> None:
    glyph = scribe.pupils["x"][0]
    factor = 60 / scribe.bank.box[glyph].height

    def drawn(hand: Hand) -> Glyph:
        return scribe.drawn(glyph, (factor, factor), (100.0, 100.0), 0.0, 3.0, hand)

    upright, leaning = drawn(Hand()), drawn(Hand(lean=0.5))
    rows = np.nonzero(leaning.pixels)[0]
    head, foot = (np.nonzero(leaning.pixels[row])[0].mean() for row in (rows.min(), rows.max()))
    own = np.nonzero(upright.pixels[0])[0].mean() - np.nonzero(upright.pixels[-1])[0].mean()
    assert head - foot == pytest.approx(own + 30, abs=6)  # to the right, as writing leans
    moved = SimpleNamespace(blended=lambda points, glyphs: points * (2, 1))
    assert drawn(Hand(blend=cast(Blend, moved))).pixels.shape[1] > 1.5 * upright.pixels.shape[1]


def test_no_other_ink_is_covered(scribe: Scribe) -> None:
    tight = row("2 x = 3", gap=1.0)
    fitted = 0
    for seed in range(30):
        page = clipping(tight)
        before = page.ink.copy()
        random = RandomStream(np.random.default_rng(seed))
        done = scribe.exchange(page, 1, "3", scribe.pick("3", seed % 2 > 0, random), random)
        fitted += done
        if not done:
            assert np.array_equal(page.ink, before)
            continue
        left, top, right, bottom = page.boxes[1].astype(int)
        own = (page.owner == 2)[top:bottom, left:right]
        lost = np.count_nonzero((page.owner > 0) & (page.owner != 2) & (page.ink == 0))
        assert lost == 0
        assert own.any()
    assert COVERED < 0.1
    assert fitted


def test_what_would_be_a_blot_stays(scribe: Scribe) -> None:
    page = clipping(row("2 x = 3"), width=14.0)
    random = RandomStream(np.random.default_rng(0))
    before = page.ink.copy()
    assert not scribe.exchange(page, 0, "3", scribe.pick("3", False, random), random)
    assert np.array_equal(page.ink, before)


def test_dots_bars_and_what_no_pupil_wrote_are_not_drawn(scribe: Scribe) -> None:
    assert scribe.knows("2")
    assert not scribe.knows(r"\frac")
    assert not scribe.knows("q")


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
    scribe = cast(Scribe, SimpleNamespace(bank=bank))
    pixels = Scribe.drawn(scribe, 0, (1.0, 1.0), (30.0, 30.0), 0.0, 3.0).pixels
    rows = pixels.any(axis=1)
    assert rows[:3].all()  # the dot
    assert not rows[5:9].any()
    assert rows[14:].all()


def test_a_sign_stands_on_its_axis(scribe: Scribe) -> None:
    sign = scribe.sign("=", 40.0, 3.0, RandomStream(np.random.default_rng(0)))
    level = level_of(sign, scribe.usual, at_end=True)
    assert level is not None
    assert level.em == 40
    assert 0 < level.axis < sign.ink.shape[0]
    left, top, right, bottom = sign.boxes[0].astype(int)
    assert sign.ink[top:bottom, left:right].sum() == sign.ink.sum() > 20
