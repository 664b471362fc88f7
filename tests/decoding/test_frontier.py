"""The frontier as arrays decides what it decided slot by slot, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from san.decoding import DecodingLimits, Engine, Reading, decode
from san.decoding.engine import Floats
from san.grammar.productions import (
    EMPTY_STRING,
    EXTEND,
    MARKS,
    START,
    Partner,
    Step,
    fold,
    opened_by,
)
from san.grammar.tree import Relation
from tests.decoding.noise import ONE, VOCABULARY, Noise

Written = tuple[Step, float, tuple[float, ...], tuple[tuple[str, float], ...], bytes]


def slot_by_slot(engine: Engine, count: int, limits: DecodingLimits) -> list[list[Written]]:
    """The same decoder as plainly as it can be said."""
    memory = engine.encode(ONE * count)
    read: list[list[Written]] = [[] for _ in range(count)]
    promised = [1] * count
    frontier: list[tuple[int, int, int, Partner]] = [(i, -1, i, START) for i in range(count)]
    hidden, path = memory.hidden, memory.path
    depth = 0
    while frontier:
        slots = np.array([slot for _, _, slot, _ in frontier])
        image = np.array([own for own, _, _, _ in frontier])
        numbers = np.array([VOCABULARY.number(partner) for _, _, _, partner in frontier])
        before = path[slots]
        made = engine.step(memory, image, hidden[slots], before, numbers)
        following = []
        for slot, (own, parent, _, partner) in enumerate(frontier):
            scores = made.symbols[slot], made.relations[slot]
            look = (made.path[slot] - before[slot]).tobytes()
            for closing in (depth + 1 >= limits.depth, True):
                target, opens, *known = one_choice(*scores, partner, closing)
                after: tuple[Partner, ...] = opens or (() if target == EMPTY_STRING else (target,))
                if promised[own] + len(after) <= limits.steps:
                    break
            read[own].append((Step(parent, partner, target, opens, depth), *known, look))
            promised[own] += len(after)
            following += [(own, len(read[own]) - 1, slot, one) for one in after]
        frontier, hidden, path = following, made.hidden, made.path
        depth += 1
    return read


def one_choice(
    symbols: Floats, relations: Floats, partner: Partner, closing: bool
) -> tuple[str, tuple[Relation, ...], float, tuple[float, ...], tuple[tuple[str, float], ...]]:
    finite = np.nan_to_num(symbols.astype(float), nan=-1e30, posinf=1e30, neginf=-1e30)
    odds = np.exp(finite - finite.max())
    odds /= odds.sum()
    finite = np.nan_to_num(relations.astype(float), nan=-60, posinf=60, neginf=-60)
    chances = tuple((1 / (1 + np.exp(-np.clip(finite, -60, 60)))).tolist())
    ranked = [VOCABULARY.targets[number] for number in np.argsort(-odds, kind="stable")]
    likely = tuple(
        relation
        for relation, chance in zip(Relation, chances, strict=True)
        if chance > 0.5 and relation in opened_by(EXTEND, partner)
    )
    target = next(one for one in ranked if one != EXTEND or likely)
    target = EMPTY_STRING if closing else target
    others = [name for name in ranked if name not in (*MARKS, target)][:5]
    known = {name: float(odds[VOCABULARY.number(name)]) for name in (target, *others)}
    opens = likely if target == EXTEND else ()
    possible = tuple((name, known[name]) for name in others if known[name] > 0)
    return target, opens, known[target], chances, possible


def written(reading: Reading) -> list[Written]:
    return [
        (
            one.step,
            one.probability,
            one.relation_probabilities,
            one.alternatives,
            one.attention.tobytes(),
        )
        for one in reading.steps
    ]


@pytest.mark.slow
@given(
    st.integers(0, 10_000),
    st.sampled_from([-9.0, 0.0, 2.0, 4.0]),
    st.integers(0, 60),
    st.integers(0, 15),
)
@settings(max_examples=60, deadline=None)
def test_arrays_decide_what_slots_do(seed: int, ending: float, steps: int, depth: int) -> None:
    engine, limits = Noise(seed, ending), DecodingLimits(steps, depth)
    readings = decode(engine, ONE * 4, limits)
    assert [written(one) for one in readings] == slot_by_slot(engine, 4, limits)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0, 1e4])
@pytest.mark.parametrize("columns", [slice(None), slice(1, 2), slice(3, 5)])
def test_ties_and_numbers_that_are_none_too(value: float, columns: slice) -> None:
    limits = DecodingLimits(steps=30, depth=12)
    for seed in range(5):
        engine = Noise(seed, ending=0.0)
        engine.symbol[:, columns] = value
        engine.relation[:, columns] = value
        readings = decode(engine, ONE * 3, limits)
        assert [written(one) for one in readings] == slot_by_slot(engine, 3, limits)


@pytest.mark.slow
def test_the_limit_of_steps_serves_first_what_comes_first() -> None:
    """Not one image runs into its limit because of another, and none has room left unused."""
    filled = 0
    for seed in range(40):
        engine = Noise(seed, ending=-9.0)
        for steps in (5, 6, 7):
            for reading in decode(engine, ONE * 4, DecodingLimits(steps, depth=50)):
                closed = any(one.step.target == EMPTY_STRING for one in reading.steps)
                assert len(reading.steps) <= steps
                filled += closed and len(reading.steps) == steps
    assert filled > 200


@pytest.mark.slow
def test_a_hopeless_reading_is_given_up_and_no_other() -> None:
    """Up to where it becomes hopeless it is the same; then its ends are closed, a depth deeper."""
    free, bounded = DecodingLimits(200, 60), DecodingLimits(200, 60, min_probability=1e-6)
    given_up = 0
    for seed in range(20):
        engine = Noise(seed, ending=-1.0)
        pairs = zip(decode(engine, ONE * 4, free), decode(engine, ONE * 4, bounded), strict=True)
        for whole, cut in pairs:
            depths = [one.step.depth for one in cut.steps]
            likely = np.array([one.step_probability for one in cut.steps])
            assert np.prod(likely[np.array(depths) < max(depths) - 1]) >= 1e-6
            assert cut.mean_probability == pytest.approx(cut.probability ** (1 / cut.step_count))
            if len(cut.steps) == len(whole.steps):
                assert written(cut) == written(whole)
                continue
            given_up += 1
            assert len(cut.steps) < len(whole.steps)
            assert fold([one.step for one in cut.steps]) == cut.expression
    assert given_up > 10


def test_a_reading_keeps_no_other_alive() -> None:
    readings = decode(Noise(3), ONE * 4, DecodingLimits(steps=40, depth=12))

    def memory(look: NDArray[np.float32]) -> int:
        return id(look if look.base is None else look.base)

    owned = [{memory(one.attention) for one in reading.steps} for reading in readings]
    assert len(set.union(*owned)) == sum(map(len, owned)) == len(readings)
