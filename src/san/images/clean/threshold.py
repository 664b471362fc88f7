"""Separates ink from paper: thresholds of the contrast, for the whole picture and locally.

Design choices
- Half of a page or more is paper: the spread of its contrast is the noise, and ink has to stand out
  from it.
- A stroke's edge is where the contrast falls to half of what it is within, blurred or not.
- Rulings that were not found may be most of what stands out. Where that leads to nothing, what is
  far darker than the rest is the ink: the parting of two kinds is Otsu's.
- A wiped board stands out from itself, as pale as nobody writes; what is far bolder is the chalk.
- One or two letters may fill a close crop, so that hardly any paper is there to know the noise by.
  Where nothing else leads to ink, two kinds that are clearly two are paper and ink.
- Once the size of the writing is known, the ink's contrast is taken from the neighbourhood, so that
  a faint symbol beside a bold one stays whole; and a pixel has to be darker than its surroundings,
  so that the two bars of a blurred equals sign stay two.
- Levels of 256 are blurred by OpenCV's own whole-numbered bell curve, but in floating point: every
  sum is exact there and the same to the last bit, and it takes a quarter of the time.
"""

from functools import cache
from typing import Any, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Grey, Mask
from san.images.clean.contrast import Contrast

MIN_CONTRAST = 0.05
"""Contrast that could be ink: pencil on grey paper has 0.1."""
MIN_INK_CONTRAST = 0.08
"""Contrast of the palest pencil."""
MIN_LEVEL_TO_FLOOR = 1.4
"""Times what could be noise: what stands out. The tail of noise alone comes to 1.3."""
NOISE_SIGMAS = 6.0
"""So many times the noise could be ink."""
EDGE_LEVEL = 0.5
"""Of the ink's contrast, where a stroke ends."""
MIN_BOLD_TO_PALE = 2.5
"""Times the contrast of what is paler: ink among rulings has more."""
BLUR_WINDOW = 13
"""Pixels of the window around bold ink in which paler pixels are its own blurred edge."""
MIN_KIND_SHARE, MIN_BETWEEN_VARIANCE = 0.2, 0.8
"""Of a close crop: how much is ink, and how much paper; of all that varies, what the two differ by.
Of noise alone that is two thirds."""
MIN_LOCAL_LEVEL = 0.6
"""Of the picture's ink: what a neighbourhood's ink has at least."""
NEIGHBOURHOOD_PIXELS = 21
"""Pixels of a neighbourhood, where writing has the field's size."""
SURROUNDINGS_SIGMA = 4.0
"""Pixels, standard deviation, of the surroundings that ink has to be darker than."""


class Threshold(NamedTuple):
    """What tells ink from paper in one picture."""

    floor: float  # below it lies noise
    level: float  # contrast of the ink
    edge_level: float = EDGE_LEVEL  # of the ink's contrast, where a stroke ends

    @property
    def edge(self) -> float:
        return max(self.floor, self.edge_level * self.level)


def noise_threshold(difference: Contrast) -> Threshold | None:
    """None where nothing stands out."""
    # Ink only adds. However much there is of it, the lowest quarter is paper; for a bell curve
    # the rest follows from there.
    low, quarter = np.percentile(difference[::2, ::2], (5, 25)).tolist()
    noise = (quarter - low) / 0.97
    floor = max(MIN_CONTRAST, quarter + (0.67 + NOISE_SIGMAS) * noise)
    ink = difference[difference > floor]
    if not ink.size:
        return None
    level = float(np.percentile(ink, 75))
    return (
        Threshold(floor, level)
        if level > max(MIN_INK_CONTRAST, MIN_LEVEL_TO_FLOOR * floor)
        else None
    )


def bold_threshold(difference: Contrast) -> Threshold | None:
    """The darker of two kinds that stand out; None where there are no two."""
    cut = noise_threshold(difference)
    if cut is None:
        return None
    ink = difference[difference > cut.floor]
    levels = np.clip(255 * ink, 0, 255).astype(np.uint8)
    otsu = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[0] / 255
    dark = ink > otsu
    if not dark.any() or dark.all():
        return None
    level = float(np.percentile(ink[dark], 75))
    return Threshold(otsu, level) if level > MIN_BOLD_TO_PALE * float(ink[~dark].mean()) else None


