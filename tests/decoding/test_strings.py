"""Strings, token after token, of whatever weights."""

from itertools import product
from math import log

import numpy as np
import pytest
from numpy.typing import NDArray

from san.decoding.engine import Floats, Memory, Outcome
from san.decoding.strings import ChainEngine, String, decode_strings, log_softmax, read_strings
from san.grammar.productions import EMPTY_STRING, EXTEND, START
from san.grammar.strings import TokenVocabulary
from tests.decoding.noise import GRID, HIDDEN, ONE

VOCABULARY = TokenVocabulary(("1", "x"))
END, NEVER = VOCABULARY.number(EMPTY_STRING), VOCABULARY.number(EXTEND)


class NoisyTokens:
    """A random recurrent network over tokens; `ending` is how much it likes to stop."""

    vocabulary = VOCABULARY

    def __init__(self, seed: int, ending: float = 0.0, scale: float = 1.0) -> None:
        rng = np.random.default_rng(seed)
        partners, targets = len(VOCABULARY.partners), len(VOCABULARY.targets)
        self.turn = rng.normal(size=(HIDDEN, HIDDEN)).astype(np.float32)
        self.embedding = rng.normal(size=(partners, HIDDEN)).astype(np.float32)
        self.symbol = scale * rng.normal(size=(HIDDEN, targets)).astype(np.float32)
        self.bias = np.zeros(targets, np.float32)
        self.bias[END] = ending

    def encode(self, images: list[NDArray[np.float32]]) -> Memory:
        first = np.linspace(-1, 1, len(images) * HIDDEN, dtype=np.float32)
        path = np.zeros((len(images), *GRID), np.float32)
        return Memory(None, first.reshape(len(images), HIDDEN), path)

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        new = np.tanh(hidden @ self.turn + self.embedding[partner])
        none = np.zeros((len(image), 0), np.float32)
        return Outcome(new @ self.symbol + self.bias, none, new, path)


def strings(engine: NoisyTokens, images: int, tokens: int, width: int = 1) -> list[list[String]]:
    memory = engine.encode(ONE * images)
    return decode_strings(ChainEngine(engine), memory, images, tokens, width)


@pytest.mark.parametrize("seed", range(4))
def test_greedy_takes_the_best_token_each_time(seed: int) -> None:
    engine = NoisyTokens(seed, ending=0.5)
    for image, found in enumerate(strings(engine, 3, 12)):
        memory = engine.encode(ONE * 3)
        hidden, token, score = memory.hidden[image : image + 1], VOCABULARY.number(START), 0.0
        tokens: list[int] = []
        while len(tokens) < 12:
            out = engine.step(memory, np.zeros(1, int), hidden, memory.path[:1], np.array([token]))
            gains = log_softmax(out.symbols)[0]
            gains[NEVER] = -np.inf
            hidden, token = out.hidden, int(gains.argmax())
            score += gains[token]
            if token == END:
                break
            tokens.append(token)
        assert [string.tokens for string in found] == [tuple(tokens)]
        if token == END:
            assert found[0].score == pytest.approx(score)


def test_a_wide_beam_finds_the_most_probable_string() -> None:
    engine, tokens = NoisyTokens(3, ending=1.0), 2
    writable = [n for n in range(len(VOCABULARY.targets)) if n not in (END, NEVER)]
    found = strings(engine, 1, tokens, width=len(writable) ** 2 * 2)[0]
    memory = engine.encode(ONE)
    expected: dict[tuple[int, ...], float] = {}
    for length in range(tokens + 1):
        for string in product(writable, repeat=length):
            hidden, score = memory.hidden, 0.0
            for given, wanted in zip(
                (VOCABULARY.number(START), *string), (*string, END), strict=True
            ):
                out = engine.step(memory, np.zeros(1, int), hidden, memory.path, np.array([given]))
                hidden, score = out.hidden, score + log_softmax(out.symbols)[0][wanted]
            expected[string] = score
    assert len(found) == len(expected)
    assert {string.tokens: string.score for string in found} == pytest.approx(expected)
    assert [string.merit for string in found] == sorted((s.merit for s in found), reverse=True)


@pytest.mark.parametrize("width", [1, 3, 10])
@pytest.mark.parametrize(("ending", "scale"), [(-50.0, 1.0), (0.0, 1e6), (0.0, np.nan)])
def test_whatever_the_weights_an_answer_comes(width: int, ending: float, scale: float) -> None:
    for found in strings(NoisyTokens(5, ending, scale), 4, 9, width):
        assert 1 <= len(found) <= width
        assert all(len(string.tokens) <= 9 for string in found)
        assert all(np.isfinite(string.score) for string in found)
        assert not any({END, NEVER} & set(string.tokens) for string in found)


def test_a_hopeless_string_is_not_written_to_its_end() -> None:
    (found,) = strings(NoisyTokens(5, ending=-30.0, scale=0.01), 1, 400)
    # A dozen tokens are about as probable: 1e-20 is reached after about 18 of them.
    assert 15 < len(found[0].tokens) < 22
    assert found[0].score < log(1e-20)


def test_images_do_not_disturb_each_other() -> None:
    engine = NoisyTokens(7, ending=0.5)
    memory = engine.encode(ONE * 4)
    together = decode_strings(ChainEngine(engine), memory, 4, 10, 4)
    for image in range(4):
        alone = Memory(None, memory.hidden[image : image + 1], memory.path[:1])
        (found,) = decode_strings(ChainEngine(engine), alone, 1, 10, 4)
        assert [string.tokens for string in found] == [s.tokens for s in together[image]]


def test_a_string_that_is_no_latex_is_a_reading_of_nothing() -> None:
    readings = [
        reading
        for seed in range(6)
        for found in read_strings(
            ChainEngine(NoisyTokens(seed, 1.0)), NoisyTokens(seed).encode(ONE), 1, 8, 6
        )
        for reading in found
    ]
    broken = [reading for reading in readings if not reading.parses]
    assert 0 < len(broken) < len(readings)
    for reading in broken:
        assert not reading.expression
        assert reading.latex
        assert len(reading.steps) == 1
    for reading in readings:
        assert 0 <= reading.probability <= 1
