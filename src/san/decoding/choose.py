"""What one step may decide, from the two heads' numbers and the grammar.

- The symbol branch's best target is taken (eq. 7). If that is an E, every relation above one half
  that its symbol can carry is opened (eq. 8). An E that would open nothing is passed over for the
  best target that is none.
- Whoever asks for more than one choice gets that one first, and then the surest others: targets,
  and for an E each set of relations that its symbol can carry.
- Beyond the limits only the empty string is left: open ends are closed, and the tree stays legal.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.grammar.productions import EMPTY_STRING, EXTEND, MARKS, Partner, opened_by
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary

RELATIONS = tuple(Relation)
ALTERNATIVES = 5
"""Symbols that a step names besides the one that it takes."""


class Choice(NamedTuple):
    target: str
    opens: tuple[Relation, ...]
    probability: float  # of the target, among all targets
    relation_probabilities: tuple[float, ...]  # of all seven slots
    alternatives: tuple[tuple[str, float], ...] = ()  # the most probable other symbols, best first

    def partners(self) -> tuple[Partner, ...]:
        """The partners of the steps that follow."""
        if self.target == EXTEND:
            return self.opens
        return () if self.target == EMPTY_STRING else (self.target,)

    @property
    def surety(self) -> float:
        return surety(self.probability, self.opens, self.relation_probabilities)


def surety(probability: float, opens: Sequence[Relation], chances: Sequence[float]) -> float:
    """Probability of a whole step: its target and, for an E, its relations as decided."""
    if opens:
        for relation, chance in zip(RELATIONS, chances, strict=True):
            probability *= chance if relation in opens else 1 - chance
    return probability


def choose(
    symbols: Floats, relations: Floats, partner: Partner, vocabulary: Vocabulary, closing: bool
) -> Choice:
    """The choice of one step. `closing`: a limit is reached, so the chain must end here."""
    return choices(symbols, relations, partner, vocabulary, closing, 1)[0]


def choices(
    symbols: Floats,
    relations: Floats,
    partner: Partner,
    vocabulary: Vocabulary,
    closing: bool,
    most: int,
) -> tuple[Choice, ...]:
    """What `choose` takes, and behind it the surest others, at most so many in all."""
    odds, chances = _softmax(symbols), _sigmoid(relations)
    ranked = np.argsort(-odds, kind="stable")
    targets = [vocabulary.targets[number] for number in ranked[: max(most, ALTERNATIVES) + 3]]
    probability = {target: float(odds[vocabulary.number(target)]) for target in targets}
    probability[EMPTY_STRING] = float(odds[vocabulary.number(EMPTY_STRING)])
    named = [target for target in targets if target not in MARKS][: ALTERNATIVES + 1]

    def choice(target: str, opens: tuple[Relation, ...] = ()) -> Choice:
        others = [(name, probability[name]) for name in named if name != target]
        return Choice(target, opens, probability[target], chances, tuple(others[:ALTERNATIVES]))

    if closing:
        return (choice(EMPTY_STRING),)
    allowed = opened_by(EXTEND, partner)
    likely = tuple(r for r, c in zip(RELATIONS, chances, strict=True) if c > 0.5 and r in allowed)
    first = next(target for target in targets if target != EXTEND or likely)
    taken = (first, likely if first == EXTEND else ())
    if most == 1:
        return (choice(*taken),)
    rest: list[tuple[str, tuple[Relation, ...]]] = []
    for target in targets[: most + 1]:  # one of them may be an E that is less sure than it looks
        rest += (
            [(EXTEND, opens) for opens in _sets(allowed)] if target == EXTEND else [(target, ())]
        )
    sure = {one: surety(probability[one[0]], one[1], chances) for one in rest if one != taken}
    best = sorted(sure, key=sure.__getitem__, reverse=True)[: most - 1]
    return tuple(choice(*one) for one in (taken, *best))


def _sets(allowed: Sequence[Relation]) -> Iterator[tuple[Relation, ...]]:
    """What an E may open: at least one of five relations or fewer, so there are 31 sets at most."""
    for size in range(1, len(allowed) + 1):
        yield from combinations(allowed, size)


def _softmax(scores: Floats) -> NDArray[np.float64]:
    """Probabilities, whatever the numbers are."""
    finite = np.nan_to_num(scores.astype(np.float64), nan=-np.inf, posinf=1e30, neginf=-np.inf)
    finite = np.where(np.isneginf(finite), -1e30, finite)
    odds = np.exp(finite - finite.max())
    return np.asarray(odds / odds.sum())


def _sigmoid(scores: Floats) -> tuple[float, ...]:
    finite = np.nan_to_num(scores.astype(np.float64), nan=-np.inf)
    return tuple((1 / (1 + np.exp(-np.clip(finite, -60, 60)))).tolist())
