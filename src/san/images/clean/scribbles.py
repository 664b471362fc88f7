"""Scribbles in a cleaned picture: symbols that were crossed out until they are a dense blot.

Only blots are found: a connected part that fills much of its box and has a core without paper, once
the narrow gaps between its strokes are closed. A looser scribble looks like symbols that touch one
another and a rule, and a formula that is lost is worse than a scribble that is read. On 916
photographs of HME100K's training and validation sets no part of a formula is taken for one.
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.clean.components import find_components
from san.ink import Box

Picture = NDArray[np.uint8]

MIN_SIDE = 24
"""Pixels of a blot's shorter side; a stroke is 28 high on average."""
MIN_FILL = 0.45
"""Of its box."""
GAP, CORE = 5, 13
"""Pixels: gaps between strokes that are closed, and the side of a square that fits the core."""
MIN_CORE = 100
"""Pixels at which such a square may stand."""
MAX_PARTS = 2_000
"""Of a picture that is looked at."""


class Scribbles(NamedTuple):
    """A picture without its scribbles, and where they were."""

    picture: Picture
    boxes: list[Box]


def without_scribbles(picture: Picture) -> Scribbles:
    """White ink on black; as it is where nothing is crossed out, or where nothing would be left."""
    found = find_components((picture > 127).astype(np.uint8))
    left, top, width, height, area = (found.stats[:, column] for column in range(5))
    may_be = (np.minimum(width, height) >= MIN_SIDE) & (area >= MIN_FILL * width * height)
    if not may_be.any() or len(area) > MAX_PARTS:
        return Scribbles(picture, [])
    kept, boxes = picture, []
    for number in np.flatnonzero(may_be).tolist():
        x, y, across, down = (int(side[number]) for side in (left, top, width, height))
        window = slice(y, y + down), slice(x, x + across)
        own = found.labels[window] == number + 1
        if _core(own) >= MIN_CORE:
            kept = picture.copy() if kept is picture else kept
            kept[window][own] = 0
            boxes.append(Box(x, y, x + across, y + down))
    return Scribbles(kept, boxes) if kept.any() else Scribbles(picture, [])


def _core(own: NDArray[np.bool_]) -> int:
    """At how many places a square fits into a part whose gaps are closed."""
    around = cv2.copyMakeBorder(own.astype(np.uint8), GAP, GAP, GAP, GAP, cv2.BORDER_CONSTANT)
    closed = cv2.morphologyEx(around, cv2.MORPH_CLOSE, np.ones((GAP, GAP), np.uint8))
    return int(cv2.erode(closed, np.ones((CORE, CORE), np.uint8)).sum())
