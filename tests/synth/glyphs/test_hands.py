"""Handwriting fonts in a bank: writers of what is composed or exchanged where a share asks so."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from san.config import build
from san.errors import SanError
from san.grammar import parse
from san.synth.composer import Composer
from san.synth.config import CompositionConfig
from san.synth.glyphs.bank import GlyphBank
from san.synth.glyphs.blend import Blender
from san.synth.glyphs.build import build_bank
from san.synth.glyphs.config import BlendConfig
from san.synth.glyphs.copybook import Copybook
from san.synth.random_stream import RandomStream
from san.synth.variation.config import ExchangeConfig
from san.synth.variation.exchange import exchange_symbols
from tests.synth.conftest import FORMULAS, composing
from tests.synth.glyph_rows import GlyphRows

pytestmark = pytest.mark.slow  # its fixtures take seconds to make

PHOTOS = ("2 x + 2", "3 y = x")
FONTS = ("2 3 x y a b + = 1 0", "2 3 x y a b + = 1 4", "2 3 x n i b + = 1 4")


@pytest.fixture(scope="module")
def plain() -> GlyphBank:
    return build_bank(Copybook(), photo_glyphs=GlyphRows(*PHOTOS))


@pytest.fixture(scope="module")
def bank() -> GlyphBank:
    return build_bank(Copybook(), photo_glyphs=GlyphRows(*PHOTOS), hands=[GlyphRows(*FONTS)])


def test_fonts_are_writers_behind_all_others(plain: GlyphBank, bank: GlyphBank) -> None:
    count = len(plain.names)
    assert bank.names[:count] == plain.names
    assert bank.names[count:] == " ".join(FONTS).split()
    assert bank.photo_writers == plain.photo_writers
    assert len(bank.hands) == len(FONTS)
    assert min(bank.hands) > max(bank.writer[:count])
    assert bank.by_name == plain.by_name  # nobody finds them who asks for no font
    assert bank.count_known(bank.hands[2], {"n", "i", "y"}) == 2
    (own,) = bank.by_writer["n", bank.hands[2]]
    assert bank.writer[own] == bank.hands[2]


def test_what_fonts_alone_have_is_anybodys() -> None:
    bank = build_bank(Copybook(), hands=[GlyphRows("2 x + D")])
    (own,) = bank.by_writer["D", bank.hands[0]]
    assert own in bank.by_name["D"]
    assert not bank.photo_writers


@pytest.mark.parametrize("blend_share", [0.0, 1.0])
def test_a_share_of_0_leaves_every_sample_as_it_is(
    plain: GlyphBank, bank: GlyphBank, blend_share: float
) -> None:
    """To the byte, whether composed, varied, joined or grafted."""
    config = composing(blend_share, photo_glyphs_share=0.5)
    one, other = (Composer(own, FORMULAS, config) for own in (plain, bank))
    for seed in range(30):
        first, second = (own.sample(np.random.default_rng(seed)) for own in (one, other))
        assert first.tree == second.tree
        assert first.picture.tobytes() == second.picture.tobytes()
        assert first.boxes.tobytes() == second.boxes.tobytes()


def test_a_share_of_expressions_is_written_by_a_font(
    bank: GlyphBank, asked_writers: list[Sequence[int]]
) -> None:
    tree = parse("22x3y")
    for share, low, high in ((0.0, 0, 0), (0.5, 8, 32), (1.0, 40, 40)):
        # Photographs have the expressions that fonts leave them.
        config = composing(hands_share=share, photo_glyphs_share=1.0)
        composer = Composer(bank, (), config)
        asked_writers.clear()
        for seed in range(40):
            made = composer.compose(tree, np.random.default_rng(seed))
            assert np.isfinite(made.boxes).any(axis=1).sum() == 5
        by_font = [own for own in asked_writers if {*own} & {*bank.hands}]
        assert low <= len(by_font) <= high
        assert all(len(own) == 1 for own in by_font)
        assert all({*own} <= {*bank.photo_writers} for own in asked_writers if own not in by_font)
    assert {own for (own,) in asked_writers} == {*bank.hands}
    with pytest.raises(SanError, match=r"hands_share: 1\.5 is not between"):
        build(CompositionConfig, {"hands_share": 1.5})


def test_written_symbols_are_exchanged_for_those_of_a_font(
    bank: GlyphBank, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    def watched(own: GlyphBank, placed: Sequence[Any], blend: object = None) -> None:
        taken.extend(own.writer[glyph.glyph] for glyph in placed)

    monkeypatch.setattr("san.synth.variation.exchange.write_glyphs", watched)

    def fonts_taken(share: float) -> set[int]:
        config = ExchangeConfig(glyph_chance=1.0, hands_share=share, rename_share=0.0)
        taken.clear()
        for seed, written in enumerate(bank.expressions):
            exchange_symbols(bank, written, config, RandomStream(np.random.default_rng(seed)))
        return {*taken} & {*bank.hands}

    assert not fonts_taken(0.0)
    assert fonts_taken(1.0) == {*bank.hands}
    assert {*taken} - {*bank.hands}  # bars and signs stay, and what the font lacks
    with pytest.raises(SanError, match=r"hands_share: -1\.0 is not between"):
        build(ExchangeConfig, {"hands_share": -1.0})


def test_glyphs_of_fonts_are_blended_with_their_own_kind(bank: GlyphBank) -> None:
    shapes = Blender(bank, BlendConfig()).shapes
    fonts = {*bank.hands}
    first = next(own for own, writer in enumerate(bank.writer) if writer in fonts)
    found = 0
    for group, span in zip(shapes.groups, shapes.group_ranges, strict=True):
        of_fonts = {bank.writer[own] in fonts for own in group.tolist()}
        assert len(of_fonts) <= 1
        if of_fonts == {True}:
            assert span == (first, len(bank.names))
            found += 1
        else:
            assert span[1] <= first
    assert found
