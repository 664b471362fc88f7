"""String decoding: token after token, greedily or by beam search, for a batch of images at once.

- An engine of strings keeps whatever a prefix has come to as rows of its own; hypotheses are rows,
  and choosing among them is indexing.
- As in the papers of DWAP and BTTR, a beam loses a place to each string that is done, and of those
  that are done the best mean logarithm of a token's probability wins, the end mark counted.
- Whatever the weights, decoding ends: at the limit of steps every string is closed, and before it
  one that is hopeless: a network that has learnt nothing need not fill page after page.
- A string that is no LaTeX is a reading that says so (`san.decoding.reading.WholeReading`).
"""

from collections.abc import Sequence
from math import exp, log
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from san.decoding.decisions import Numbers
from san.decoding.engine import Engine, Floats, Memory, Rows
from san.decoding.reading import Reading, WholeReading
from san.grammar.productions import EMPTY_STRING, EXTEND, START
from san.grammar.strings import string_tree
from san.grammar.vocabulary import Vocabulary

MIN_PROBABILITY = 1e-20
"""Of a string; one that is less probable is closed where it is."""
MIN_LOGARITHM = -1e9
"""Stands for the logarithm of nothing; finite, so that sums of it can be compared."""


class StringEngine(Protocol):
    """A network that continues strings."""

    @property
    def vocabulary(self) -> Vocabulary: ...

    def begin(self, memory: Memory) -> tuple[int, Any]:
        """The number of the token before the first, and a row of state for each image."""
        ...

    def extend(
        self, memory: Memory, image: Numbers, state: Any, token: Numbers
    ) -> tuple[Floats, Any]:
        """Scores of the next tokens (N x targets, before softmax) after N tokens, and N states."""
        ...

    def choose(self, state: Any, rows: Numbers) -> Any:
        """The states of some rows."""
        ...


class String(NamedTuple):
    """A string that is done, or was closed."""

    tokens: tuple[int, ...]  # without the end mark
    score: float  # logarithm of its probability

    @property
    def merit(self) -> float:
        return self.score / (len(self.tokens) + 1)


def decode_strings(
    engine: StringEngine, memory: Memory, images: int, max_tokens: int, width: int = 1
) -> list[list[String]]:
    """For each image the strings that its beam comes to, the best first; at least one.

    Args:
        engine: the network.
        memory: its images, encoded.
        images: how many there are.
        max_tokens: of a string.
        width: of the beam; 1 is greedy.
    """
    number = engine.vocabulary.number
    end, never = number(EMPTY_STRING), number(EXTEND)
    start, state = engine.begin(memory)
    done: list[list[String]] = [[] for _ in range(images)]
    prefixes: list[tuple[int, ...]] = [()] * images
    image, score = np.arange(images), np.zeros(images)
    token = np.full(images, start)
    for length in range(max_tokens + 1):
        if not len(image):
            break
        scores, state = engine.extend(memory, image, state, token)
        gains = log_softmax(scores)
        gains[:, never] = -np.inf
        closed = np.full(len(image), length == max_tokens) | (score < log(MIN_PROBABILITY))
        gains[np.ix_(closed, np.arange(gains.shape[1]) != end)] = -np.inf
        rows: list[int] = []
        chosen: list[int] = []
        sums: list[float] = []
        for at in np.unique(image).tolist():
            own = np.flatnonzero(image == at)
            total = (score[own, None] + gains[own]).ravel()
            for place in _largest(total, width - len(done[at])):
                row, following = int(own[place // gains.shape[1]]), place % gains.shape[1]
                if not np.isfinite(total[place]):
                    continue
                if following == end:
                    done[at].append(String(prefixes[row], float(total[place])))
                else:
                    rows.append(row)
                    chosen.append(following)
                    sums.append(float(total[place]))
        prefixes = [(*prefixes[row], next_) for row, next_ in zip(rows, chosen, strict=True)]
        kept = np.array(rows, np.int64)
        image, score, token = image[kept], np.array(sums), np.array(chosen, np.int64)
        state = engine.choose(state, kept)
    return [sorted(strings, key=lambda string: -string.merit) for strings in done]


def _largest(values: NDArray[np.float64], count: int) -> list[int]:
    """The places of the largest values, the largest first."""
    if count == 1:
        return [int(values.argmax())]
    count = min(count, len(values))
    places = np.argpartition(-values, count - 1)[:count]
    return [int(place) for place in places[np.argsort(-values[places], kind="stable")]]


def log_softmax(scores: Floats) -> NDArray[np.float64]:
    """Of each row; what is no number counts as next to impossible."""
    finite = np.nan_to_num(scores.astype(np.float64), nan=MIN_LOGARITHM, posinf=1e9, neginf=-1e9)
    shifted = finite - finite.max(1, keepdims=True)
    logarithms: NDArray[np.float64] = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    return np.maximum(logarithms, MIN_LOGARITHM)


def string_reading(string: String, vocabulary: Vocabulary) -> Reading:
    """A string as a reading."""
    tokens = [vocabulary.targets[number] for number in string.tokens]
    return WholeReading(string_tree(tokens), exp(min(string.score, 0.0)), " ".join(tokens))


class ChainEngine:
    """DWAP: an engine of steps, each of which follows the one before."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @property
    def vocabulary(self) -> Vocabulary:
        return self.engine.vocabulary

    def begin(self, memory: Memory) -> tuple[int, tuple[Rows, Rows]]:
        return self.vocabulary.number(START), (memory.hidden, memory.path)

    def extend(
        self, memory: Memory, image: Numbers, state: tuple[Rows, Rows], token: Numbers
    ) -> tuple[Floats, tuple[Rows, Rows]]:
        outcome = self.engine.step(memory, image, *state, token)
        return outcome.symbols, (outcome.hidden, outcome.path)

    def choose(self, state: tuple[Rows, Rows], rows: Numbers) -> tuple[Rows, Rows]:
        hidden, path = state
        return hidden[rows], path[rows]


def read_strings(
    engine: StringEngine, memory: Memory, images: int, max_tokens: int, width: int = 1
) -> list[list[Reading]]:
    """For each image its readings, the best first."""
    found = decode_strings(engine, memory, images, max_tokens, width)
    return [readings_of(strings, engine.vocabulary) for strings in found]


def readings_of(strings: Sequence[String], vocabulary: Vocabulary) -> list[Reading]:
    """In the order of the strings; of those that draw the same the first."""
    readings: dict[object, Reading] = {}
    for string in strings:
        reading = string_reading(string, vocabulary)
        readings.setdefault(reading.expression if reading.parses else string, reading)
    return list(readings.values())
