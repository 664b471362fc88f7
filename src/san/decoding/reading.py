"""What was read from one image: the tree, how sure each step was, and where it looked."""

from dataclasses import dataclass
from functools import cached_property

from san.decoding.choose import Choice, surety
from san.decoding.engine import Floats
from san.grammar.productions import Partner, Step, fold
from san.grammar.tree import Expression


@dataclass(frozen=True)
class ReadStep:
    """One step of a reading."""

    step: Step
    probability: float  # of the target
    relation_probabilities: tuple[float, ...]  # of the seven slots
    attention: Floats  # rows x columns
    alternatives: tuple[tuple[str, float], ...] = ()  # the most probable other symbols, best first

    @property
    def surety(self) -> float:
        """Probability of the whole step: its target and, for an E, its relations as decided."""
        return surety(self.probability, self.step.relations, self.relation_probabilities)


class Reading:
    """Steps in an order in which parents come first."""

    def __init__(self, steps: tuple[ReadStep, ...]) -> None:
        self._steps = steps

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
            product *= read.surety
        return product


def read_step(
    parent: int, partner: Partner, depth: int, choice: Choice, attention: Floats
) -> ReadStep:
    step = Step(parent, partner, choice.target, choice.opens, depth)
    chances = choice.relation_probabilities
    return ReadStep(step, choice.probability, chances, attention, choice.alternatives)
