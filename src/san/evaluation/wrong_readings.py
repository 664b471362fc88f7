"""A gallery of wrong readings: the shortest ones, and no more are kept in memory than wanted.

An error in `x + 1` says more about a network than one in forty
symbols, and is understood at once.
"""

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import NamedTuple

from san.decoding import Reading
from san.decoding.engine import Floats
from san.decoding.reading import ReadStep
from san.evaluation.compare import Comparison, differing
from san.evaluation.read import Pixels
from san.grammar import Expression
from san.grammar.productions import MARKS, Step
from san.grammar.tree import NOTHING, Relation
from san.model.spec import STRIDE


class ShownStep(NamedTuple):
    """One step of a reading."""

    step: Step
    step_probability: float
    attention: Floats  # rows x columns of cells, those of the picture alone
    wrong: bool  # a symbol that the label has not, or not there


@dataclass(frozen=True)
class WrongReading:
    """A picture, what is written in it and what was read."""

    id: str
    label: str
    pixels: Pixels
    reading: Reading
    comparison: Comparison

    @cached_property
    def rank(self) -> tuple[float, float, str]:
        truth = self.comparison.truth
        return (inf if truth is None else len(truth), -self.comparison.edits, self.id)

    def shown_steps(self) -> Iterator[ShownStep]:
        """The steps in reading order, whatever the order in which they were taken."""
        steps = _depth_first(self.reading.steps)
        wrong = iter(self._wrong_symbols())
        rows, columns = (-(-side // STRIDE) for side in self.pixels.shape)
        for read in steps:
            is_wrong = read.step.target not in MARKS and next(wrong, False)
            yield ShownStep(
                read.step, read.step_probability, read.attention[:rows, :columns], is_wrong
            )

    def _wrong_symbols(self) -> list[bool]:
        """For each symbol that was read."""
        truth, guess = self.comparison.truth, self.comparison.guess
        if truth is None or guess is None:
            return []
        read = _symbols(guess)
        wrong = differing(_symbols(truth), read)[1]
        return [place in wrong for place in range(len(read))]


class Gallery:
    """Takes errors one by one and keeps the first `size` of them in the order of their rank."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.offered = 0
        self._kept: list[WrongReading] = []

    def offer(self, wrong: WrongReading) -> None:
        self.offered += 1
        insort(self._kept, wrong, key=lambda kept: kept.rank)
        del self._kept[self.size :]

    def __iter__(self) -> Iterator[WrongReading]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)


def _symbols(expression: Expression) -> list[tuple[str, Relation | None]]:
    return [
        (visit.symbol.name, visit.relation)
        for visit in expression.walk()
        if visit.symbol.name != NOTHING
    ]


def _depth_first(steps: Sequence[ReadStep]) -> Iterator[ReadStep]:
    children: dict[int, list[int]] = {}
    for index, read in enumerate(steps):
        children.setdefault(read.step.parent, []).append(index)
    pending = children.get(-1, [])[::-1]
    while pending:
        index = pending.pop()
        yield steps[index]
        pending += reversed(children.get(index, []))
