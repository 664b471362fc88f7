"""A picture bent a little everywhere: the same symbols, as another hand might shape them.

Ink has points that can be moved before it is drawn; of a photograph there are only pixels. Two
fields of chance move these: one as wide as a letter's parts, which makes a bowl rounder or a stroke
longer, and one as wide as some letters, which makes the line uneven. Both are drawn on a few knots
and smooth between them.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.light import Contrast
from san.images.size import HEIGHT
from san.images.snapshot import Boxes

Field = NDArray[np.float32]
"""(height, width, 2): from where each pixel is taken, to the right and down of itself."""

FIELDS = ((0.6, 0.085), (2.5, 0.15))
"""Between knots and mean length at most, in letters."""


def bent(ink: Contrast, boxes: Boxes, rng: np.random.Generator) -> tuple[Contrast, Boxes]:
    """By more or less: some hardly at all. Boxes are told where their ink came to lie."""
    field = _field(ink.shape, rng)
    rows, columns = np.indices(ink.shape, np.float32)
    moved = cv2.remap(ink, columns + field[..., 0], rows + field[..., 1], cv2.INTER_LINEAR)
    return np.asarray(moved, np.float32), _moved(boxes, field)


def _field(shape: tuple[int, ...], rng: np.random.Generator) -> Field:
    height, width = shape
    field = np.zeros((height, width, 2), np.float32)
    for apart, most in FIELDS:
        step = HEIGHT * apart
        knots = rng.standard_normal((int(height / step) + 2, int(width / step) + 2, 2), np.float32)
        knots = knots.clip(-2, 2) * np.float32(HEIGHT * most * rng.random())
        field += cv2.resize(knots, (width, height), interpolation=cv2.INTER_CUBIC)
    return field


def _moved(boxes: Boxes, field: Field) -> Boxes:
    """What is taken from the right has moved to the left: upright boxes around what became of
    corners and middles of sides."""
    if not len(boxes):
        return boxes
    steps = np.array((0.0, 0.5, 1.0), np.float32)
    x = boxes[:, :1] + (boxes[:, 2:3] - boxes[:, :1]) * np.repeat(steps, 3)
    y = boxes[:, 1:2] + (boxes[:, 3:] - boxes[:, 1:2]) * np.tile(steps, 3)
    points = np.stack((x, y), axis=2) - _at(field, x, y)
    return np.concatenate((points.min(axis=1), points.max(axis=1)), axis=1)


def _at(field: Field, x: NDArray[np.float32], y: NDArray[np.float32]) -> NDArray[np.float32]:
    """The field where the pixels are; anywhere for what is nowhere."""
    height, width = field.shape[:2]
    column, row = (np.nan_to_num(own).round().astype(np.intp) for own in (x, y))
    return np.asarray(field[row.clip(0, height - 1), column.clip(0, width - 1)])
