"""Connected components of ink: their size, the width of the strokes, which edges they touch.

Design choices
- A photograph has no strokes to measure, only connected pieces of ink. Drawn as the field draws
  them, CROHME's training ink has a mean piece height of 29.4 pixels, log-deviation 0.10, if pieces
  at most a tenth as tall as the tallest do not count and the nib's width is taken off. Of fifteen
  such statistics this was the steadiest; medians vary twice as much.
"""

from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import NIB, Mask

BITMAP_MEAN_HEIGHT = 29.4
"""Mean height of a piece of ink in the field's bitmaps, without the nib."""
MAX_SHORT_LABELS = 65_000
"""Labels that two bytes hold for certain."""
MIN_HEIGHT_TO_LENGTH = 1 / 8
"""Pieces that are all flatter than this (a lone bar) have no height to go by."""


Labels = NDArray[np.uint16] | NDArray[np.int32]


class Components(NamedTuple):
    """Connected pieces of ink: their labels in the picture, and left, top, width, height, area."""

    labels: Labels
    stats: NDArray[np.int32]  # (n, 5), of labels 1 to n


class LabelledInk(NamedTuple):
    """All that OpenCV tells of the pieces; label 0, the paper, comes first."""

    labels: Labels
    stats: NDArray[np.int32]  # left, top, width, height, area
    centres: NDArray[np.float64]  # x, y


def label_ink(mask: Mask) -> LabelledInk:
    height, width = mask.shape
    # Of two by two pixels no two belong to different pieces. Short labels take half the time.
    few = (height + 1) // 2 * ((width + 1) // 2) < MAX_SHORT_LABELS
    kind = cv2.CV_16U if few else cv2.CV_32S
    _, labelled, stats, centres = cv2.connectedComponentsWithStats(mask, connectivity=8, ltype=kind)
    labels: Labels = np.asarray(labelled, np.uint16) if few else np.asarray(labelled, np.int32)
    return LabelledInk(labels, np.asarray(stats, np.int32), np.asarray(centres, np.float64))


def find_components(mask: Mask) -> Components:
    labelled = label_ink(mask)
    return Components(labelled.labels, labelled.stats[1:])


def stroke_width(mask: Mask) -> float:
    """Mean width of the strokes, by the mean distance to paper of the pixels across them.

    Across four pixels that is 1, 2, 2, 1: a quarter of the width, and one half.
    """
    inside = cv2.distanceTransform(cv2.copyMakeBorder(mask, 1, 1, 1, 1, 0), cv2.DIST_C, 3)
    amount = cv2.countNonZero(mask)
    return max(1.0, 4 * cv2.sumElems(inside)[0] / amount - 2) if amount else 1.0


def mean_height(stats: NDArray[np.int32], nib: float) -> float:
    """Of the pieces more than a tenth as tall as the tallest, without the pen's width."""
    heights = np.maximum(stats[:, 3] - nib, 0)
    tall = heights[10 * heights > heights.max()]
    return float(tall.sum()) / len(tall) if len(tall) else 0.0


def scale_of(stats: NDArray[np.int32], nib: float) -> float:
    """What brings writing to the size of the field's bitmaps."""
    size = mean_height(stats, nib)
    longest = float(np.maximum(stats[:, 2:4].max(axis=1) - nib, 0).mean())
    if size < MIN_HEIGHT_TO_LENGTH * longest:
        size = longest
    # Dots alone: what counts is how thick they are.
    return BITMAP_MEAN_HEIGHT / size if size > nib / 2 else NIB / nib


Which = NDArray[np.bool_]


class Sides:
    """Which pieces touch which edges of the picture."""

    def __init__(self, labelled: Components, shape: tuple[int, ...]) -> None:
        left, top, width, height, _ = labelled.stats.T
        self.left, self.right = left <= 1, left + width >= shape[1] - 1
        self.top, self.bottom = top <= 1, top + height >= shape[0] - 1
        self.corner = (self.left | self.right) & (self.top | self.bottom)
        self.free = ~(self.left | self.right | self.top | self.bottom)


def at_edge(labelled: Components, shape: tuple[int, ...]) -> Which:
    """Pieces that touch the edge of the picture."""
    return np.asarray(~Sides(labelled, shape).free, bool)
