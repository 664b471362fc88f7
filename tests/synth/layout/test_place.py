"""Laid out anew, a formula reads as its tree says."""

import numpy as np
import pytest

from san.grammar import Expression, parse
from san.ink import Box
from san.synth.composer import Composer
from san.synth.glyphs.align import align
from san.synth.glyphs.bank import GlyphBank
from san.synth.layout.measure import outline
from san.synth.layout.place import Layout
from san.synth.layout.writer import ExpressionWriter, PlacedGlyph
from san.synth.random_stream import RandomStream
from san.synth.variation.page import write_glyphs
from tests.synth.conftest import FORMULAS


def placed(composer: Composer, tree: Expression, seed: int) -> list[PlacedGlyph]:
    random = RandomStream(np.random.default_rng(seed))
    writer = ExpressionWriter(composer.bank, composer.style, 0, random, composer.config.layout)
    return Layout(writer).expression(tree)


def boxes(bank: GlyphBank, glyphs: list[PlacedGlyph]) -> list[Box]:
    page = write_glyphs(bank, glyphs)
    low = np.minimum.reduceat(page.points, page.starts)
    high = np.maximum.reduceat(page.points, page.starts)
    return [Box(*row) for row in np.concatenate((low, high), axis=1).tolist()]


@pytest.mark.parametrize("latex", FORMULAS)
def test_the_page_can_be_aligned_with_the_tree_again(composer: Composer, latex: str) -> None:
    tree = parse(latex)
    names = outline(tree).names
    for seed in range(5):
        glyphs = placed(composer, tree, seed)
        assert [composer.bank.names[own.glyph] for own in glyphs] == names
        found = align(outline(tree), names, boxes(composer.bank, glyphs))
        assert found == [(number,) for number in range(len(names))]


def test_bars_roots_and_fences_cover_what_they_should(composer: Composer) -> None:
    tree = parse(r"(\frac{a+b+c+d}{\sqrt{x+y+z}})^{2}")
    names = outline(tree).names
    for seed in range(10):
        found = dict(zip(names, boxes(composer.bank, placed(composer, tree, seed)), strict=True))
        bar, root, fence = found[r"\frac"], found[r"\sqrt"], found["("]
        assert bar.left < found["b"].left
        assert bar.right > found["c"].right
        assert root.left < found["x"].left
        assert root.right > (found["z"].left + found["z"].right) / 2
        assert root.top < found["y"].top
        assert fence.height > found["y"].bottom - found["a"].top - 40
        assert found["2"].bottom < bar.top


def test_a_writer_keeps_to_their_own_symbols(composer: Composer) -> None:
    tree = parse("x+y=z")
    own = [
        composer.bank.writer[glyph.glyph] == 0
        for seed in range(60)
        for glyph in placed(composer, tree, seed)
    ]
    assert 0.85 < sum(own) / len(own) < 1


def test_copies_of_a_symbol_are_by_one_writer(composer: Composer) -> None:
    """Of another than the formula's at times, but then all of them."""
    tree, writers = parse("x+x_{x}+x^{x}"), set()
    for seed in range(60):
        bank, glyphs = composer.bank, [own.glyph for own in placed(composer, tree, seed)]
        own = {bank.writer[glyph] for glyph in glyphs if bank.names[glyph] == "x"}
        assert len(own) == 1
        writers |= own
    assert len(writers) > 1


def test_scripts_keep_off_the_line(composer: Composer) -> None:
    tree = parse("xx_{1}x^{2}x")
    for seed in range(20):
        line, _, sub, _, sup, _ = boxes(composer.bank, placed(composer, tree, seed))
        assert sub.bottom > line.bottom
        assert sup.top < line.top


@pytest.mark.parametrize("latex", [r"\frac{}{2}", r"\frac{1}{}+x", r"\sqrt[3]{}", r"\frac{}{}"])
def test_a_part_that_was_left_out_leaves_room(composer: Composer, latex: str) -> None:
    tree = parse(latex)
    for seed in range(5):
        glyphs = placed(composer, tree, seed)
        assert [composer.bank.names[own.glyph] for own in glyphs] == outline(tree).names
        assert boxes(composer.bank, glyphs)[0].width > 10


def test_one_group_of_a_derived_symbol_is_kept_to(composer: Composer) -> None:
    tree = parse(r"DD+D")
    for seed in range(10):
        glyphs = [own.glyph for own in placed(composer, tree, seed)]
        one, two, _, three = glyphs
        (group,) = [group for group in composer.bank.derived["D"] if one in group]
        assert two in group
        assert three in group
        assert len({one, two, three}) > 1
