"""Chance for code that asks for one number at a time: drawn in blocks, since a call costs more."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Item = TypeVar("Item")

BLOCK = 128


class Dice:
    """Uniform numbers from a generator; as deterministic as that is."""

    __slots__ = ("_left", "rng")

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self._left: list[float] = []

    def roll(self) -> float:
        """A number in [0, 1)."""
        if not self._left:
            self._left = self.rng.random(BLOCK).tolist()
        return self._left.pop()

    def between(self, low: float, high: float) -> float:
        return low + (high - low) * self.roll()

    def about(self, spread: float) -> float:
        """A number around 0, bell-shaped, never beyond three times its deviation."""
        return (self.roll() + self.roll() + self.roll() - 1.5) * 2 * spread

    def pick(self, items: Sequence[Item]) -> Item:
        return items[int(self.roll() * len(items))]
