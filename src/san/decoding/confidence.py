"""Confidence: calibrates the probability of a reading to how likely the whole of it is right.

The network's own probability of a reading is too high. A calibration maps it to the share of
readings that are right among those of the same probability.

- Beta calibration: a logistic curve over log p and -log(1 - p). Three numbers; smooth, and with
  weights of at least 0 it never puts a less probable reading before a more probable one. Two
  weights of one and no shift leave p as it is: that is the calibration of weights without one.
- The number of steps, the least sure step and the gap to the second reading of a beam were tried
  as well, and tell next to nothing more (docs/confidence.md).
- What was photographed is less likely right than ink that the network is as sure of, by a constant
  in the log odds of the best reading; the others lose as large a share, so their order stays, and
  it does not depend on how many readings are asked for.
- Ink that no symbol of the best reading accounts for lowers the log odds in proportion to its share
  of all ink, likewise: a line was missed, or something was misread.
- Where a few symbols told that a picture lies otherwise than it was handed in, it may well not:
  all its readings lose half.
- It is fitted for one weights file. It lies beside it as JSON and names it by its SHA-256; beside
  other weights it does not count.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import exp, isfinite, log
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from san.decoding.reading import Reading
from san.errors import SanError
from san.files import read_file, sha256_of, write_file

Doubles = NDArray[np.float64]

MIN_DOUBT = 1e-6
"""Nothing is more certain than this is improbable."""
MAX_SHIFT = 100.0
"""Log odds: far more than anything fitted, and far less than overflows."""
TURNED_BY_FEW_SHARE = 0.5
"""Of pictures that a few symbols had turned, those that lie so: four of five of two to four symbols
and a quarter of single ones (experiments/turned.md)."""
MAX_BYTES = 1 << 16


class Shift(NamedTuple):
    """Of log odds, with its standard error."""

    value: float
    error: float


@dataclass(frozen=True)
class Calibration:
    """The curve's numbers; by default a probability stays as it is."""

    low: float = 1.0  # weight of log p: how fast confidence falls towards p = 0
    high: float = 1.0  # weight of -log(1 - p): how fast it rises towards p = 1
    shift: float = 0.0
    photographed: float = 0.0  # added to the log odds that a reading of a photograph is right
    unread: float = 0.0  # added to them, times the share of the ink that was not read

    def confidence(self, reading: Reading) -> float:
        """Probability that the expression is right."""
        return self.of(reading.probability)

    def of(self, probability: float) -> float:
        """The same, from the probability of a reading."""
        log_right, minus_log_wrong = _log_terms(probability)
        score = self.low * log_right + self.high * minus_log_wrong + self.shift
        return 1 / (1 + exp(-max(min(score, 500.0), -500.0)))

    def confidences(self, readings: Sequence[Reading]) -> list[float]:
        """Of the readings of one image, best first: at most one of them is right.

        The curve is that of the best. What a beam finds behind it is right about as often as the
        network says, so that counts as it is, within what the better ones have left.
        """
        confidences: list[float] = []
        left = 1.0
        for reading in readings:
            likely = reading.probability if confidences else self.confidence(reading)
            confidences.append(min(likely, left, *confidences[-1:]))
            left = max(left - confidences[-1], 0.0)
        return confidences

    def of_picture(
        self,
        confidences: Sequence[float],
        photographed: bool,
        unread_share: float = 0.0,
        turned_by_few: bool = False,
    ) -> list[float]:
        """Of the readings of one picture: their confidences as if they were of ink, all of which
        was read, become lower, in the same order.

        Args:
            photographed: Whether it was, or was scanned.
            unread_share: Of all its ink, what the best reading does not account for.
            turned_by_few: Whether a few symbols told that it lies otherwise.
        """
        odds = exp(self.photographed * photographed + self.unread * unread_share)
        best = confidences[0] if confidences else 0.0
        shifted: list[float] = []
        left = 1.0
        for confidence in confidences:
            shifted.append(min(confidence * odds / (1 - best + best * odds), left))
            left = max(left - shifted[-1], 0.0)
        return [TURNED_BY_FEW_SHARE * one for one in shifted] if turned_by_few else shifted

    @classmethod
    def fit(cls, probabilities: Sequence[float], right: Sequence[bool]) -> Self:
        """The curve under which these readings, right or wrong, are most likely."""
        if not any(right) or all(right):
            raise SanError("a calibration needs readings of both kinds, right and wrong")
        terms = np.array([_log_terms(probability) for probability in probabilities])
        rows = np.column_stack([terms, np.ones(len(terms))])
        kept = [0, 1, 2]
        numbers = _logistic(rows, truth := np.array(right, np.float64))
        while numbers.min(initial=0, where=[True, True, False]) < 0:
            kept.remove(int(numbers[:2].argmin()))  # it would make the curve fall somewhere
            numbers = np.zeros(3)
            numbers[kept] = _logistic(rows[:, kept], truth)
        return cls(*map(float, numbers))

    @classmethod
    def load(cls, weights: Path) -> Self:
        """What was fitted for this weights file; as it stands where nothing was."""
        path = calibration_path(weights)
        if not path.is_file():
            return cls()
        try:
            facts = json.loads(read_file(path, MAX_BYTES))
            calibration = cls.of_facts(facts)
            fitted_for = facts["weights"]
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            why = " ".join(str(error).split())[:200]
            raise SanError(f"{path}: no calibration can be read ({why})") from None
        return calibration if fitted_for == fingerprint(weights) else cls()

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Self:
        """From numbers by their names; older files know nothing of photographs and unread ink."""
        low, high, shift = (float(facts[name]) for name in ("low", "high", "shift"))
        photographed, unread = (float(facts.get(name, 0.0)) for name in ("photographed", "unread"))
        if not all(map(isfinite, (low, high, shift))) or min(low, high) < 0:
            raise ValueError("its numbers are no curve that rises")
        if not abs(photographed) <= MAX_SHIFT:
            raise ValueError("photographs are not that different")
        if not -MAX_SHIFT <= unread <= 0:
            raise ValueError("ink that was not read lowers a confidence")
        return cls(low, high, shift, photographed, unread)

    def save(self, weights: Path, facts: dict[str, Any]) -> Path:
        """Beside the weights that it was fitted for, with what else is worth knowing of it."""
        path = calibration_path(weights)
        content = {"weights": fingerprint(weights), **asdict(self), **facts}
        write_file(path, json.dumps(content, indent=2) + "\n")
        return path


