"""Invented systems, cases, stacked lines and matrices."""

from collections import Counter

import numpy as np
import pytest

from san.errors import SanError
from san.grammar import parse, to_latex
from san.grammar.grids import find_grids, rows_of, written_names
from san.grammar.tree import Relation
from san.synth.formulas.config import InventLinesConfig
from san.synth.formulas.invent_lines import LineInventor
from san.synth.random_stream import RandomStream

NAMES = (
    r"0 1 2 3 4 5 6 7 8 9 x y z a b c f A B C D T = < > + - ( ) [ ] | \{ , \leq \geq \frac \sqrt"
    r" \angle \textcircled \therefore".split()
)


def test_formulas_have_several_lines_of_known_symbols() -> None:
    inventor = LineInventor(NAMES)
    assert inventor.is_able
    environments: Counter[str] = Counter()
    sides: set[int] = set()
    for seed in range(300):
        tree = inventor.invent(RandomStream(np.random.default_rng(seed)))
        assert parse(to_latex(tree)) == tree
        assert written_names(tree) <= set(NAMES)
        for grid in find_grids(tree.symbols):
            environments[grid.environment] += 1
            rows = rows_of(tree.symbols[grid.place].branch(Relation.INSIDE))
            assert 2 <= len(rows) <= 6
            assert max(map(len, rows)) <= 5
            sides.add(max(map(len, rows)))
    assert environments.keys() >= {"cases", "aligned", "pmatrix", "bmatrix", "vmatrix"}
    assert sides == {1, 2, 3, 4, 5}


def test_the_letters_of_a_system_are_the_same_in_all_lines() -> None:
    only_systems = InventLinesConfig(congruence=0, cases=0, stacked=0, matrix=0)
    inventor = LineInventor(NAMES, only_systems)
    letters = set("xyzabc")
    for seed in range(100):
        tree = inventor.invent(RandomStream(np.random.default_rng(seed)))
        assert len(written_names(tree) & letters) <= 3
        assert [grid.environment for grid in find_grids(tree.symbols)] == ["cases"]


def test_too_few_symbols_and_no_shares() -> None:
    assert not LineInventor(["x", "y", "="]).is_able
    with pytest.raises(SanError, match="invent_lines"):
        InventLinesConfig(system=0, congruence=0, cases=0, stacked=0, matrix=0)
