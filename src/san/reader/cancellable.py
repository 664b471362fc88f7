"""An engine under somebody's eyes: whoever serves many ends what takes too long, or is not wanted
any more, between two steps."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Engine, Floats, Memory, Outcome
from san.grammar.vocabulary import Vocabulary

Watch = Callable[[], None]
"""Called before all that takes time; what it raises ends the reading, and `Enough` the looks that
follow the first."""


class Enough(Exception):  # noqa: N818 - no error: what was read so far will do
    """Raised by a watch that would rather have a first reading than none."""


class Watched:
    """An engine."""

    def __init__(self, engine: Engine, watch: Watch) -> None:
        self._engine, self._watch = engine, watch

    @property
    def vocabulary(self) -> Vocabulary:
        return self._engine.vocabulary

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        self._watch()
        return self._engine.encode(images)

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        self._watch()
        return self._engine.step(memory, image, hidden, path, partner)
