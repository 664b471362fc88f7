"""What one step may decide: all of it, checked against every choice that the grammar allows."""

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from san.decoding.decisions import (
    CACHED_ROWS,
    FIRST_SYMBOL,
    MAX_ALTERNATIVES,
    choose,
    decide,
    ranked_choices,
)
from san.grammar.productions import EMPTY_STRING, EXTEND, MARKS, START, Partner, opened_by
from san.grammar.tree import Relation
from tests.decoding.noise import VOCABULARY

PARTNERS = st.sampled_from([partner for partner in VOCABULARY.partners if partner not in MARKS[:2]])
TARGETS = len(VOCABULARY.targets)


def scores(count: int) -> st.SearchStrategy[NDArray[np.float32]]:
    numbers = st.floats(-20, 20, width=32)
    return st.lists(numbers, min_size=count, max_size=count).map(lambda n: np.array(n, np.float32))


def all_step_probabilities(
    symbols: NDArray[np.float32], relations: NDArray[np.float32], partner: Partner
) -> dict[tuple[str, tuple[Relation, ...]], float]:
    """The probability of every legal choice, by the definition."""
    odds = np.exp(symbols.astype(float) - symbols.max())
    odds /= odds.sum()
    chances = dict(zip(Relation, 1 / (1 + np.exp(-relations.astype(float))), strict=True))
    found = {(name, ()): odds[VOCABULARY.number(name)] for name in VOCABULARY.targets}
    del found[EXTEND, ()]
    allowed = opened_by(EXTEND, partner)
    for size in range(1, len(allowed) + 1):
        for opens in combinations(allowed, size):
            shares = (c if r in opens else 1 - c for r, c in chances.items())
            found[EXTEND, opens] = odds[VOCABULARY.number(EXTEND)] * prod(shares)
    return found


def test_probabilities_of_many_steps_are_those_of_each() -> None:
    random, count = np.random.default_rng(0), 2 * CACHED_ROWS + 5
    symbols = random.normal(0, 3, (count, TARGETS)).astype(np.float32)
    relations = random.normal(0, 3, (count, 7)).astype(np.float32)
    symbols[::3, VOCABULARY.number(EXTEND)] = 20
    partners = random.integers(FIRST_SYMBOL, len(VOCABULARY.partners), count)
    decided = decide(symbols, relations, partners, VOCABULARY)
    assert decided.opens.any()
    expected = [choice.step_probability for choice in decided.choices(VOCABULARY)]
    assert decided.step_probabilities() == pytest.approx(np.array(expected))


@given(scores(TARGETS), scores(7), PARTNERS, st.integers(1, 60))
@pytest.mark.slow
def test_choices_are_the_first_and_the_surest_others(
    symbols: NDArray[np.float32], relations: NDArray[np.float32], partner: Partner, most: int
) -> None:
    made = ranked_choices(symbols[None], relations[None], [partner], VOCABULARY, False, most)[0]
    every = all_step_probabilities(symbols, relations, partner)
    assert made[0] == choose(symbols, relations, partner, VOCABULARY, False)
    taken = [(choice.target, choice.opens) for choice in made]
    assert len(set(taken)) == len(taken) == min(most, len(every))
    for choice, key in zip(made, taken, strict=True):
        assert choice.step_probability == pytest.approx(every.pop(key), rel=1e-6, abs=1e-12)
    others = [choice.step_probability for choice in made[1:]]
    assert others == sorted(others, reverse=True)
    if others:
        assert max(every.values(), default=0) <= others[-1] * (1 + 1e-6) + 1e-12


@given(st.lists(st.tuples(scores(TARGETS), scores(7), PARTNERS), min_size=1, max_size=4))
@pytest.mark.slow
def test_steps_choose_together_as_alone(
    steps: list[tuple[NDArray[np.float32], NDArray[np.float32], Partner]],
) -> None:
    symbols, relations, partners = zip(*steps, strict=True)
    together = ranked_choices(
        np.stack(symbols), np.stack(relations), partners, VOCABULARY, False, 5
    )
    for step, made in zip(steps, together, strict=True):
        alone = ranked_choices(step[0][None], step[1][None], [step[2]], VOCABULARY, False, 5)[0]
        assert [(own.target, own.opens) for own in made] == [(o.target, o.opens) for o in alone]
        assert [own.step_probability for own in made] == pytest.approx(
            [own.step_probability for own in alone]
        )


@given(scores(TARGETS), scores(7), PARTNERS)
def test_a_closed_end_is_empty(
    symbols: NDArray[np.float32], relations: NDArray[np.float32], partner: Partner
) -> None:
    made = ranked_choices(symbols[None], relations[None], [partner], VOCABULARY, True, 9)[0]
    assert [(choice.target, choice.partners()) for choice in made] == [(EMPTY_STRING, ())]


@given(scores(TARGETS), scores(7))
@pytest.mark.slow
def test_alternatives_are_the_best_other_symbols(
    symbols: NDArray[np.float32], relations: NDArray[np.float32]
) -> None:
    choice = choose(symbols, relations, START, VOCABULARY, False)
    names = [name for name, _ in choice.alternatives]
    assert len(names) == MAX_ALTERNATIVES
    assert not {*MARKS, choice.target} & set(names)
    left = set(VOCABULARY.symbols) - {*names, choice.target}
    probabilities = [probability for _, probability in choice.alternatives]
    assert probabilities == sorted(probabilities, reverse=True)
    worst = symbols[VOCABULARY.number(names[-1])]
    assert all(symbols[VOCABULARY.number(name)] <= worst + 1e-6 for name in left)
    assert probabilities[0] <= 1 - (choice.probability if choice.target != EXTEND else 0) + 1e-9
