"""Which symbols are exchanged, and for what."""

import numpy as np
import pytest

from san.synth.glyphs.build import build_bank
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.outline import outline
from san.synth.photo.collage_glyph import Hand, Scribe
from san.synth.photo.collage_names import LEAN, TABLET, exchange, likes
from san.synth.photo.collage_source import Clipping, Source
from san.synth.random_stream import RandomStream
from tests.synth.extraction.drawn import Drawn, row
from tests.synth.photographs import WIDTH, power, told
from tests.synth.pupils import Harvest


@pytest.fixture(scope="module")
def scribe() -> Scribe:
    return Scribe(
        build_bank(Copybook(), photo_glyphs=Harvest("2 x + 2 = 3", "3 z = 2 x", "x z 2 3 + ="))
    )


def names(page: Drawn, scribe: Scribe, seed: int, without: tuple[int, ...] = ()) -> list[str]:
    ink = (page.picture > 0).astype(np.uint8)
    own = Source(page.tree, ink, told(page, without), WIDTH).whole()
    others = likes("2 3 x z + =".split(), scribe.knows)
    exchange(own, scribe, others, RandomStream(np.random.default_rng(seed)))
    assert own.shape.names == outline(own.tree).names
    assert outline(own.tree).parents == outline(page.tree).parents
    return own.shape.names


def test_the_tree_changes_with_the_ink(scribe: Scribe) -> None:
    found = [names(power(), scribe, seed) for seed in range(80)]
    assert {own[1] for own in found} == {"2", "3"}
    assert {own[0] for own in found} == {"x", "z"}
    assert {own[2] for own in found} == {"+"}


def test_letters_change_everywhere_or_nowhere(scribe: Scribe) -> None:
    page = row("x 2 x = 3 x", gap=30.0)
    found = [names(page, scribe, seed) for seed in range(80)]
    assert {own[0] for own in found} == {"x", "z"}
    assert all(own[0] == own[2] == own[5] for own in found)
    kept = [names(page, scribe, seed, without=(2,)) for seed in range(80)]
    assert {own[0] for own in kept} == {"x"}


def test_copies_are_drawn_together_and_by_one_hand(
    scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, drawn = row("x 2 x = 3 x", gap=30.0), []
    leans: set[float] = set()
    done = scribe.exchange

    def watched(
        own: Clipping, place: int, name: str, glyph: int, random: RandomStream, hand: Hand
    ) -> bool:
        drawn.append((place, name, scribe.bank.writer[glyph]))
        leans.add(hand.lean)
        return done(own, place, name, glyph, random, hand)

    monkeypatch.setattr(scribe, "exchange", watched)
    hands = set()
    for seed in range(60):
        drawn.clear()
        leans.clear()
        names(page, scribe, seed)
        assert len(leans) <= 1
        own = [(name, hand) for place, name, hand in drawn if place in (0, 2, 5)]
        assert len(own) in (0, 3)
        assert len(set(own)) <= 1
        hands |= {hand for _, hand in own}
    assert len(hands) > 1


def test_some_samples_are_by_tablets_and_each_leans_its_own_way(
    scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    page, by, leans = row("x 2 x = 3 x", gap=30.0), set[bool](), set[float]()
    done, pupils = scribe.exchange, {*scribe.bank.photo_writers}

    def watched(
        own: Clipping, place: int, name: str, glyph: int, random: RandomStream, hand: Hand
    ) -> bool:
        by.add(scribe.bank.writer[glyph] not in pupils)
        leans.add(hand.lean)
        return done(own, place, name, glyph, random, hand)

    monkeypatch.setattr(scribe, "exchange", watched)
    tablet, seen = [], []
    for seed in range(300):
        by.clear()
        leans.clear()
        names(page, scribe, seed)
        if by:
            assert len(by) == 1  # this bank's tablets know all of these symbols
            tablet.extend(by)
            seen.extend(leans)
    assert len(tablet) > 200
    assert abs(np.mean(tablet) - TABLET) < 0.08
    assert len({*seen}) == len(seen)
    assert 0.8 * LEAN < np.std(seen) < 1.2 * LEAN


def test_names_change_within_their_kind_and_common_ones_are_chosen_more_often() -> None:
    found = likes("2 2 2 2 2 2 2 2 2 3 7 x = A B".split(), lambda name: name != "7")
    assert found["3"] == found["2"] == ["2"] * 3 + ["3"]
    assert "7" not in found
    assert found["x"] == ["x"]
    assert found["A"] == ["A", "B"]
