"""Draws the hairlines of a large, clean picture broader: a formula out of a vector drawing.

Design choices
- A line of one pixel is as pale as its share of the pixel that it becomes when the picture is made
  smaller, and on a letter of 200 pixels that is a seventh: it was taken for paper.
- Only where nothing else was found, and only on a flat ground, where there is no noise to be drawn
  broader; and only lines that are far longer than they become broad. Specks stay specks.
"""

import cv2
import numpy as np

from san.images.bitmap import Grey
from san.images.clean.components import find_components
from san.images.clean.flat_ground import flat_ground

BROADER = (3, 7, 15)
"""Pixels that lines are drawn with: each where those before were not enough."""
MIN_LINE_CONTRAST = 64
"""Grey levels that a line is darker than the ground."""
MIN_LINE_LENGTH = 5
"""Times as long as it is broad: a shorter one may be dirt."""


def with_broad_lines(grey: Grey, pixels: int) -> Grey:
    """A picture of dark ink whose long lines are so many pixels broad at least."""
    ground = flat_ground(grey)
    if ground is None or ground < MIN_LINE_CONTRAST:
        return grey
    ink = np.asarray(grey < ground - MIN_LINE_CONTRAST, np.uint8)
    found = find_components(ink)
    long = found.stats[:, 2:4].max(axis=1) >= MIN_LINE_LENGTH * pixels
    lines = np.asarray(np.concatenate([[False], long])[found.labels], np.uint8)
    broad = cv2.dilate(lines, np.ones((pixels, pixels), np.uint8))
    darkest = cv2.erode(grey, np.ones((pixels, pixels), np.uint8))
    return np.asarray(np.where(broad > 0, darkest, grey), np.uint8)
