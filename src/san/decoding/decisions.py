"""Decides steps from the scores of the two heads and the grammar: many steps at once, as arrays.

- The symbol branch's best target is taken (eq. 7). If that is an E, every relation above one half
  that its symbol can carry is opened (eq. 8). An E that would open nothing is passed over for the
  best target that is none.
- Whoever asks for more than one choice gets that one first, and then the surest others: targets,
  and for an E each set of relations that its symbol can carry.
- Beyond the limits only the empty string is left: open ends are closed, and the tree stays legal.
- Decisions are numbers, as the vocabulary counts, and are made on the scores as they are: softmax
  and sigmoid change no order. Probabilities and names are for who asks, of many steps in one go.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.grammar.productions import EMPTY_STRING, EXTEND, Partner, opened_by
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary

RELATIONS = tuple(Relation)
RELATION_SETS = tuple(
    tuple(relation for slot, relation in enumerate(RELATIONS) if bits >> slot & 1)
    for bits in range(1 << len(RELATIONS))
)
"""All sets of relations, by their bits."""
MAX_ALTERNATIVES = 5
"""Symbols that a step names besides the one that it takes."""
EMPTY_NUMBER, EXTEND_NUMBER, FIRST_SYMBOL = 0, 1, 2
"""The vocabulary's first numbers: symbols come behind the two marks."""
MAX_SCORE = 1e30
"""Stands for numbers that are none: softmax can still subtract it."""
CACHED_ROWS = 256
"""Of scores: half a megabyte, which a core keeps while softmax goes over it a few times."""

Doubles = NDArray[np.float64]
Numbers = NDArray[np.int64]


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
    def step_probability(self) -> float:
        return step_probability(self.probability, self.opens, self.relation_probabilities)


def step_probability(
    probability: float, opens: Sequence[Relation], chances: Sequence[float]
) -> float:
    """Probability of a whole step: its target and, for an E, its relations as decided."""
    if opens:
        for relation, chance in zip(RELATIONS, chances, strict=True):
            probability *= chance if relation in opens else 1 - chance
    return probability


class Decisions(NamedTuple):
    """What N steps decide."""

    symbols: Floats  # N x targets, before softmax
    relations: Floats  # N x 7, before sigmoid
    target: Numbers  # N
    opens: NDArray[np.bool_]  # N x 7, none but for an E

    def following(self) -> Numbers:
        """How many steps follow from each."""
        return np.asarray(self.opens.sum(1) + (self.target >= FIRST_SYMBOL))

    def closed(self, ends: NDArray[np.bool_]) -> "Decisions":
        """The same, but for the steps that a limit ends here."""
        target = np.where(ends, EMPTY_NUMBER, self.target)
        return self._replace(target=target, opens=self.opens & ~ends[:, None])

    def partners(self, vocabulary: Vocabulary) -> tuple[Numbers, Numbers]:
        """The steps that follow, in order: for each the row that it follows from, its partner."""
        goes_on = (self.target >= FIRST_SYMBOL)[:, None]
        row, way = np.nonzero(np.concatenate((self.opens, goes_on), 1))
        relation = vocabulary.number(RELATIONS[0]) + way
        return row, np.where(way < len(RELATIONS), relation, self.target[row])

    def bits(self) -> Numbers:
        """What each opens, as a place in `RELATION_SETS`."""
        return np.asarray(self.opens @ (1 << np.arange(len(RELATIONS))))

    def step_probabilities(self) -> Doubles:
        """Probabilities of the whole steps."""
        sure = np.empty(len(self.target))
        for start in range(0, len(sure), CACHED_ROWS):
            part = slice(start, start + CACHED_ROWS)
            sure[part] = _of_target(_softmax(self.symbols[part]), self.target[part])
        extends = self.opens.any(1)
        chances = _sigmoid(self.relations[extends])
        for opened, chance in zip(self.opens[extends].T, chances.T, strict=True):
            sure[extends] *= np.where(opened, chance, 1 - chance)
        return sure

    def choices(self, vocabulary: Vocabulary) -> list[Choice]:
        """All of it by name."""
        return named_choices(self.symbols, self.relations, self.target, self.bits(), vocabulary)


def decide(
    symbols: Floats, relations: Floats, partner: Numbers, vocabulary: Vocabulary
) -> Decisions:
    """What N steps decide: the heads' N x targets and N x 7, the partners' numbers."""
    opens = (relations > 0) & _allowed_relations(vocabulary)[partner]  # a score > 0: more than half
    target = np.fmax(symbols, -MAX_SCORE).argmax(1)
    idle = (target == EXTEND_NUMBER) & ~opens.any(1)
    if idle.any():
        others = _softmax(symbols[idle])
        others[:, EXTEND_NUMBER] = -1
        target[idle] = others.argmax(1)
    opens &= (target == EXTEND_NUMBER)[:, None]
    return Decisions(symbols, relations, target, opens)


def named_choices(
    symbols: Floats, relations: Floats, target: Numbers, bits: Numbers, vocabulary: Vocabulary
) -> list[Choice]:
    """What N steps decided, with all that is known of it, by name."""
    probabilities, names = _softmax(symbols), vocabulary.targets
    numbers = (target, bits, _of_target(probabilities, target), _sigmoid(relations))
    columns = [column.tolist() for column in numbers]
    return [
        Choice(
            names[number],
            RELATION_SETS[opens],
            likely,
            tuple(chances),
            _alternatives(best, number, names),
        )
        for number, opens, likely, chances, best in zip(
            *columns, _best_symbols(probabilities), strict=True
        )
    ]


