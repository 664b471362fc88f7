"""Beam search over an engine of noise: legal, total, ordered, and never worse than greedy."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from san.decoding import DecodingLimits, Memory, Reading, decode, decode_beam
from san.decoding.beam import _combinations
from san.decoding.engine import Floats, Outcome
from san.grammar.productions import fold, unfold
from tests.decoding.noise import GRID, ONE, Noise

SHORT = DecodingLimits(steps=40, depth=15)
SEEDS = st.integers(0, 10_000)
ENDINGS = st.sampled_from([-9.0, 0.0, 2.0, 4.0])


def check(reading: Reading, limits: DecodingLimits) -> None:
    """A legal tree within the limits."""
    assert len(reading.steps) <= limits.steps
    assert max(read.step.depth for read in reading.steps) < limits.depth
    assert fold([read.step for read in reading.steps]) == reading.expression
    assert fold(unfold(reading.expression)) == reading.expression
    for read in reading.steps:
        assert read.attention.shape == GRID
        assert read.attention.sum() == pytest.approx(1, abs=1e-3)


@given(SEEDS, ENDINGS, st.integers(1, 60), st.integers(1, 15), st.sampled_from([0.0, 1e-9, 0.1]))
@settings(max_examples=40, deadline=None)
def test_width_one_is_greedy(
    seed: int, ending: float, steps: int, depth: int, min_probability: float
) -> None:
    engine, limits = Noise(seed, ending), DecodingLimits(steps, depth, min_probability)
    for greedy, readings in zip(
        decode(engine, ONE * 3, limits), decode_beam(engine, ONE * 3, 1, limits), strict=True
    ):
        assert len(readings) == 1
        for mine, theirs in zip(readings[0].steps, greedy.steps, strict=True):
            assert (mine.step, mine.step_probability, mine.alternatives) == (
                theirs.step,
                theirs.step_probability,
                theirs.alternatives,
            )
            assert (mine.attention == theirs.attention).all()


@pytest.mark.slow
@given(SEEDS, ENDINGS, st.integers(2, 8), st.integers(1, 60), st.integers(1, 15))
@settings(max_examples=40, deadline=None)
def test_readings_are_legal_different_ordered_and_no_worse_than_greedy(
    seed: int, ending: float, width: int, steps: int, depth: int
) -> None:
    engine, limits = Noise(seed, ending), DecodingLimits(steps, depth)
    for greedy, readings in zip(
        decode(engine, ONE * 2, limits), decode_beam(engine, ONE * 2, width, limits), strict=True
    ):
        for reading in readings:
            check(reading, limits)
        probabilities = [reading.probability for reading in readings]
        assert all(a >= b * (1 - 1e-9) for a, b in pairwise(probabilities))
        assert len({reading.expression for reading in readings}) == len(readings) <= width + 1
        assert probabilities[0] >= greedy.probability * (1 - 1e-9)


@pytest.mark.slow
@given(SEEDS, ENDINGS, st.integers(1, 8), st.sampled_from([0.0, 1e-9, 0.1]))
@settings(max_examples=40, deadline=None)
def test_what_comes_first_need_not_depend_on_the_width(
    seed: int, ending: float, width: int, min_probability: float
) -> None:
    engine, limits = Noise(seed, ending), DecodingLimits(40, 15, min_probability)
    for greedy, readings, usual in zip(
        decode(engine, ONE * 2, limits),
        decode_beam(engine, ONE * 2, width, limits, greedy_first=True),
        decode_beam(engine, ONE * 2, width, limits),
        strict=True,
    ):
        assert readings[0].expression == greedy.expression
        assert readings[0].probability == pytest.approx(greedy.probability)
        others = [one.expression for one in usual if one.expression != greedy.expression]
        assert [one.expression for one in readings[1:]] == others


@given(SEEDS, ENDINGS, st.sampled_from([0.01, 0.3, 1.0]))
@settings(max_examples=20, deadline=None)
@pytest.mark.slow
def test_what_is_far_behind_is_given_up(
    seed: int, ending: float, min_relative_probability: float
) -> None:
    engine = Noise(seed, ending)
    greedy = decode(engine, ONE, SHORT)[0]
    readings = decode_beam(
        engine, ONE, 5, SHORT, min_relative_probability=min_relative_probability
    )[0]
    behind = min_relative_probability * readings[0].probability * (1 - 1e-9)
    for reading in readings:
        assert reading.probability >= behind or reading.expression == greedy.expression
    assert greedy.expression in [reading.expression for reading in readings]
    every = decode_beam(engine, ONE, 5, SHORT)[0]
    assert len(readings) <= len(every)


@pytest.mark.slow
def test_a_wide_beam_finds_the_best_of_all_trees() -> None:
    limits = DecodingLimits(steps=3, depth=3)
    better = 0
    for seed in range(6):
        engine = Noise(seed)
        every = decode_beam(engine, ONE, 800, limits)[0]
        for width in (2, 4, 8):
            found = decode_beam(engine, ONE, width, limits)[0]
            assert found[0].probability <= every[0].probability * (1 + 1e-9)
        assert decode_beam(engine, ONE, 50, limits)[0][0].expression == every[0].expression
        better += every[0].expression != decode(engine, ONE, limits)[0].expression
    assert better  # else the search had nothing to find


def test_all_trees_together_are_certain() -> None:
    """Chains of two symbols at most: their probabilities, cut off or not, sum up to one."""
    engine = Noise(3)
    engine.bias[1] = -60  # no E
    readings = decode_beam(engine, ONE, 10_000, DecodingLimits(steps=2, depth=2))[0]
    symbols = len(engine.vocabulary.symbols)
    assert len(readings) == 1 + symbols
    first = 1 - readings[[not r.expression for r in readings].index(True)].probability
    assert sum(r.steps[0].step_probability for r in readings if r.expression) == pytest.approx(
        first
    )


def test_as_many_as_wanted() -> None:
    engine = Noise(5)
    every = decode_beam(engine, ONE * 2, 6, SHORT)
    few = decode_beam(engine, ONE * 2, 6, SHORT, best=2)
    for all_, some in zip(every, few, strict=True):
        assert [one.expression for one in some] == [one.expression for one in all_[:2]]
    assert decode_beam(engine, [], 3) == []
    for width, best in ((0, None), (-1, None), (3, 0)):
        with pytest.raises(ValueError, match="at least one"):
            decode_beam(engine, ONE, width, SHORT, best)


@pytest.mark.slow
def test_a_reading_does_not_depend_on_the_images_beside_it() -> None:
    for seed in range(10):
        engine = Noise(seed)
        beside = decode_beam(engine, ONE * 4, 4, SHORT)
        for place, readings in enumerate(beside):
            alone = Noise(seed)
            alone.first = engine.first[place : place + 1]
            own = decode_beam(alone, ONE, 4, SHORT)[0]
            assert [one.expression for one in own] == [one.expression for one in readings]


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_still_give_trees(value: float) -> None:
    engine = Noise(0)
    engine.symbol[:] = value
    engine.relation[:] = value
    limits = DecodingLimits(steps=30, depth=20)
    for reading in decode_beam(engine, ONE, 4, limits)[0]:
        check(reading, limits)


class Counting(Noise):
    """Remembers how many steps it was asked for, and what for."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.asked: list[list[tuple[int, bytes, bytes, int]]] = []

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        rows = zip(image.tolist(), hidden, path, partner.tolist(), strict=True)
        self.asked.append([(i, h.tobytes(), p.tobytes(), n) for i, h, p, n in rows])
        return super().step(memory, image, hidden, path, partner)


def test_one_call_a_depth_and_no_step_twice() -> None:
    engine = Counting(11)
    readings = decode_beam(engine, ONE * 3, 6, SHORT)
    deepest = max(s.step.depth for some in readings for one in some for s in one.steps)
    assert len(engine.asked) >= deepest + 1
    assert len(engine.asked) <= SHORT.depth
    assert all(len(set(rows)) == len(rows) for rows in engine.asked)


@given(st.lists(st.lists(st.floats(-9, 0), min_size=1, max_size=4), min_size=1, max_size=4))
def test_combinations_come_largest_first(scores: list[list[float]]) -> None:
    made = list(_combinations(scores))
    assert set(made) == set(product(*(range(len(some)) for some in scores)))
    assert len(made) == len(set(made))
    sums = [sum(some[pick] for some, pick in zip(scores, picks, strict=True)) for picks in made]
    assert sums == pytest.approx(sorted(sums, reverse=True))
