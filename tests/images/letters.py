"""Letters as ink, and what is left of it."""

import numpy as np

from san.images.bitmap import Mask
from san.images.clean.components import find_components, stroke_width
from san.images.clean.cut_off import cut_off
from san.images.clean.edge_lines import without_lines

NIB = 4


def letter(ink: Mask, left: int, top: int, height: int = 40) -> None:
    """An E: an upright and three bars."""
    ink[top : top + height, left : left + NIB] = 1
    for row in (top, top + height // 2 - 2, top + height - NIB):
        ink[row : row + NIB, left : left + 3 * height // 4] = 1


def writing(rows: int = 60, top: int = 10) -> Mask:
    """Five letters, 40 pixels high, that touch no edge."""
    ink = np.zeros((rows, 300), np.uint8)
    for left in (20, 60, 100, 140, 220):
        letter(ink, left, top)
    return ink


def kept(ink: Mask) -> Mask:
    found = find_components(ink)
    gone = cut_off(found, ink.shape, stroke_width(ink))
    return np.asarray(np.concatenate([[False], ~gone])[found.labels], np.uint8)


def loose(ink: Mask) -> Mask:
    return without_lines(ink, find_components(ink), stroke_width(ink))
