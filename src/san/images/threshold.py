"""Which pixels are ink.

Design choices
- Half of a page or more is paper: the spread of its contrast is the noise, and ink has to stand out
  from it.
- A stroke's edge is where the contrast falls to half of what it is within, blurred or not.
- Rulings that were not found may be most of what stands out. Where that leads to nothing, what is
  far darker than the rest is the ink: the parting of two kinds is Otsu's.
- Once the size of the writing is known, the ink's contrast is taken from the neighbourhood, so that
  a faint symbol beside a bold one stays whole; and a pixel has to be darker than its surroundings,
  so that the two bars of a blurred equals sign stay two.
"""

from typing import NamedTuple

import cv2
import numpy as np

from san.images.bitmap import Grey, Mask
from san.images.light import Contrast

LEAST = 0.05
"""Contrast that could be ink: pencil on grey paper has 0.1."""
PALEST = 0.08
"""Contrast of the palest pencil."""
CLEAR = 1.4
"""Times what could be noise: what stands out. The tail of noise alone comes to 1.3."""
NOISE = 6.0
"""So many times the noise could be ink."""
EDGE = 0.5
"""Of the ink's contrast, where a stroke ends."""
BOLD = 2.5
"""Times the contrast of what is paler: ink among rulings has more."""
FAINTEST = 0.6
"""Of the picture's ink: what a neighbourhood's ink has at least."""
AROUND = 21
"""Pixels of a neighbourhood, where writing has the field's size."""
NEAR = 4.0
"""Pixels, standard deviation, of the surroundings that ink has to be darker than."""


class Threshold(NamedTuple):
    """What tells ink from paper in one picture."""

    floor: float  # below it lies noise
    level: float  # contrast of the ink

    @property
    def edge(self) -> float:
        return max(self.floor, EDGE * self.level)


def threshold(difference: Contrast) -> Threshold | None:
    """None where nothing stands out."""
    # Ink only adds. However much there is of it, the lowest quarter is paper; for a bell curve
    # the rest follows from there.
    low, quarter = np.percentile(difference[::2, ::2], (5, 25)).tolist()
    noise = (quarter - low) / 0.97
    floor = max(LEAST, quarter + (0.67 + NOISE) * noise)
    ink = difference[difference > floor]
    if not ink.size:
        return None
    level = float(np.percentile(ink, 75))
    return Threshold(floor, level) if level > max(PALEST, CLEAR * floor) else None


def bold(difference: Contrast) -> Threshold | None:
    """The darker of two kinds that stand out; None where there are no two."""
    cut = threshold(difference)
    if cut is None:
        return None
    ink = difference[difference > cut.floor]
    levels = np.clip(255 * ink, 0, 255).astype(np.uint8)
    parting = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[0] / 255
    dark = ink > parting
    if not dark.any() or dark.all():
        return None
    level = float(np.percentile(ink[dark], 75))
    return Threshold(parting, level) if level > BOLD * float(ink[~dark].mean()) else None


def above(difference: Contrast, value: float) -> Mask:
    return np.asarray(difference > value, np.uint8)


def local_ink(difference: Contrast | Grey, cut: Threshold) -> Mask:
    """The ink of a picture whose writing has the field's size; both in the same measure."""
    most = cv2.dilate(difference, np.ones((AROUND, AROUND), np.uint8))
    most = cv2.GaussianBlur(most, (0, 0), AROUND / 3)
    level = np.clip(most, FAINTEST * cut.level, cut.level)
    edge = np.maximum(EDGE * level, cut.floor)
    edge = np.maximum(edge, cv2.GaussianBlur(difference, (0, 0), NEAR))
    return np.asarray(difference > edge, np.uint8)
