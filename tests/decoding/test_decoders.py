"""Both decoders over an engine of noise: whatever the numbers, the same legal trees."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from san.decoding import Engine, Limits, Memory, decode
from san.decoding.engine import Floats, Outcome
from san.decoding.stack import decode_by_stack
from san.grammar import parse
from san.grammar.productions import fold, unfold
from san.grammar.vocabulary import Vocabulary

VOCABULARY = Vocabulary(("+", "1", "2", r"\frac", r"\sqrt", r"\sum", r"\hat", "x", "y"))
HIDDEN, GRID = 12, (2, 3)
ONE = [np.zeros((16, 16), np.float32)]


class Noise:
    """A random recurrent network; `ending` is how much it likes to stop."""

    vocabulary = VOCABULARY

    def __init__(self, seed: int, ending: float = 2.0) -> None:
        rng = np.random.default_rng(seed)
        self.first = rng.normal(size=(4, HIDDEN)).astype(np.float32)
        self.turn = rng.normal(size=(HIDDEN, HIDDEN)).astype(np.float32)
        self.embedding = rng.normal(size=(len(VOCABULARY.partners), HIDDEN)).astype(np.float32)
        self.look = rng.normal(size=(HIDDEN, GRID[0] * GRID[1])).astype(np.float32)
        self.back = rng.normal(size=(GRID[0] * GRID[1], HIDDEN)).astype(np.float32)
        self.symbol = rng.normal(size=(HIDDEN, len(VOCABULARY.targets))).astype(np.float32) * 2
        self.relation = rng.normal(size=(HIDDEN, 7)).astype(np.float32)
        self.bias = np.zeros(len(VOCABULARY.targets), np.float32)
        self.bias[:2] = ending, 1.0

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        count = len(images)
        return Memory(None, self.first[:count], np.zeros((count, *GRID), np.float32))

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        # Row by row, so that the arithmetic does not depend on how many steps are asked at once.
        rows = [self._one(*row) for row in zip(hidden, path, partner, strict=True)]
        return Outcome(*(np.stack(part) for part in zip(*rows, strict=True)))

    def _one(self, hidden: Floats, path: Floats, partner: int) -> tuple[Floats, ...]:
        new = np.tanh(hidden @ self.turn + self.embedding[partner] + path.ravel() @ self.back)
        weights = np.exp(new @ self.look)
        weights /= weights.sum()
        return (
            new @ self.symbol + self.bias,
            new @ self.relation,
            new,
            path + weights.reshape(GRID),
        )


def check(engine: Engine) -> None:
    assert isinstance(engine.vocabulary, Vocabulary)


def test_noise_is_an_engine() -> None:
    check(Noise(0))


def test_frontier_and_stack_read_the_same() -> None:
    long = 0
    for seed in range(125):
        engine = Noise(seed)
        ours = decode(engine, ONE * 4, Limits(steps=10_000, depth=10))
        theirs = decode_by_stack(engine, ONE * 4, Limits(steps=10_000, depth=10))
        for mine, reference in zip(ours, theirs, strict=True):
            assert mine.expression == reference.expression
            assert mine.probability == pytest.approx(reference.probability)
            long += len(mine.steps) > 5
    assert long > 100


@pytest.mark.parametrize("read", [decode, decode_by_stack])
def test_reading_ends_and_is_legal(read: object) -> None:
    assert callable(read)
    for seed in range(40):
        limits = Limits(steps=60, depth=25)
        for reading in read(Noise(seed, ending=-9.0), ONE * 2, limits):
            assert len(reading.steps) <= limits.steps
            assert max(one.step.depth for one in reading.steps) < limits.depth
            again = fold(unfold(reading.expression))
            assert again == reading.expression
            for one in reading.steps:
                assert 0.0 <= one.probability <= 1.0
                assert all(0.0 <= chance <= 1.0 for chance in one.relation_probabilities)
                assert one.attention.shape == GRID
                assert one.attention.sum() == pytest.approx(1.0, abs=1e-3)


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_still_give_a_tree(value: float) -> None:
    engine = Noise(0)
    engine.symbol[:] = value
    engine.relation[:] = value
    reading = decode(engine, ONE, Limits(steps=30, depth=20))[0]
    assert len(reading.steps) <= 30
    assert reading.expression is not None


def test_an_e_that_opens_nothing_is_passed_over() -> None:
    engine = Noise(1)
    engine.symbol[:] = 0
    engine.bias[:] = 0
    engine.bias[1], engine.bias[VOCABULARY.number("x")] = 5.0, 4.0
    engine.relation[:] = 0  # no relation is above one half
    reading = decode(engine, ONE, Limits(steps=4, depth=9))[0]
    assert reading.expression == parse("x x x")
