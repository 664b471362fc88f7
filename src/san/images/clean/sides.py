"""Which pieces of ink touch which edges of the picture."""

import numpy as np
from numpy.typing import NDArray

from san.images.clean.size import Pieces

Which = NDArray[np.bool_]


class Sides:
    """Which pieces touch which edges of the picture."""

    def __init__(self, found: Pieces, shape: tuple[int, ...]) -> None:
        left, top, width, height, _ = found.stats.T
        self.left, self.right = left <= 1, left + width >= shape[1] - 1
        self.top, self.bottom = top <= 1, top + height >= shape[0] - 1
        self.corner = (self.left | self.right) & (self.top | self.bottom)
        self.free = ~(self.left | self.right | self.top | self.bottom)


def at_edge(found: Pieces, shape: tuple[int, ...]) -> Which:
    """Pieces that touch the edge of the picture."""
    return np.asarray(~Sides(found, shape).free, bool)
