"""Tells a picture with a flat ground (print on a screen, a drawing, a bare scan) from a photograph.

Design choices
- Most of its pixels are of one grey and the same: no camera makes that.
- It has no noise, so where a stroke ends is free to choose. Print has hairlines (the bars of `L`
  and `T`, the feet of `4`, the edges of a bracket) that are thinner than a pixel, and paler
  for that: at half of the ink's contrast they are lost (experiments/print.md).
"""

import cv2
import numpy as np

from san.images.bitmap import Grey

MIN_FLAT_SHARE = 0.5
"""Of all pixels, those of the commonest grey. Of 319 photographs none has as many."""
FLAT_EDGE_LEVEL = 0.38
"""Of the ink's contrast: where a stroke ends, hairlines and all. From 0.35 to 0.42 print reads
alike."""


def has_flat_ground(grey: Grey) -> bool:
    """Whether most pixels are of one grey."""
    return flat_ground(grey) is not None


def flat_ground(grey: Grey) -> int | None:
    """The grey that most pixels are of; None where there is none."""
    counts = np.asarray(cv2.calcHist([grey], [0], None, [256], [0, 256]))
    return int(counts.argmax()) if counts.max() >= MIN_FLAT_SHARE * grey.size else None
