"""How likely strokes of ink are parts of symbols that were read: by the stroke network, or by those
who corrected a symbol."""

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from san.ink import Ink
from san.models import STROKES
from san.reader.prepared import PreparedImage
from san.reader.rescoring.stroke_network import StrokeNetwork, stroke_network

UNKNOWN = 0.05
"""How probable a stroke makes a symbol that the network does not tell apart."""
KEPT = 32
"""Pieces of ink whose strokes are not judged again: rescoring asks, and so do boxes."""


class StrokeLikelihood:
    """Of the strokes of one piece of ink."""

    def __init__(self, probabilities: NDArray[np.float64], network: StrokeNetwork) -> None:
        self._probabilities, self._network = probabilities, network  # symbols x strokes

    def of(self, names: Sequence[str]) -> NDArray[np.float64]:
        """Symbols x strokes."""
        rows = np.full((len(names), self._probabilities.shape[1]), UNKNOWN)
        for place, name in enumerate(names):
            column = self._network.column(name)
            if column is not None:
                rows[place] = self._probabilities[column]
        return rows


def stroke_likelihood(prepared: PreparedImage, network: StrokeNetwork) -> StrokeLikelihood | None:
    """None of pictures, and of ink that has too many strokes."""
    judged = None if prepared.ink is None else _judged(network, prepared.ink)
    if judged is None:
        return None
    probabilities = np.exp(judged.T.astype(np.float64))
    # What people said of strokes is certain, or the worst stroke would be theirs in all readings.
    numbers = prepared.stroke_numbers or range(probabilities.shape[1])
    for name, strokes in prepared.known:
        column = network.column(name)
        if column is not None:
            own = np.isin(numbers, strokes)
            probabilities[:, own] = 0.0
            probabilities[column, own] = 1.0
    return StrokeLikelihood(probabilities, network)


@lru_cache(maxsize=KEPT)
def _judged(network: StrokeNetwork, ink: Ink) -> NDArray[np.float32] | None:
    return network.log_probabilities(ink)


@cache
def shipped_strokes() -> StrokeNetwork | None:
    """The network that comes with san; an installation may do without."""
    return stroke_network(STROKES) if STROKES.is_file() else None
