"""Invented formulas are formulas."""

from collections import Counter

import numpy as np
import pytest

from san.grammar import parse, to_latex
from san.grammar.productions import fold, unfold
from san.grammar.tree import Expression, Relation
from san.synth.composer import Composer
from san.synth.config import CompositionConfig
from san.synth.formulas.invent import Inventor
from san.synth.random_stream import RandomStream

NAMES = (
    r"0 1 2 3 4 5 a b n x y z d \alpha \beta + - \times , = \leq \rightarrow ( ) [ ] | \frac \sqrt"
    r" \sum \int \lim \sin \log \ldots \cdots \infty".split()
)


def depth(tree: Expression) -> int:
    """How many scripts, parts and covers the deepest symbol stands in."""
    depths: list[int] = []
    for visit in tree.walk():
        above = 0 if visit.parent < 0 else depths[visit.parent]
        depths.append(above + (visit.relation not in (None, Relation.RIGHT)))
    return max(depths)


def test_they_follow_the_grammar_and_know_their_symbols() -> None:
    inventor = Inventor(NAMES * 3)
    assert inventor.is_able
    seen: Counter[str] = Counter()
    for seed in range(400):
        tree = inventor.invent(RandomStream(np.random.default_rng(seed)))
        assert parse(to_latex(tree)) == tree
        assert fold(unfold(tree)) == tree
        seen.update(visit.symbol.name for visit in tree.walk())
    assert set(seen) <= set(NAMES)
    assert {r"\frac", r"\sqrt", r"\sum", r"\int", r"\lim", r"\alpha", "|", r"\ldots"} <= set(seen)


def test_what_is_rare_is_met_more_often_than_by_chance() -> None:
    inventor = Inventor(["x"] * 900 + ["y"] * 9 + ["1"])
    seen: Counter[str] = Counter()
    for seed in range(300):
        tree = inventor.invent(RandomStream(np.random.default_rng(seed)))
        seen.update(visit.symbol.name for visit in tree.walk())
    assert 0.05 < seen["y"] / seen["x"] < 0.2  # 0.01 by chance


def test_without_letters_it_gives_up() -> None:
    assert not Inventor(["+", "="]).is_able


@pytest.mark.slow
def test_every_symbol_of_a_bank_turns_up(composer: Composer) -> None:
    inventor = Inventor(composer.bank.names)
    seen: Counter[str] = Counter()
    for seed in range(4000):
        tree = inventor.invent(RandomStream(np.random.default_rng(seed)))
        seen.update({visit.symbol.name for visit in tree.walk()})
    assert composer.bank.by_name.keys() == seen.keys()
    assert min(seen.values()) >= 8  # one of 500, and mostly far more


@pytest.mark.slow
def test_a_fifth_nests_three_deep_or_more_and_is_not_too_long(composer: Composer) -> None:
    inventor = Inventor(composer.bank.names)
    trees = [inventor.invent(RandomStream(np.random.default_rng(seed))) for seed in range(2000)]
    kept = [tree for tree in trees if len(unfold(tree)) <= CompositionConfig.max_steps]
    assert len(kept) > 0.95 * len(trees)
    assert 0.17 < np.mean([depth(tree) >= 3 for tree in kept]) < 0.27
    assert max(map(depth, kept)) <= 8
    assert 8 < np.median([len(tree) for tree in kept]) < 18


@pytest.mark.slow
def test_what_is_built_from_the_inside_has_three_levels_or_four_and_one_script_at_most(
    composer: Composer,
) -> None:
    inventor = Inventor(composer.bank.names)
    scripts = (Relation.SUB, Relation.SUP)
    depths: Counter[int] = Counter()
    for seed in range(400):
        tree = Expression(tuple(inventor._deep(RandomStream(np.random.default_rng(seed)))))
        depths[depth(tree)] += 1
        within: list[int] = []  # scripts around each symbol
        for visit in tree.walk():
            above = 0 if visit.parent < 0 else within[visit.parent]
            within.append(above + (visit.relation in scripts))
        assert max(within) <= 1
    assert depths.keys() == {3, 4}
    assert 60 < depths[4] < 140


@pytest.mark.slow
def test_marks_stand_where_they_make_sense() -> None:
    names = [*NAMES, *"A B C . ! \\circ \\prime \\angle \\vec \\textcircled \\square".split()]
    inventor = Inventor(names)
    for seed in range(2000):
        visits = list(inventor.invent(RandomStream(np.random.default_rng(seed))).walk())
        for place, visit in enumerate(visits):
            name = visit.symbol.name
            before = visits[place - 1].symbol.name if place else ""
            if name in (r"\circ", r"\prime"):
                assert visit.relation is Relation.SUP
                assert (name == r"\circ") == before.isdigit()
            if name == ".":
                assert before.isdigit()
                assert visits[place + 1].symbol.name.isdigit()
            if name == r"\angle":
                assert visits[place + 1].symbol.name in ("A", "B", "C")
            if name in (r"\vec", r"\textcircled"):
                assert visit.symbol.branches


@pytest.mark.slow
def test_what_it_was_not_told_of_is_used_as_well() -> None:
    inventor = Inventor([*NAMES, "☉", r"\prod", r"\overbrace", r"\binom"])
    seen: Counter[str] = Counter()
    for seed in range(2000):
        tree = inventor.invent(RandomStream(np.random.default_rng(seed)))
        assert parse(to_latex(tree)) == tree
        seen.update(visit.symbol.name for visit in tree.walk())
    assert {"☉", r"\prod", r"\overbrace", r"\binom"} <= seen.keys()
