"""What was read from one image: the tree, each step's probability, and its attention.

A `LazyReading` is still arrays; its steps become objects when somebody asks for them. Who reads
thousands of images mostly wants trees and probabilities. Names, probabilities of relations and
alternatives of every step would be most of the host's work, and hundreds of thousands of objects
that Python's garbage collector walks over again and again.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from san.decoding.decisions import RELATION_SETS, Choice, Numbers, named_choices, step_probability
from san.decoding.engine import Floats
from san.grammar.latex import to_latex
from san.grammar.productions import Partner, Step, fold, fold_columns, unfold
from san.grammar.tree import EMPTY, SLOT, Expression, Relation
from san.grammar.vocabulary import Vocabulary


@dataclass(frozen=True)
class ReadStep:
    """One step of a reading."""

    step: Step
    probability: float  # of the target
    relation_probabilities: tuple[float, ...]  # of the seven slots
    attention: Floats  # rows x columns
    alternatives: tuple[tuple[str, float], ...] = ()  # the most probable other symbols, best first

    @property
    def step_probability(self) -> float:
        """Probability of the whole step: its target and, for an E, its relations as decided."""
        return step_probability(self.probability, self.step.relations, self.relation_probabilities)


class Reading:
    """Steps in an order in which parents come first."""

    parses = True  # whether what the network wrote is an expression: SAN cannot write anything else
    cut = False  # whether a limit of steps or depth closed an end that would have gone on

    def __init__(self, steps: tuple[ReadStep, ...], cut: bool = False) -> None:
        self._steps, self.cut = steps, cut

    @property
    def steps(self) -> tuple[ReadStep, ...]:
        return self._steps

    @cached_property
    def expression(self) -> Expression:
        return fold([read.step for read in self.steps])

    @cached_property
    def probability(self) -> float:
        """Of the whole tree, as the network sees it."""
        product = 1.0
        for read in self.steps:
            product *= read.step_probability
        return product

    @property
    def step_count(self) -> int:
        return len(self.steps)

    @property
    def mean_probability(self) -> float:
        """Of a step: the geometric mean, which does not fall with a formula's length."""
        return float(self.probability ** (1 / max(self.step_count, 1)))

    @property
    def latex(self) -> str:
        """What was read, for a score: that of another decoder than SAN's need not be LaTeX."""
        return to_latex(self.expression)


class WholeReading(Reading):
    """A reading of a network that knows nothing of SAN's steps: a string, or triples.

    Its steps are those of its tree. Each has the mean probability, and none has an attention.
    """

    def __init__(self, expression: Expression | None, probability: float, text: str) -> None:
        self._expression, self._probability, self._text = expression, probability, text
        self.parses = expression is not None

    @property
    def expression(self) -> Expression:
        """The tree; the empty one where there is none."""
        return EMPTY if self._expression is None else self._expression

    @property
    def probability(self) -> float:
        return self._probability

    @property
    def latex(self) -> str:
        return to_latex(self.expression) if self.parses else self._text

    @cached_property
    def steps(self) -> tuple[ReadStep, ...]:
        steps = unfold(self.expression)
        each = self._probability ** (1 / len(steps))
        unseen = np.zeros((0, 0), np.float32)
        return tuple(
            ReadStep(step, each, tuple(float(r in step.relations) for r in SLOT), unseen)
            for step in steps
        )


def read_step(
    parent: int, partner: Partner, depth: int, choice: Choice, attention: Floats
) -> ReadStep:
    step = Step(parent, partner, choice.target, choice.opens, depth)
    chances = choice.relation_probabilities
    return ReadStep(step, choice.probability, chances, attention, choice.alternatives)


class StepColumns(NamedTuple):
    """The N steps of one image, as arrays."""

    steps: Numbers  # 5 x N: the fields of `Step`, each as its number; relations as bits
    symbols: Floats  # N x targets, before softmax
    relations: Floats  # N x 7, before sigmoid
    attention: Floats  # N x rows x columns


class LazyReading(Reading):
    def __init__(
        self, columns: StepColumns, probability: float, vocabulary: Vocabulary, cut: bool
    ) -> None:
        self._columns, self._probability, self._vocabulary = columns, probability, vocabulary
        self.cut = cut

    @cached_property
    def steps(self) -> tuple[ReadStep, ...]:
        numbers, symbols, relations, attention = self._columns
        choices = named_choices(symbols, relations, numbers[2], numbers[3], self._vocabulary)
        steps = map(Step, *self._step_fields())
        return tuple(
            ReadStep(
                step,
                choice.probability,
                choice.relation_probabilities,
                step_attention,
                choice.alternatives,
            )
            for step, choice, step_attention in zip(steps, choices, attention, strict=True)
        )

    @cached_property
    def expression(self) -> Expression:
        return fold_columns(*self._step_fields())

    @property
    def probability(self) -> float:
        return self._probability

    @property
    def step_count(self) -> int:
        return len(self._columns.symbols)

    def _step_fields(
        self,
    ) -> tuple[list[int], list[Partner], list[str], list[tuple[Relation, ...]], list[int]]:
        """The fields of the steps."""
        parents, partners, targets, opens, depths = self._columns.steps.tolist()
        targets_by_number = self._vocabulary.targets
        partners_by_number = self._vocabulary.partners
        return (
            parents,
            [partners_by_number[number] for number in partners],
            [targets_by_number[number] for number in targets],
            [RELATION_SETS[bits] for bits in opens],
            depths,
        )