def calibration_path(weights: Path) -> Path:
    """Where the calibration of a weights file lies."""
    return weights.with_suffix(".calibration.json")


def fingerprint(weights: Path) -> str:
    """By which what was fitted for some weights knows them again."""
    return sha256_of(weights)


def fit_shift(odds: Doubles, right: Doubles) -> Shift:
    """What is to be added to these log odds: the most likely number, by Newton's method."""
    if not 0 < right.sum() < len(right):
        raise SanError("a shift needs readings of both kinds, right and wrong")
    value = 0.0
    for _ in range(50):
        guess = 1 / (1 + np.exp(-odds - value))
        bend = float((guess * (1 - guess)).sum())
        value += float(np.clip((right - guess).sum() / bend, -1, 1))
    return Shift(value, bend**-0.5)


def log_odds(confidence: Doubles) -> Doubles:
    inside = np.clip(confidence, MIN_DOUBT, 1 - MIN_DOUBT)
    return np.asarray(np.log(inside / (1 - inside)))


def _log_terms(probability: float) -> tuple[float, float]:
    """log p and -log(1 - p); a probability that is none counts as 0."""
    sound = probability if 0 <= probability <= 1 else 0.0
    return log(max(sound, MIN_DOUBT)), -log(max(1 - sound, MIN_DOUBT))


def _logistic(rows: Doubles, right: Doubles) -> Doubles:
    """Logistic regression by Newton's method; a slight ridge penalty keeps it finite."""
    ridge = 1e-3
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        predicted = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (predicted - right) + ridge * weights
        hessian = (rows * (predicted * (1 - predicted))[:, None]).T @ rows
        hessian += ridge * np.eye(len(weights))
        step = np.linalg.solve(hessian, gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-9:
            break
    return weights
