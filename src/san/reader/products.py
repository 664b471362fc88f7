"""Matrix products of small networks, done in numpy: so small that numpy's other threads sleep.

A larger product wakes them, and a few numbers are not worth it: while other pictures are read
beside, that takes ten times as long.
"""

import numpy as np

from san.decoding.engine import Floats

MAX_PRODUCT = 64**3
"""Multiplications of one matrix product."""


def product(left: Floats, right: Floats) -> Floats:
    """A matrix product, some rows at a time."""
    rows = max(2, MAX_PRODUCT // right.size)  # a single row would be a product of another kind
    whole = len(left) // rows * rows
    parts = left[:whole].reshape(-1, rows, left.shape[1]) @ right
    return np.concatenate([parts.reshape(whole, right.shape[1]), left[whole:] @ right])
