"""An engine that can be stopped between two steps, for a service with deadlines."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Engine, Floats, Memory, Outcome
from san.grammar.vocabulary import Vocabulary

CancelCheck = Callable[[], None]
"""Called before all that takes time; what it raises ends the reading."""


class KeepFirstReading(Exception):  # noqa: N818 - no error: what was read so far will do
    """Raised by a check to end the second pass alone: what was read before is the result."""


class CancellableEngine:
    """An engine that calls a check before each encoding and each step."""

    def __init__(self, engine: Engine, check: CancelCheck) -> None:
        self._engine, self._check = engine, check

    @property
    def vocabulary(self) -> Vocabulary:
        return self._engine.vocabulary

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        self._check()
        return self._engine.encode(images)

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        self._check()
        return self._engine.step(memory, image, hidden, path, partner)
