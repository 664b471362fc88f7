"""How a picture's longest straight line is tilted: a ruling, a bar, a root's roof.

Design choices
- Lines that people draw or print lie as the writing does. On a tilted page the longest tells its
  tilt to half a degree, where single letters tell it to five.
- A line has half the picture's width at least: a fraction bar, and no stroke of a letter.
- It is looked for in what is darker than its surroundings, at a reduced size: a shadow's edge is
  not, and time is bounded.
"""

import cv2
import numpy as np

from san.images.bitmap import Grey
from san.images.clean.contrast import is_dark_paper

MAX_SIDE = 480
"""Pixels of the picture in which the line is looked for."""
MIN_SIDE = 60
"""Pixels of a picture that may have such a line: in a smaller one a stroke is as long."""
MIN_LENGTH_SHARE, MIN_VOTE_SHARE = 0.5, 0.3
"""Of the picture's width: a line's length, and its dark points."""
MAX_GAP = 4
"""Pixels that a line may be interrupted for."""
SURROUNDINGS = 9
"""Pixels of the square that a line's pixel is darker than."""
MIN_LEVELS, MIN_NOISE, MIN_NOISE_LEVELS = 12, 3, 6
"""Of 256, by which it is: at least; and so many times what is usual, and some more."""
MAX_TILT = 25.0
"""Degrees; what is steeper is no line of writing."""


def long_line_tilt(grey: Grey) -> float:
    """Degrees clockwise, or 0 where there is none."""
    factor = min(1.0, MAX_SIDE / max(grey.shape))
    small = grey
    if factor < 1:
        size = [max(round(side * factor), 1) for side in grey.shape[::-1]]
        small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA), np.uint8)
    width = small.shape[1]
    if width < MIN_SIDE:
        return 0.0
    if is_dark_paper(small):
        small = 255 - small
    darker = cv2.morphologyEx(
        small, cv2.MORPH_BLACKHAT, np.ones((SURROUNDINGS, SURROUNDINGS), np.uint8)
    )
    least = max(MIN_LEVELS, MIN_NOISE * float(np.median(darker)) + MIN_NOISE_LEVELS)
    dark = (darker > least).view(np.uint8)
    lines = cv2.HoughLinesP(
        dark, 1, np.pi / 360, int(MIN_VOTE_SHARE * width),
        minLineLength=MIN_LENGTH_SHARE * width, maxLineGap=MAX_GAP,
    )  # fmt: skip
    if lines is None:
        return 0.0
    x, y, right, below = lines.reshape(-1, 4).astype(np.float64).T
    across, down = np.abs(right - x), (below - y) * np.sign(right - x)
    tilts = np.degrees(np.arctan2(down, across))
    lengths = np.where(np.abs(tilts) <= MAX_TILT, np.hypot(across, down), 0.0)
    return float(tilts[lengths.argmax()]) if lengths.any() else 0.0
