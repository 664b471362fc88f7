"""Rescoring: which of several readings of a picture is most likely right, as a formula as well.

Design choices
- The network scores ink, step by step; it never scores the whole formula. So readings between
  which it wavers get a log-linear score of more features: the language model's log-probability,
  the number of steps (a language model alone likes them short), the number of different symbols
  (where `x` stands three times, one `\\times` is hardly meant), brackets that do not close, sums
  that come out or do not, and subscripts (the network sees too many: `k_{g}`).
- One more candidate stands for all trees that were not proposed: it has the probability that the
  readings have left. With the network's weight at one and the others at zero, the confidence of a
  reading is its probability; so that is where the fit of the weights starts from
  (`tools/fit_rescoring.py`), and why confidence stays an honest number.
- The features count from the most probable reading: of two of them only the difference matters.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields, replace
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from san.decoding.beam import MIN_PROBABILITY
from san.grammar import Expression
from san.grammar.constructs import MATRIX
from san.grammar.grids import find_grids, has_grid, rows_of
from san.grammar.tree import NOTHING, Relation
from san.model.onnx.weights import Arrays
from san.model.spec import UNREADABLE
from san.models import RESCORING
from san.reader.exercise_number import has_number
from san.reader.rescoring.language_model import PARTNER_KINDS, UNKNOWN, LanguageModel, step_tokens
from san.reader.rescoring.sums import balance_of_sums

FORMAT = "san-rescoring-2"
BRACKETS = (("(", ")"), ("[", "]"), (r"\{", r"\}"))
LONE_BRACES = {"cases": r"\{", "rcases": r"\}"}
BAR = "|"
"""A bracket that is its own partner."""
MIN_UNPROPOSED = 1e-6
"""A bound for the logarithm of the probability that all readings leave."""
MAX_SIZE = 4096
"""Tokens of a vocabulary, or numbers of a state: a file that claims more is refused."""

Kind = TypeVar("Kind", bound="RescoringWeights")


@dataclass(frozen=True)
class RescoringWeights:
    """The weight of each feature; by default only the network counts."""

    network: float = 1.0  # of the logarithm of the probability that it gives a reading
    language_model: float = 0.0
    steps: float = 0.0
    distinct_symbols: float = 0.0
    unpaired_brackets: float = 0.0
    sums: float = 0.0  # that come out, less those that do not
    subscripts: float = 0.0
    unproposed: float = 1.0  # of the logarithm of the probability that no reading has
    unproposed_bias: float = 0.0


@dataclass(frozen=True)
class InkWeights(RescoringWeights):
    """The same of readings of ink, and of what the way of the pen says of them
    (`stroke_terms.py`)."""

    worst_stroke: float = 0.0
    unread_strokes: float = 0.0
    claimed_symbols: float = 0.0


STROKE_TERMS = tuple(field.name for field in fields(InkWeights))[len(fields(RescoringWeights)) :]


class Rescorer:
    """Scores readings. Safe to share among threads."""

    def __init__(self, source: Path | bytes = RESCORING) -> None:
        arrays = Arrays(source, FORMAT)
        try:
            vocabulary: list[str] = json.loads(arrays.facts["vocabulary"])
            numbers = json.loads(arrays.facts["weights"])
            of_ink = json.loads(arrays.facts.get("ink_weights", "null"))
            hidden = int(arrays.facts["hidden"])
            self.weights = _weights(RescoringWeights, numbers)
            self.ink_weights = None if of_ink is None else _weights(InkWeights, of_ink)
            if not _are_distinct_names(vocabulary) or UNKNOWN not in vocabulary:
                raise ValueError("its vocabulary is no list of different names")
            if len(vocabulary) > MAX_SIZE or not 0 < hidden <= MAX_SIZE:
                raise ValueError("its vocabulary or its state are of no size")
            every = astuple(self.weights) + astuple(self.ink_weights or self.weights)
            if not all(map(isfinite, every)):
                raise ValueError("its weights are no numbers")
        except UNREADABLE as error:
            raise arrays.refusal("its metadata cannot be read", error) from None
        self.vocabulary = vocabulary
        self.fitted_for = arrays.facts.get("fitted_for", "")
        self.opinion = arrays.facts.get("opinion", "")
        self.strokes = arrays.facts.get("strokes", "")
        self._language_model = LanguageModel(
            vocabulary,
            arrays.take("token_gates", len(vocabulary), 4 * hidden),
            arrays.take("partner_gates", PARTNER_KINDS, 4 * hidden),
            arrays.take("state_gates", hidden, 4 * hidden),
            arrays.take("output", hidden, len(vocabulary)),
            arrays.take("output_bias", len(vocabulary)),
        )
        arrays.finish()

    def can_judge(self, tree: Expression) -> bool:
        """A language model that never met several lines would rather have one."""
        return MATRIX in self.vocabulary or not has_grid(tree)

    def surprise(self, tree: Expression) -> float | None:
        """-log of the mean probability of a step, whatever the picture; None where it cannot judge
        the tree."""
        if not self.can_judge(tree):
            return None
        return -float(self._language_model.log_probabilities([tree])[0]) / len(step_tokens(tree))

    def features(self, trees: Sequence[Expression]) -> NDArray[np.float64]:
        """A row a tree: all features but the network's, in the order of `RescoringWeights`; zeros
        where there is a tree that it cannot judge."""
        if not all(map(self.can_judge, trees)):
            return np.zeros((len(trees), len(fields(RescoringWeights)) - 3))
        counts = [
            [
                len(step_tokens(tree)),
                _distinct_symbols(tree),
                unpaired_brackets(tree),
                balance_of_sums(tree),
                _subscripts(tree),
            ]
            for tree in trees
        ]
        log_probabilities = self._language_model.log_probabilities(trees)
        return np.column_stack([log_probabilities, np.array(counts, float)])

    def confidences(
        self, trees: Sequence[Expression], probabilities: Sequence[float]
    ) -> list[float]:
        """How likely each of these readings of one picture is right; all of them together, and
        that none is, come to one."""
        return self.with_and_without_sums(trees, probabilities)[0]

    def with_and_without_sums(
        self,
        trees: Sequence[Expression],
        probabilities: Sequence[float],
        strokes: NDArray[np.float64] | None = None,
    ) -> tuple[list[float], list[float]]:
        """The confidences, and what they would be if no sum were checked; `strokes` are the terms
        of readings of ink."""
        weights = self.weights
        if strokes is not None:
            assert self.ink_weights is not None
            weights = self.ink_weights
        rows = score_terms(self.features(trees), np.asarray(probabilities, float), strokes)
        unchecked = replace(weights, sums=0.0)
        checked, other = (
            weighted_confidences(each, rows).tolist() for each in (weights, unchecked)
        )
        return checked, other


@cache
def shipped_rescorer() -> Rescorer:
    """The one that comes with san."""
    return Rescorer()


def weighted_confidences(
    weights: RescoringWeights, rows: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The confidence of each reading, from its `score_terms`: a softmax."""
    scores = rows @ np.array(astuple(weights))
    odds = np.exp(scores - scores.max())
    return np.asarray(odds[:-1] / odds.sum())


