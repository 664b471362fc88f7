"""A reading that is still numbers: its steps are written out when somebody asks for them.

Who reads thousands of images mostly wants trees and probabilities. Names, probabilities of
relations and alternatives of every step would be most of the host's work, and hundreds of thousands
of objects that Python's garbage collector walks over again and again.
"""

from functools import cached_property
from typing import NamedTuple

from san.decoding.choose import SETS, Numbers, named
from san.decoding.engine import Floats
from san.decoding.reading import Reading, ReadStep
from san.grammar.productions import Partner, Step, fold_columns
from san.grammar.tree import Expression, Relation
from san.grammar.vocabulary import Vocabulary


class Columns(NamedTuple):
    """What the N steps of one image came to."""

    steps: Numbers  # 5 x N: the fields of `Step`, each as its number; relations as bits
    symbols: Floats  # N x targets, before softmax
    relations: Floats  # N x 7, before sigmoid
    attention: Floats  # N x rows x columns


class Unwritten(Reading):
    def __init__(self, columns: Columns, probability: float, vocabulary: Vocabulary) -> None:
        self._columns, self._probability, self._vocabulary = columns, probability, vocabulary

    @cached_property
    def steps(self) -> tuple[ReadStep, ...]:
        numbers, symbols, relations, attention = self._columns
        choices = named(symbols, relations, numbers[2], numbers[3], self._vocabulary)
        taken = map(Step, *self._taken())
        return tuple(
            ReadStep(
                step, choice.probability, choice.relation_probabilities, look, choice.alternatives
            )
            for step, choice, look in zip(taken, choices, attention, strict=True)
        )

    @cached_property
    def expression(self) -> Expression:
        return fold_columns(*self._taken())

    @property
    def probability(self) -> float:
        return self._probability

    def _taken(
        self,
    ) -> tuple[list[int], list[Partner], list[str], list[tuple[Relation, ...]], list[int]]:
        """The fields of the steps."""
        parents, partners, targets, opens, depths = self._columns.steps.tolist()
        names, given = self._vocabulary.targets, self._vocabulary.partners
        return (
            parents,
            [given[number] for number in partners],
            [names[number] for number in targets],
            [SETS[bits] for bits in opens],
            depths,
        )