def choose(
    symbols: Floats, relations: Floats, partner: Partner, vocabulary: Vocabulary, closing: bool
) -> Choice:
    """The choice of one step. `closing`: a limit is reached, so the chain must end here."""
    number = np.array([vocabulary.number(partner)])
    decided = decide(symbols[None], relations[None], number, vocabulary)
    return decided.closed(np.array([closing])).choices(vocabulary)[0]


def ranked_choices(
    symbols: Floats,
    relations: Floats,
    partners: Sequence[Partner],
    vocabulary: Vocabulary,
    closing: bool,
    max_count: int,
) -> list[tuple[Choice, ...]]:
    """What each of N steps takes, and behind it the surest others, at most so many in all."""
    number = np.array([vocabulary.number(partner) for partner in partners])
    decided = decide(symbols, relations, number, vocabulary)
    first = decided.closed(np.full(len(number), closing)).choices(vocabulary)
    if closing or max_count == 1:
        return [(choice,) for choice in first]
    probabilities = _softmax(symbols)
    # One of them may be an E that is less sure than it looks.
    order = np.argsort(-probabilities, axis=1, kind="stable")[:, : max_count + 1]
    likely = np.take_along_axis(probabilities, order, 1)
    columns = first, partners, order.tolist(), likely.tolist(), _best_symbols(probabilities)
    names, rest = vocabulary.targets, max_count - 1
    return [
        (choice, *_other_choices(choice, partner, targets, chances, best, names)[:rest])
        for choice, partner, targets, chances, best in zip(*columns, strict=True)
    ]


def _other_choices(
    first: Choice,
    partner: Partner,
    targets: Sequence[int],
    likely: Sequence[float],
    best: tuple[list[int], list[float]],
    names: Sequence[str],
) -> list[Choice]:
    """The other choices of one step, the surest first; `targets` are its most probable ones."""
    chances = first.relation_probabilities
    sure: list[tuple[float, int, tuple[Relation, ...], float]] = []
    for target, probabilities in zip(targets, likely, strict=True):
        for opens in (
            _relation_sets(opened_by(EXTEND, partner)) if target == EXTEND_NUMBER else [()]
        ):
            if (names[target], opens) != first[:2]:
                sure.append(
                    (step_probability(probabilities, opens, chances), target, opens, probabilities)
                )
    sure.sort(key=lambda candidate: -candidate[0])
    return [
        Choice(names[target], opens, probabilities, chances, _alternatives(best, target, names))
        for _, target, opens, probabilities in sure
    ]


@lru_cache(maxsize=1 << 7)
def _relation_sets(allowed: tuple[Relation, ...]) -> tuple[tuple[Relation, ...], ...]:
    """What an E may open: at least one of five relations or fewer, so there are 31 sets at most."""
    sizes = range(1, len(allowed) + 1)
    return tuple(relations for size in sizes for relations in combinations(allowed, size))


@lru_cache(maxsize=8)
def _allowed_relations(vocabulary: Vocabulary) -> NDArray[np.bool_]:
    """Partners x 7: which relations an E may open behind each."""
    return np.array(
        [
            [relation in opened_by(EXTEND, partner) for relation in RELATIONS]
            for partner in vocabulary.partners
        ]
    )


def _best_symbols(probabilities: Doubles) -> Iterator[tuple[list[int], list[float]]]:
    """For each row the symbols to name and their probabilities, best first, of equals the first.

    Looking for the largest a few times costs a tenth of what sorting does.
    """
    left = probabilities[:, FIRST_SYMBOL:].copy()
    rows = np.arange(len(left))
    best = np.empty((len(left), min(MAX_ALTERNATIVES + 1, left.shape[1])), np.int64)
    for place in range(best.shape[1]):
        best[:, place] = left.argmax(1)
        left[rows, best[:, place]] = -1
    best += FIRST_SYMBOL
    likely = np.take_along_axis(probabilities, best, 1)
    return zip(best.tolist(), likely.tolist(), strict=True)


def _alternatives(
    best: tuple[list[int], list[float]], target: int, names: Sequence[str]
) -> tuple[tuple[str, float], ...]:
    """The alternatives of a target; what cannot be is none."""
    pairs = [
        (names[other], likely)
        for other, likely in zip(*best, strict=True)
        if other != target and likely > 0
    ]
    return tuple(pairs[:MAX_ALTERNATIVES])


def _of_target(probabilities: Doubles, target: Numbers) -> Doubles:
    """Of each row its target's."""
    return np.asarray(np.take_along_axis(probabilities, target[:, None], 1)[:, 0])


def _softmax(scores: Floats) -> Doubles:
    """Probabilities, whatever the numbers are."""
    numbers = scores.astype(np.float64)  # a copy; the rest is done where it lies
    np.fmax(numbers, -MAX_SCORE, out=numbers)
    np.fmin(numbers, MAX_SCORE, out=numbers)
    numbers -= numbers.max(-1, keepdims=True)
    np.exp(numbers, out=numbers)
    numbers /= numbers.sum(-1, keepdims=True)
    return numbers


def _sigmoid(scores: Floats) -> Doubles:
    finite = np.fmin(np.fmax(scores.astype(np.float64), -60), 60)
    return np.asarray(1 / (1 + np.exp(-finite)))
