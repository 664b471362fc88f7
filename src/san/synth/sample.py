"""A training sample that was made: a picture, its tree, and the box of every symbol."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.grammar import Expression
from san.ink.draw import Picture

Boxes = NDArray[np.float32]
"""Rows of left, top, right, bottom in pixels; NaN where a box is not known."""


class SynthSample(NamedTuple):
    """A picture, what is written on it, and where."""

    picture: Picture
    tree: Expression
    boxes: Boxes
    """(steps, 4): a row for each step of unfold(tree); NaN where a step writes no symbol, or where
    its place is not known."""


def boxes_of_steps(boxes: Boxes, steps: Sequence[int], step_count: int) -> Boxes:
    """Boxes of symbols, in walk order, as rows of the steps that write them."""
    rows = np.full((step_count, 4), np.nan, np.float32)
    rows[list(steps)] = boxes[: len(steps)]
    return rows
