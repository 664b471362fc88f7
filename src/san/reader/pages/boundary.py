"""How probable it is that two rows are two formulas: a small network over a boundary's features.

Its numbers lie beside it, boundary.json; `python -m tools.fit_boundary` fits them on sheets
that are stacked from the ink of single writers.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from san.reader.pages.rows import FEATURES, Row, boundary_features

NUMBERS = Path(__file__).with_name("boundary.json")


@dataclass(frozen=True, eq=False)
class BoundaryModel:
    """One hidden layer."""

    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    hidden: NDArray[np.float64]  # units x features
    hidden_bias: NDArray[np.float64]
    output: NDArray[np.float64]  # units
    output_bias: NDArray[np.float64]  # one number

    def probabilities(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of boundaries x features: that each lies between two formulas."""
        known = (features - self.mean) / self.deviation
        score = np.tanh(known @ self.hidden.T + self.hidden_bias) @ self.output + self.output_bias
        return np.asarray(1 / (1 + np.exp(-score)))


@cache
def boundary_model() -> BoundaryModel:
    numbers = json.loads(NUMBERS.read_text(encoding="utf-8"))
    if tuple(numbers.pop("features")) != FEATURES:
        raise ValueError(f"{NUMBERS.name} was fitted with other features: fit it again")
    arrays = {name: np.asarray(value, np.float64) for name, value in numbers.items()}
    return BoundaryModel(**arrays)


def boundary_probabilities(rows: list[Row], letter: float) -> NDArray[np.float64]:
    """Of each two rows in a row that they are two formulas."""
    features = [boundary_features(rows, number, letter) for number in range(len(rows) - 1)]
    return boundary_model().probabilities(np.array(features))
