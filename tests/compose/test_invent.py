"""Invented formulas are formulas."""

from collections import Counter

import numpy as np

from san.compose.dice import Dice
from san.compose.invent import Inventor
from san.grammar import parse, to_latex
from san.grammar.productions import fold, unfold

NAMES = (
    r"0 1 2 3 4 5 a b n x y z d \alpha \beta + - \times , = \leq \rightarrow ( ) [ ] | \frac \sqrt"
    r" \sum \int \lim \sin \log \ldots \cdots \infty".split()
)


def test_they_follow_the_grammar_and_know_their_symbols() -> None:
    inventor = Inventor(NAMES * 3)
    assert inventor.is_able
    seen: Counter[str] = Counter()
    for seed in range(400):
        tree = inventor.invent(Dice(np.random.default_rng(seed)))
        assert parse(to_latex(tree)) == tree
        assert fold(unfold(tree)) == tree
        seen.update(visit.symbol.name for visit in tree.walk())
    assert set(seen) <= set(NAMES)
    assert {r"\frac", r"\sqrt", r"\sum", r"\int", r"\lim", r"\alpha", "|", r"\ldots"} <= set(seen)


def test_what_is_rare_is_met_more_often_than_by_chance() -> None:
    inventor = Inventor(["x"] * 900 + ["y"] * 9 + ["1"])
    seen: Counter[str] = Counter()
    for seed in range(300):
        tree = inventor.invent(Dice(np.random.default_rng(seed)))
        seen.update(visit.symbol.name for visit in tree.walk())
    assert 0.05 < seen["y"] / seen["x"] < 0.2  # 0.01 by chance


def test_without_letters_it_gives_up() -> None:
    assert not Inventor(["+", "="]).is_able
