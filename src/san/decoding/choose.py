"""What one step decides, from the two heads' numbers and the grammar.

- The symbol branch's best target is taken (eq. 7). If that is an E, every relation above one half
  that its symbol can carry is opened (eq. 8). An E that would open nothing is passed over for the
  best target that is none.
- Beyond the limits only the empty string is left: open ends are closed, and the tree stays legal.
"""

from typing import NamedTuple

import numpy as np

from san.decoding.engine import Floats
from san.grammar.productions import EMPTY_STRING, EXTEND, Partner, opened_by
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary

RELATIONS = tuple(Relation)


class Choice(NamedTuple):
    target: str
    opens: tuple[Relation, ...]
    probability: float  # of the target, among all targets
    relation_probabilities: tuple[float, ...]  # of all seven slots

    def partners(self) -> tuple[Partner, ...]:
        """The partners of the steps that follow."""
        if self.target == EXTEND:
            return self.opens
        return () if self.target == EMPTY_STRING else (self.target,)


def choose(
    symbols: Floats, relations: Floats, partner: Partner, vocabulary: Vocabulary, closing: bool
) -> Choice:
    """The choice of one step. `closing`: a limit is reached, so the chain must end here."""
    finite = np.nan_to_num(symbols.astype(np.float64), nan=-np.inf, posinf=1e30, neginf=-np.inf)
    finite = np.where(np.isneginf(finite), -1e30, finite)
    odds = np.exp(finite - finite.max())
    odds /= odds.sum()
    scores = np.nan_to_num(relations.astype(np.float64), nan=-np.inf)
    chances = tuple((1 / (1 + np.exp(-np.clip(scores, -60, 60)))).tolist())
    number = vocabulary.number
    target = EMPTY_STRING if closing else vocabulary.targets[int(odds.argmax())]
    opens: tuple[Relation, ...] = ()
    if target == EXTEND:
        allowed = opened_by(EXTEND, partner)
        opens = tuple(
            r for r, chance in zip(RELATIONS, chances, strict=True) if chance > 0.5 and r in allowed
        )
        if not opens:
            others = odds.copy()
            others[number(EXTEND)] = -1.0
            target = vocabulary.targets[int(others.argmax())]
    return Choice(target, opens, float(odds[number(target)]), chances)
