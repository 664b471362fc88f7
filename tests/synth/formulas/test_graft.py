"""Branches exchanged for others, names for similar ones."""

import numpy as np

from san.grammar import Expression, Relation, parse, to_latex
from san.synth.formulas.graft import BranchPool, rename, similar_names
from san.synth.random_stream import RandomStream

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
