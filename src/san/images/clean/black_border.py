"""Black wedges and bars around a photograph that was turned or boxed: neither paper nor ink."""

import cv2
import numpy as np

from san.images.bitmap import Grey, resized

BLACK = 12
"""What fills a frame, give or take JPEG's ripples."""
PAPER = 50
"""A page darker than this could be black itself."""
CONTACT = 0.15
"""Of a side: ink that runs out of the picture touches less of it."""
LOOK = 1_000_000
"""Pixels at which the frame is looked for."""


def without_frame(grey: Grey) -> Grey:
    """The picture, its frame filled with the paper's own grey."""
    sides = (grey[0], grey[-1], grey[:, 0], grey[:, -1])
    if max(float((side <= BLACK).mean()) for side in sides) < CONTACT:
        return grey
    small = resized(grey, min(1.0, (LOOK / grey.size) ** 0.5))
    if np.median(small) < PAPER:
        return grey
    _, labels = cv2.connectedComponents((small <= BLACK).astype(np.uint8), connectivity=4)
    frame = np.zeros(int(labels.max()) + 1, bool)
    for side in (labels[0], labels[-1], labels[:, 0], labels[:, -1]):
        frame |= np.bincount(side, minlength=len(frame)) > CONTACT * len(side)
    frame[0] = False
    outside = cv2.dilate(frame[labels].astype(np.uint8), np.ones((5, 5), np.uint8))
    if outside.all() or not outside.any():
        return grey
    paper = np.uint8(np.median(small[outside == 0]))
    size = (grey.shape[1], grey.shape[0])
    outside = cv2.resize(outside, size, interpolation=cv2.INTER_NEAREST)
    return np.where(outside > 0, paper, grey)
