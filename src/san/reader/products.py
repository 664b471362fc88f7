"""What small networks compute in numpy: matrix products so small that its other threads sleep, and
logarithms of shares.

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


def log_softmax(scores: Floats) -> Floats:
    """Of each row: the logarithms of shares that come to one."""
    scores = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(scores - np.log(np.exp(scores).sum(axis=1, keepdims=True)))
