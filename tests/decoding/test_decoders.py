"""Both decoders over an engine of noise: whatever the numbers, the same legal trees."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from san.decoding import DecodingLimits, Engine, Reading, decode
from san.decoding.beam import decode_beam
from san.decoding.stack import decode_by_stack, decode_stacks
from san.grammar import parse
from san.grammar.productions import fold, unfold
from san.grammar.vocabulary import Vocabulary
from tests.decoding.noise import GRID, ONE, VOCABULARY, Noise

Decoder = Callable[[Engine, Sequence[NDArray[np.generic]], DecodingLimits], list[Reading]]


def _first_of_beam(
    engine: Engine, images: Sequence[NDArray[np.generic]], limits: DecodingLimits
) -> list[Reading]:
    return [readings[0] for readings in decode_beam(engine, images, 1, limits)]


def check(engine: Engine) -> None:
    assert isinstance(engine.vocabulary, Vocabulary)


def test_noise_is_an_engine() -> None:
    check(Noise(0))


@pytest.mark.slow
def test_frontier_and_stack_read_the_same() -> None:
    long = 0
    for seed in range(125):
        engine = Noise(seed)
        ours = decode(engine, ONE * 4, DecodingLimits(steps=10_000, depth=10))
        theirs = decode_by_stack(engine, ONE * 4, DecodingLimits(steps=10_000, depth=10))
        for mine, reference in zip(ours, theirs, strict=True):
            assert mine.expression == reference.expression
            assert mine.probability == pytest.approx(reference.probability)
            long += len(mine.steps) > 5
    assert long > 100


@pytest.mark.parametrize("read", [decode, decode_by_stack])
@pytest.mark.slow
def test_reading_ends_and_is_legal(read: object) -> None:
    assert callable(read)
    for seed in range(40):
        limits = DecodingLimits(steps=60, depth=25)
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


@pytest.mark.parametrize("read", [decode, decode_by_stack, decode_stacks, _first_of_beam])
def test_a_reading_knows_that_a_limit_cut_it(read: Decoder) -> None:
    cut, deep = 0, 0
    for seed in range(20):
        whole = read(Noise(seed), ONE * 2, DecodingLimits(steps=1_000, depth=100))
        if any(reading.cut for reading in whole):
            continue
        for limit in (3, 6):
            short = read(Noise(seed), ONE * 2, DecodingLimits(steps=limit, depth=100))
            fits = [len(reading.steps) <= limit for reading in whole]
            assert [not reading.cut for reading in short] == fits
            cut += fits.count(False)
            flat = read(Noise(seed), ONE * 2, DecodingLimits(steps=1_000, depth=limit))
            depths = [1 + max(one.step.depth for one in reading.steps) for reading in whole]
            assert [reading.cut for reading in flat] == [depth > limit for depth in depths]
            deep += sum(depth > limit for depth in depths)
    assert cut > 10
    assert deep > 10


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_still_give_a_tree(value: float) -> None:
    engine = Noise(0)
    engine.symbol[:] = value
    engine.relation[:] = value
    reading = decode(engine, ONE, DecodingLimits(steps=30, depth=20))[0]
    assert len(reading.steps) <= 30
    assert reading.expression is not None


def test_an_e_that_opens_nothing_is_passed_over() -> None:
    engine = Noise(1)
    engine.symbol[:] = 0
    engine.bias[:] = 0
    engine.bias[1], engine.bias[VOCABULARY.number("x")] = 5.0, 4.0
    engine.relation[:] = 0  # no relation is above one half
    reading = decode(engine, ONE, DecodingLimits(steps=4, depth=9))[0]
    assert reading.expression == parse("x x x")
