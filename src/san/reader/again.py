"""Second thoughts: what was read unsurely is looked at again, smaller and larger.

Design choices
- At another size the network makes other errors. A tree has the mean of the probabilities that all
  looks give it, and the largest wins: a vote, in which who is surer counts for more.
- Only where the first look is unsure. Where it is not, others hardly ever change its mind.
- That mean is as it stands about the share of readings that are right (docs/confidence.md): the
  curve of `Calibration`, which is that of one look, is not asked.
- A look is a page like any other with a scale of its own, so boxes find their way back.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np

from san.decoding import Reading
from san.grammar import Expression
from san.reader.page import Page, small_enough

SIZES = (0.85, 1.18)
"""Of the pictures that are looked at beside the first."""
SURE = 0.7
"""Probability from which on a first reading stays as it is."""
INK = 110
"""Grey from which on a pixel between ink and paper is ink: strokes keep their width."""


class Read(NamedTuple):
    """One reading, the page that it was read from, and how likely it is to be right."""

    page: Page
    reading: Reading
    confidence: float


def resized(page: Page, factor: float) -> Page:
    """The same page, as a smaller or larger picture."""
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    height, width = page.picture.shape
    size = (max(round(width * factor), 1), max(round(height * factor), 1))
    picture = cv2.resize(page.picture, size, interpolation=how)
    two_valued = np.where(picture > INK, 255, 0).astype(np.uint8)
    return small_enough(replace(page, picture=two_valued, scale=page.scale * factor))


def agreed(looks: Sequence[tuple[Page, Sequence[Reading]]]) -> list[Read]:
    """Different trees, the most probable first; each as the look read it that is surest of it."""
    said: dict[Expression, float] = {}
    best: dict[Expression, tuple[Page, Reading]] = {}
    for page, readings in looks:
        for reading in readings:
            tree, own = reading.expression, reading.probability
            said[tree] = said.get(tree, 0.0) + own / len(looks)
            if tree not in best or own > best[tree][1].probability:
                best[tree] = page, reading
    found = [Read(*best[tree], confidence) for tree, confidence in said.items()]
    return sorted(found, key=lambda one: -one.confidence)
