"""Rates with confidence intervals, and the expected calibration error.

Design choices
- Systems of this field differ by half a point, so every rate comes with its interval.
- Calibration bins are of equal mass: most readings are sure, and in bins of equal width they would
  all fall into one. How else to bin, the caller may say.
- A bin that nothing falls into counts for nothing, so a few readings have an error, too.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Z95 = 1.959963984540054
"""Standard deviations on either side of a 95% interval."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many right out of so many; everything else in percent."""

    right: int
    total: int

    @property
    def percent(self) -> float:
        return 100 * self.right / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95% score interval: sensible for few samples and near 0 and 100 as well."""
        if not self.total:
            return 0.0, 100.0
        n, share = self.total, self.right / self.total
        middle = share + Z95**2 / (2 * n)
        spread = Z95 * sqrt(share * (1 - share) / n + Z95**2 / (4 * n**2))
        scale = 100 / (1 + Z95**2 / n)
        return max(0.0, (middle - spread) * scale), min(100.0, (middle + spread) * scale)


BINS = 15

Numbers = NDArray[np.float64]
Binned = Callable[[Numbers], list[NDArray[np.intp]]]


def equal_mass(confidence: Numbers) -> list[NDArray[np.intp]]:
    """Readings of like confidence, as many in each bin."""
    return np.array_split(np.argsort(confidence, kind="stable"), BINS)


def calibration_error(
    confidence: Numbers, right: NDArray[np.float64 | np.bool_], binned: Binned = equal_mass
) -> float:
    """How far confidence is from the share that is right, on average over the bins."""
    gaps = (
        len(readings) * abs(confidence[readings].mean() - right[readings].mean())
        for readings in binned(confidence)
        if len(readings)
    )
    return float(sum(gaps) / len(right))
