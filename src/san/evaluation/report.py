"""Scores of a set of predictions: ExpRate, at most one and two errors, ESPR, and where they fail.

Every expression of the labels counts. A missing prediction is an error; so is one that reads
nothing, and one that does not parse.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from san.evaluation.compare import Comparison, Difficulty, ErrorCounts, compare, difficulty
from san.evaluation.metrics import Rate
from san.grammar.tree import NOTHING

LENGTHS = ((1, 5), (6, 10), (11, 20), (21, 40), (41, None))
MAX_LISTED = 50
"""Symbols and confusions in the figures: the commonest."""


@dataclass(slots=True)
class Report:
    """The figures; `to_dict` gives them as JSON wants them, in percent."""

    n: int
    exprate: Rate
    le1: Rate
    le2: Rate
    espr: Rate
    by_difficulty: dict[Difficulty, Rate]
    by_length: dict[str, Rate]
    no_length: Rate  # of labels that are no formulas, or empty
    errors: ErrorCounts
    missing: list[str] = field(default_factory=list)  # labels without a prediction
    empty: list[str] = field(default_factory=list)  # predictions that read nothing
    unparsed: list[str] = field(default_factory=list)  # predictions that are no formulas
    unparsed_labels: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)  # predictions without a label

    def to_dict(self) -> dict[str, Any]:
        figures: dict[str, Any] = {"n": self.n}
        for name in ("exprate", "le1", "le2", "espr"):
            rate: Rate = getattr(self, name)
            figures[name] = rate.percent
            figures[f"{name}_interval"] = list(rate.interval)
        for degree, rate in self.by_difficulty.items():
            figures[degree.value] = _rate_dict(rate)
        figures["by_length"] = {name: _rate_dict(rate) for name, rate in self.by_length.items()}
        figures["no_length"] = _rate_dict(self.no_length)
        figures["by_relation"] = {
            name: {"n": row.total, "wrong": row.wrong, "misplaced": row.misplaced}
            for name, row in self.errors.by_relation.items()
        }
        figures["confusions"] = [
            {"truth": truth, "read": None if read == NOTHING else read, "n": count}
            for (truth, read), count in self.errors.confusions.most_common(MAX_LISTED)
        ]
        figures["added"] = [
            {"read": read, "n": count} for read, count in self.errors.added.most_common(MAX_LISTED)
        ]
        for name in ("missing", "empty", "unparsed", "unparsed_labels", "unknown"):
            figures[name] = len(getattr(self, name))
        return figures


def score(predictions: Mapping[str, str], labels: Mapping[str, str]) -> Report:
    """Scores predictions against labels, both LaTeX by id."""
    pairs = {name: compare(label, predictions.get(name)) for name, label in labels.items()}
    errors = ErrorCounts()
    for pair in pairs.values():
        if pair.truth is not None and pair.guess is not None:
            errors.count(pair.truth, pair.guess)
    degrees = {name: difficulty(label) for name, label in labels.items()}
    return Report(
        n=len(labels),
        exprate=_within(pairs.values(), 0),
        le1=_within(pairs.values(), 1),
        le2=_within(pairs.values(), 2),
        espr=Rate(sum(pair.structure for pair in pairs.values()), len(pairs)),
        by_difficulty={
            degree: _within((pairs[name] for name in pairs if degrees[name] is degree), 0)
            for degree in Difficulty
        },
        by_length=_by_length(pairs.values()),
        no_length=_within((pair for pair in pairs.values() if not _length(pair)), 0),
        errors=errors,
        missing=[name for name in labels if name not in predictions],
        empty=[n for n, pair in pairs.items() if n in predictions and pair.silent],
        unparsed=[n for n, pair in pairs.items() if pair.guess is None and not pair.silent],
        unparsed_labels=[name for name, pair in pairs.items() if pair.truth is None],
        unknown=[name for name in predictions if name not in labels],
    )


def _within(pairs: Iterable[Comparison], edits: int) -> Rate:
    hits = [pair.edits <= edits for pair in pairs]
    return Rate(sum(hits), len(hits))


def _by_length(pairs: Iterable[Comparison]) -> dict[str, Rate]:
    """ExpRate by the number of symbols in the label."""
    measured = [(_length(pair), pair) for pair in pairs]
    rates: dict[str, Rate] = {}
    for low, high in LENGTHS:
        within: list[Comparison] = [
            pair for size, pair in measured if size >= low and (high is None or size <= high)
        ]
        rates[f"{low}-{high}" if high else f"{low}+"] = _within(within, 0)
    return rates


def _length(pair: Comparison) -> int:
    """Symbols of the label; 0 where it is no formula, too."""
    return 0 if pair.truth is None else len(pair.truth)


def _rate_dict(rate: Rate) -> dict[str, Any]:
    return {"n": rate.total, "exprate": rate.percent, "exprate_interval": list(rate.interval)}
