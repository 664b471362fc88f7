"""Random numbers one at a time: drawn in blocks, since a call of numpy's generator is slow."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")

BLOCK_SIZE = 128
"""Numbers drawn at a time. No knob: with another a seed would give other samples."""


class RandomStream:
    """Uniform numbers from a generator; as deterministic as that is."""

    __slots__ = ("_block", "generator")

    def __init__(self, generator: np.random.Generator) -> None:
        self.generator = generator
        self._block: list[float] = []

    def uniform(self) -> float:
        """A number in [0, 1)."""
        if not self._block:
            self._block = self.generator.random(BLOCK_SIZE).tolist()
        return self._block.pop()

    def between(self, low: float, high: float) -> float:
        return low + (high - low) * self.uniform()

    def bell(self, spread: float) -> float:
        """A number around 0, bell-shaped, never beyond three times its deviation."""
        return (self.uniform() + self.uniform() + self.uniform() - 1.5) * 2 * spread

    def deviations(self, *shape: int, limit: float) -> NDArray[np.float32]:
        """An array of normal numbers of deviation 1, none beyond `limit`."""
        normal = self.generator.standard_normal(shape, np.float32)
        return normal.clip(-limit, limit)

    def choice(self, items: Sequence[Item]) -> Item:
        return items[int(self.uniform() * len(items))]
