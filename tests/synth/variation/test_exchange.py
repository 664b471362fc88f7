"""Branches, names and written glyphs exchanged for others."""

import dataclasses

import numpy as np
import pytest

from san.grammar import Expression, Relation, parse, to_latex
from san.synth.composer import Composer
from san.synth.glyphs.bank import GlyphBank
from san.synth.layout.measure import outline
from san.synth.layout.symbol_classes import SIMILAR_TO
from san.synth.layout.writer import PlacedGlyph
from san.synth.random_stream import RandomStream
from san.synth.variation import exchange
from san.synth.variation.config import ExchangeConfig
from san.synth.variation.exchange import (
    BranchPool,
    _fitted,
    exchange_symbols,
    join_expressions,
    rename,
    similar_names,
)
from san.synth.variation.page import copy_written

ALWAYS = ExchangeConfig(glyph_chance=1.0, rename_share=1.0, rename_chance=1.0, sign_chance=1.0)
NEVER = ExchangeConfig(glyph_chance=0.0, rename_share=0.0, rename_chance=0.0, sign_chance=0.0)


def test_nothing_changes_where_nothing_should(composer: Composer) -> None:
    for written in composer.bank.expressions[:20]:
        page, tree = exchange_symbols(
            composer.bank, written, NEVER, RandomStream(np.random.default_rng(0))
        )
        assert tree is written.tree
        same = copy_written(composer.bank, written)
        assert np.allclose(page.points, same.points, atol=1e-3)
        assert page.lengths.tolist() == same.lengths.tolist()


def test_names_and_glyphs_change_together_and_stay_in_place(composer: Composer) -> None:
    changed = 0
    for seed, written in enumerate(composer.bank.expressions):
        page, tree = exchange_symbols(
            composer.bank, written, ALWAYS, RandomStream(np.random.default_rng(seed))
        )
        old, new = written.outline, outline(tree)
        assert new.parents == old.parents
        assert new.relations == old.relations
        assert len(page.strokes) == len(new)
        for before, after in zip(old.names, new.names, strict=True):
            assert after == before or after in SIMILAR_TO[before]
            changed += after != before
        middle = np.array([own.mean(axis=0) for own in np.split(page.points, page.starts[1:])])
        boxes = composer.bank.boxes[written.first : written.last]
        assert (np.abs(middle - (boxes[:, :2] + boxes[:, 2:]) / 2) < 60).all()
    assert changed > 100


def test_copies_of_a_symbol_are_exchanged_for_one_writer_s(
    composer: Composer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or for none: a letter looks like itself elsewhere in a formula."""
    bank, put = composer.bank, []

    def watched(bank: GlyphBank, old: int, new: int, config: ExchangeConfig) -> PlacedGlyph:
        put.append((old, new))
        return _fitted(bank, old, new, config)

    monkeypatch.setattr(exchange, "_fitted", watched)
    half, twice = dataclasses.replace(ALWAYS, glyph_chance=0.5, rename_share=0.5), 0
    for seed, written in enumerate(bank.expressions):
        put.clear()
        exchange_symbols(bank, written, half, RandomStream(np.random.default_rng(seed)))
        new = [*range(written.first, written.last)]
        for old, glyph in put:
            new[old - written.first] = glyph
        for name in {bank.names[glyph] for _, glyph in put}:
            own = [glyph for glyph in new if bank.names[glyph] == name]
            assert len({bank.writer[glyph] for glyph in own}) == 1
            twice += len(own) > 1
    assert twice > 10


@pytest.mark.parametrize(("config", "more"), [(ALWAYS, 1), (NEVER, 0)])
def test_two_expressions_stand_side_by_side(
    composer: Composer, config: ExchangeConfig, more: int
) -> None:
    bank = composer.bank
    one, other = (
        next(own for own in bank.expressions if own.outline.names[-1] == name)
        for name in ("x", "5")
    )
    page, tree = join_expressions(
        bank, (one, other), config, RandomStream(np.random.default_rng(4))
    )
    assert len(tree) == len(one.outline) + more + len(other.outline)
    if config is NEVER:
        assert tree.symbols == one.tree.symbols + other.tree.symbols
    low = np.minimum.reduceat(page.points, page.starts)[:, 0]
    high = np.maximum.reduceat(page.points, page.starts)[:, 0]
    first = len(one.outline) + more
    assert low[first:].min() > high[:first].max()
    if more:
        assert low[first - 1] > high[: first - 1].max()


TREES = [parse(text) for text in (r"\frac{1}{2}", r"\frac{a^{3}}{b}", "x_{i}", "y_{n+1}", "z")]


def branches(tree: Expression, relation: Relation, name: str) -> list[Expression]:
    return [
        visit.symbol.branch(relation)
        for visit in tree.walk()
        if visit.symbol.name == name and visit.symbol.has(relation)
    ]


def test_a_numerator_becomes_a_numerator() -> None:
    pool = BranchPool(TREES)
    seen = set()
    for seed in range(50):
        tree = pool.graft(TREES[0], RandomStream(np.random.default_rng(seed)), 1.0)
        (over,) = branches(tree, Relation.ABOVE, r"\frac")
        (under,) = branches(tree, Relation.BELOW, r"\frac")
        seen.add((to_latex(over), to_latex(under)))
    assert seen == {("1", "2"), ("1", "b"), ("a^{3}", "2"), ("a^{3}", "b")}


def test_without_chance_nothing_changes() -> None:
    pool = BranchPool(TREES)
    for tree in TREES:
        assert pool.graft(tree, RandomStream(np.random.default_rng(0)), 0.0) == tree


def test_a_name_changes_everywhere_at_once() -> None:
    tree = rename(parse(r"x^{x}+\frac{x}{2}"), {"x": "n"})
    assert to_latex(tree) == r"n^{n}+\frac{n}{2}"


def test_new_names_are_like_the_old_and_can_be_written() -> None:
    for seed in range(30):
        found = similar_names(
            "x2=(", ["x", "n", "7", "="], RandomStream(np.random.default_rng(seed)), 1.0
        )
        assert set(found) <= {"x", "2", "="}
        assert found.get("x", "x") in ("x", "n")
        assert found.get("2", "7") == "7"
