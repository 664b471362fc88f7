"""An engine of noise: it stands for any weights whatever."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from san.decoding import Memory
from san.decoding.engine import Floats, Outcome
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
        self.keys = rng.normal(size=(HIDDEN, GRID[0] * GRID[1])).astype(np.float32)
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
        weights = np.exp(new @ self.keys)
        weights /= weights.sum()
        return (
            new @ self.symbol + self.bias,
            new @ self.relation,
            new,
            path + weights.reshape(GRID),
        )
