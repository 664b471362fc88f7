"""Whether what was read makes sense: which of several readings of a picture is a formula at all.

Design choices
- The network judges ink, step by step; it does not look back at the whole. So readings between
  which it wavers are weighed by what speaks for them as formulas, too: how well they read
  (`fluency`), how many steps they take (a language model alone likes them short), how many
  different symbols they use (who writes `x` thrice hardly means `\\times` once), and whether their
  brackets close.
- Everything is linear in logarithms, and one more candidate stands for all that nobody proposed:
  it has the probability that the readings have left. With the network's own weight at one and the
  others at nought, the confidence of a reading is its probability; so that is where the fit of the
  few weights starts from (`tools/fit_sense.py`), and why confidence stays an honest number.
- The features count from the most probable reading: of two of them only the difference matters.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save

from san.grammar import Expression
from san.grammar.tree import NOTHING
from san.model.onnx.weights import UNREADABLE, Arrays
from san.models import SENSE
from san.reader.rescoring.language_model import PLACES, UNKNOWN, Fluency, words

FORMAT = "san-sense-1"
PAIRS = (("(", ")"), ("[", "]"), (r"\{", r"\}"))
ALONE = "|"
"""A bracket that is its own partner."""
LEAST, LEAST_REST = 1e-300, 1e-6
"""Less probable is no reading, nor that none of them is right: for a logarithm's sake."""
MOST = 4096
"""Words, or numbers of a state: a file that claims more is none."""


@dataclass(frozen=True)
class Rule:
    """How much each thing counts; as it stands here, nothing but the network does."""

    network: float = 1.0  # logarithm of the probability that it gives a reading
    fluency: float = 0.0
    steps: float = 0.0
    kinds: float = 0.0
    brackets: float = 0.0
    rest: float = 1.0  # logarithm of the probability that no reading has
    shift: float = 0.0  # of that rest


class Sense:
    """Judges readings. Safe to share among threads."""

    def __init__(self, source: Path | bytes = SENSE) -> None:
        arrays = Arrays(source, FORMAT)
        try:
            self.names: list[str] = json.loads(arrays.facts["words"])
            numbers = json.loads(arrays.facts["rule"])
            hidden = int(arrays.facts["hidden"])
            self.rule = Rule(**{one.name: float(numbers[one.name]) for one in fields(Rule)})
            if not _different(self.names) or UNKNOWN not in self.names:
                raise ValueError("its words are no list of different names")
            if len(self.names) > MOST or not 0 < hidden <= MOST:
                raise ValueError("its words or its state are of no size")
            if not all(map(isfinite, astuple(self.rule))):
                raise ValueError("its weights are no numbers")
        except UNREADABLE as error:
            raise arrays.refusal("its metadata cannot be read", error) from None
        self.fitted_for = arrays.facts.get("fitted_for", "")
        names = self.names
        self._fluency = Fluency(
            names,
            arrays.take("after", len(names), 4 * hidden),
            arrays.take("place", PLACES, 4 * hidden),
            arrays.take("state", hidden, 4 * hidden),
            arrays.take("output", hidden, len(names)),
            arrays.take("bias", len(names)),
        )
        arrays.finish()

    def features(self, trees: Sequence[Expression]) -> NDArray[np.float64]:
        """Of each tree what speaks for it besides the network: fluency, steps, kinds, brackets."""
        counts = [[len(words(tree)), _kinds(tree), unpaired(tree)] for tree in trees]
        return np.column_stack([self._fluency.log_probabilities(trees), np.array(counts, float)])

    def judge(self, trees: Sequence[Expression], probability: Sequence[float]) -> list[float]:
        """How likely each of these readings of one picture is right; all of them together, and
        that none is, come to one."""
        rows = terms(self.features(trees), np.asarray(probability, float))
        return [float(own) for own in judged(self.rule, rows)]


def judged(rule: Rule, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The confidence of each reading, from its `terms`."""
    scores = rows @ np.array(astuple(rule))
    odds = np.exp(scores - scores.max())
    return np.asarray(odds[:-1] / odds.sum())


def terms(features: NDArray[np.float64], probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a rule is multiplied with: a row for each reading, and one for all that is unsaid."""
    readings = len(probability)
    rows = np.zeros((readings + 1, len(fields(Rule))))
    rows[:-1, 0] = np.log(np.maximum(probability, LEAST))
    rows[:-1, 1:-2] = features - features[probability.argmax()]
    rows[-1, -2:] = np.log(max(1 - probability.sum(), LEAST_REST)), 1.0
    return rows


def written(
    names: Sequence[str],
    arrays: Mapping[str, NDArray[np.float16]],
    rule: Rule,
    fitted_for: str = "",
) -> bytes:
    """The file that holds it all; the rule is fitted for a network of this fingerprint."""
    facts = {
        "format": FORMAT,
        "words": json.dumps(names, ensure_ascii=False),
        "hidden": str(len(arrays["state"])),
        "rule": json.dumps(asdict(rule)),
        "fitted_for": fitted_for,
    }
    return save(dict(arrays), facts)


def _different(names: object) -> bool:
    every = names if isinstance(names, list) else [None]
    return all(isinstance(name, str) for name in every) and len(set(every)) == len(every)


def _kinds(tree: Expression) -> int:
    return len({visit.symbol.name for visit in tree.walk()} - {NOTHING})


def unpaired(tree: Expression) -> int:
    """Kinds of brackets that do not close in the chain that they stand in, over all chains."""
    found, chains = 0, [tree]
    while chains:
        chain = chains.pop()
        count = Counter(symbol.name for symbol in chain.symbols)
        found += sum(count[left] != count[right] for left, right in PAIRS) + count[ALONE] % 2
        chains += [branch for symbol in chain.symbols for _, branch in symbol.branches]
    return found
