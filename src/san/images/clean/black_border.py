"""Fills the black wedges and bars around a photograph that was rotated or letterboxed.

A frame is black from the sides of the picture on, along its rows and its columns. Ink that touches
it may be as black, but between its strokes there is paper.
"""

import cv2
import numpy as np

from san.images.bitmap import Grey, Mask, resized
from san.images.clean.components import Which

MAX_BLACK_GREY = 12
"""What fills a frame, give or take JPEG's ripples."""
MIN_PAPER_GREY = 50
"""A page darker than this could be black itself."""
MIN_SIDE_SHARE = 0.15
"""Of a side: ink that runs out of the picture touches less of it."""
MAX_PIXELS = 1_000_000
"""Pixels at which the frame is looked for."""


def without_black_border(grey: Grey) -> Grey:
    """The picture, its frame filled with the paper's own grey."""
    sides = (grey[0], grey[-1], grey[:, 0], grey[:, -1])
    if max(float((side <= MAX_BLACK_GREY).mean()) for side in sides) < MIN_SIDE_SHARE:
        return grey
    small = resized(grey, min(1.0, (MAX_PIXELS / grey.size) ** 0.5))
    if np.median(small) < MIN_PAPER_GREY:
        return grey
    _, labels = cv2.connectedComponents((small <= MAX_BLACK_GREY).astype(np.uint8), connectivity=4)
    frame = np.zeros(int(labels.max()) + 1, bool)
    for side in (labels[0], labels[-1], labels[:, 0], labels[:, -1]):
        frame |= np.bincount(side, minlength=len(frame)) > MIN_SIDE_SHARE * len(side)
    frame[0] = False
    outside = cv2.dilate(_from_sides(frame[labels]), np.ones((5, 5), np.uint8))
    if outside.all() or not outside.any():
        return grey
    paper = np.uint8(np.median(small[outside == 0]))
    size = (grey.shape[1], grey.shape[0])
    outside = cv2.resize(outside, size, interpolation=cv2.INTER_NEAREST)
    return np.where(outside > 0, paper, grey)


def _from_sides(frame: Which) -> Mask:
    """What can be reached from a side of the picture along its row, and along its column."""
    ways = []
    for turned in (frame, frame.T):
        across = np.logical_and.accumulate(turned, axis=1)
        back = np.logical_and.accumulate(turned[:, ::-1], axis=1)[:, ::-1]
        ways.append(across | back)
    return np.asarray(ways[0] & ways[1].T, np.uint8)