def dusty_threshold(difference: Contrast) -> Threshold | None:
    """The bolder of two kinds, where there are two: chalk, and what was wiped off."""
    plain, bold = noise_threshold(difference), bold_threshold(difference)
    if plain is None or bold is None:
        return plain
    chalk = above(difference, bold.floor)
    beside = np.asarray(cv2.dilate(chalk, np.ones((BLUR_WINDOW, BLUR_WINDOW), np.uint8)), np.uint8)
    dust = above(difference, plain.floor) & (1 - beside)
    return bold if int(dust.sum()) > int(chalk.sum()) else plain


def two_level_threshold(difference: Contrast) -> Threshold | None:
    """Two kinds that lie far apart, where a close crop is full of ink; None where there are no two.

    There a good part of the paper is next to ink, and blurred: its spread is no noise.
    """
    levels = np.clip(255 * difference, 0, 255).astype(np.uint8)
    otsu = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)[0]
    dark = levels > otsu
    share = float(dark.mean())
    if not MIN_KIND_SHARE < share < 1 - MIN_KIND_SHARE:
        return None
    difference_of_means = float(levels[dark].mean()) - float(levels[~dark].mean())
    if share * (
        1 - share
    ) * difference_of_means * difference_of_means < MIN_BETWEEN_VARIANCE * float(levels.var()):
        return None
    level = float(np.percentile(difference[dark], 75))
    return Threshold(MIN_CONTRAST, level) if level > MIN_INK_CONTRAST else None


def above(difference: Contrast, value: float) -> Mask:
    return np.asarray(difference > value, np.uint8)


def local_ink(difference: Contrast | Grey, cut: Threshold) -> Mask:
    """The ink of a picture whose writing has the field's size; both in the same measure."""
    local_maximum = cv2.dilate(
        difference, np.ones((NEIGHBOURHOOD_PIXELS, NEIGHBOURHOOD_PIXELS), np.uint8)
    )
    if difference.dtype == np.uint8:
        # Nothing lies between two levels, so each has its own edge.
        edges = np.minimum(_edge(np.arange(256, dtype=np.uint8), cut), 255).astype(np.uint8)
        edge = cv2.max(
            cv2.LUT(_blurred(local_maximum, NEIGHBOURHOOD_PIXELS / 3), edges),
            _blurred(difference, SURROUNDINGS_SIGMA),
        )
        return np.asarray(cv2.threshold(cv2.subtract(difference, edge), 0, 1, cv2.THRESH_BINARY)[1])
    edge = _edge(np.asarray(cv2.GaussianBlur(local_maximum, (0, 0), NEIGHBOURHOOD_PIXELS / 3)), cut)
    edge = np.maximum(edge, cv2.GaussianBlur(difference, (0, 0), SURROUNDINGS_SIGMA))
    return np.asarray(difference > edge, np.uint8)


def _edge(local_maximum: NDArray[Any], cut: Threshold) -> NDArray[Any]:
    """Where a stroke ends beside ink of some contrast."""
    level = np.clip(local_maximum, MIN_LOCAL_LEVEL * cut.level, cut.level)
    return np.asarray(np.maximum(cut.edge_level * level, cut.floor))


def _blurred(levels: NDArray[Any], width: float) -> Grey:
    """As cv2.GaussianBlur has it."""
    curve = _curve(width)
    # Halves are rounded up. Sums are of 65536ths and below 256: 24 bits, which floats have.
    sums = cv2.sepFilter2D(levels, cv2.CV_32F, curve, curve, delta=0.5)
    return np.asarray(sums, np.float32).astype(np.uint8)


@cache
def _curve(width: float) -> NDArray[np.float32]:
    """OpenCV's bell curve for levels, which is of whole 256ths: what it makes of a single pixel."""
    reach = round(4 * width)
    pixel = np.zeros((1, 2 * reach + 1), np.uint8)
    pixel[0, reach] = 255  # loses less than half of a 256th where the curve is below a half
    curve = cv2.GaussianBlur(pixel, (0, 0), width)[0]
    curve = curve[np.flatnonzero(curve)[0] : np.flatnonzero(curve)[-1] + 1]
    return np.asarray(curve / np.float32(256), np.float32)