def score_terms(
    features: NDArray[np.float64],
    probabilities: NDArray[np.float64],
    strokes: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """What the weights are multiplied with: a row a reading, and one for what nobody proposed.
    Those of strokes stand behind the others, as in `InkWeights`."""
    rows = np.zeros((len(probabilities) + 1, len(fields(RescoringWeights))))
    rows[:-1, 0] = np.log(np.maximum(probabilities, MIN_PROBABILITY))
    best = probabilities.argmax()
    rows[:-1, 1:-2] = features - features[best]
    rows[-1, -2:] = np.log(max(1 - probabilities.sum(), MIN_UNPROPOSED)), 1.0
    if strokes is None:
        return rows
    of_strokes = np.vstack([strokes - strokes[best], np.zeros(len(STROKE_TERMS))])
    return np.column_stack([rows, of_strokes])


def _weights(kind: type[Kind], numbers: Mapping[str, Any]) -> Kind:
    return kind(**{field.name: float(numbers[field.name]) for field in fields(kind)})


def file_content(
    vocabulary: Sequence[str],
    arrays: Mapping[str, NDArray[np.float16]],
    weights: RescoringWeights,
    fitted_for: str = "",
    opinion: str = "",
    ink_weights: InkWeights | None = None,
    strokes: str = "",
) -> bytes:
    """A file that `Rescorer` opens; the weights are fitted for a network of this fingerprint, for
    another that gives a second opinion, if one does, and those of ink for one of strokes."""
    facts = {
        "format": FORMAT,
        "vocabulary": json.dumps(vocabulary, ensure_ascii=False),
        "hidden": str(len(arrays["state_gates"])),
        "weights": json.dumps(asdict(weights)),
        "fitted_for": fitted_for,
        "opinion": opinion,
    }
    if ink_weights is not None:
        facts |= {"ink_weights": json.dumps(asdict(ink_weights)), "strokes": strokes}
    return save(dict(arrays), facts)


def _are_distinct_names(names: object) -> bool:
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return False
    return len(set(names)) == len(names)


def _distinct_symbols(tree: Expression) -> int:
    return len({visit.symbol.name for visit in tree.walk()} - {NOTHING})


def _subscripts(tree: Expression) -> int:
    return sum(visit.symbol.has(Relation.SUB) for visit in tree.walk())


def unpaired_brackets(tree: Expression) -> int:
    """Kinds of brackets that do not close in the chain, or line, that they stand in, over all.

    The brace before the lines of a system has no partner, and needs none; nor does that behind the
    number of an exercise, `1)` or `a)`.
    """
    unpaired, chains = 0, [tree.symbols]
    while chains:
        chain = chains.pop()
        count = Counter(symbol.name for symbol in chain)
        if has_number(chain):
            count[")"] -= 1
        for grid in find_grids(chain) if count[MATRIX] else ():
            if grid.environment in LONE_BRACES:
                count[LONE_BRACES[grid.environment]] -= 1
        unpaired += sum(count[left] != count[right] for left, right in BRACKETS) + count[BAR] % 2
        for symbol in chain:
            for relation, branch in symbol.branches:
                if symbol.name == MATRIX and relation is Relation.INSIDE:
                    chains += [cell for row in rows_of(branch) for cell in row]
                else:
                    chains.append(branch.symbols)
    return unpaired
