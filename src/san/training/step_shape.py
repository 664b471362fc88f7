"""The sizes that a training step is captured for, rounded up so that few graphs serve all; and the
numbers that it begins with."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.training.batching import Bucket

HEADER = 16
"""Numbers before the pictures' table: the seed, then floats."""


class StepShape(NamedTuple):
    """The sizes that a captured graph is made for."""

    bucket: Bucket
    levels: int
    slots: int
    max_steps: int = 0  # of one image, where the network has a fine attention


def round_slots(width: int, images: int) -> int:
    """Slots for so many steps of a level: 1.5, 2, 3, 4, 6, ... times the images."""
    slots = images * 3 // 2
    while slots < width:
        slots = slots * 4 // 3 if slots & (slots - 1) else slots * 3 // 2
    return -(-slots // 4) * 4


def round_steps(steps: int) -> int:
    """32, 64, 128, ...: few graphs, and fast sizes of products. 0 stays 0."""
    return max(32, 1 << (steps - 1).bit_length()) if steps else 0


def step_header(
    seed: int, rate: float, keep: float, count: int, attention_weight: float
) -> NDArray[np.int32]:
    header = np.zeros(HEADER, np.int32)
    header[0] = seed
    header[1:5].view(np.float32)[:] = rate, keep, count, attention_weight
    return header
