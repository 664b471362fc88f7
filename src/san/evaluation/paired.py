"""Two sets of predictions for the same labels: is one better, or is that chance?

Two systems that read the same expressions are compared expression by expression. What both read
rightly, or neither, says nothing of which is better; so the interval of the difference is narrower
than those of the two rates let one think.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from san.evaluation.compare import compare
from san.evaluation.metrics import Z95


@dataclass(frozen=True, slots=True)
class Paired:
    """How many expressions both have right, one of them, or neither."""

    both: int
    first: int  # the first alone
    second: int
    neither: int

    @property
    def difference(self) -> float:
        """Points of ExpRate by which the first is better."""
        total = self.both + self.first + self.second + self.neither
        return 100 * (self.first - self.second) / total if total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Its 95% interval, by Agresti and Min: sensible for few expressions and few differences
        as well."""
        total = self.both + self.first + self.second + self.neither + 2
        differ, gain = self.first + self.second + 1, self.first - self.second
        spread = Z95 * sqrt(differ - gain**2 / total)
        low, high = (100 * (gain + side) / total for side in (-spread, spread))
        return max(-100.0, low), min(100.0, high)

    @property
    def p_value(self) -> float:
        """How probable a difference is that is as large or larger, were both equally good: the
        exact sign test (McNemar's), two-sided."""
        count, fewer = self.first + self.second, min(self.first, self.second)
        ways = term = 1
        for number in range(fewer):
            term = term * (count - number) // (number + 1)
            ways += term
        return min(1.0, 2 * ways / (1 << count))

    def to_dict(self) -> dict[str, Any]:
        return {
            "both": self.both,
            "first": self.first,
            "second": self.second,
            "neither": self.neither,
            "difference": self.difference,
            "difference_interval": list(self.interval),
            "p_value": self.p_value,
        }


def compare_paired(
    first: Mapping[str, str], second: Mapping[str, str], labels: Mapping[str, str]
) -> Paired:
    """Both, LaTeX by id, against the labels; every label counts."""
    right = [
        tuple(compare(label, predictions.get(name)).exact for predictions in (first, second))
        for name, label in labels.items()
    ]
    cells = (True, True), (True, False), (False, True), (False, False)
    return Paired(*map(right.count, cells))
