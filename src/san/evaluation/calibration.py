"""How honest confidence is: the expected calibration error.

Design choices
- Bins are of equal mass: most readings are sure, and in bins of equal width they would all fall
  into one. How else to bin, the caller may say.
- A bin that nothing falls into counts for nothing, so a few readings have an error, too.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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
        len(some) * abs(confidence[some].mean() - right[some].mean())
        for some in binned(confidence)
        if len(some)
    )
    return float(sum(gaps) / len(right))
