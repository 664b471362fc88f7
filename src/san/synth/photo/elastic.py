"""Elastic distortion of a picture: the same symbols, as another writer might shape them.

Ink has points that can be moved before it is drawn; of a photograph there are only pixels. Two
random fields move these: one as wide as a letter's parts, which makes a bowl rounder or a stroke
longer, and one as wide as some letters, which makes the line uneven. Both are drawn on a few knots
and smooth between them.

Distorted and seen from somewhere in one go: every pixel is taken from the picture once. From where
is worked out for a few of them, for it hardly differs from one to the next.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.clean.components import BITMAP_MEAN_HEIGHT
from san.images.clean.contrast import Contrast
from san.synth.photo.config import ElasticConfig
from san.synth.samples import Boxes

Field = NDArray[np.float32]
"""(rows, columns, 2): from where some pixels are taken, to the right and down of themselves."""
View = NDArray[np.float64]
"""(3, 3): what a camera makes of a plane."""

BOX_POINTS = np.array([(x, y) for x in (0, 0.5, 1) for y in (0, 0.5, 1)], np.float32)
"""Corners, middles of sides and the middle of a square."""
FROM_ABOVE: View = np.eye(3)


def distort(
    ink: Contrast,
    boxes: Boxes,
    rng: np.random.Generator,
    view: View = FROM_ABOVE,
    size: tuple[int, int] | None = None,
    config: ElasticConfig = ElasticConfig(),
) -> tuple[Contrast, Boxes]:
    """Ink and its boxes, distorted by more or less, then seen so, in so many columns and rows."""
    width, height = size or ink.shape[::-1]
    step = config.grid_step
    columns, rows = (-(-side // step) for side in (width, height))
    field = _field(ink.shape, (columns, rows), rng, config)
    origins = _seen(_grid(columns, rows, step), np.linalg.inv(view)) + field
    # The outermost pixels, where there is nothing, have the origin of those next to them.
    full = (columns * step, rows * step)
    x, y = (cv2.resize(axis, full, interpolation=cv2.INTER_LINEAR) for axis in cv2.split(origins))
    taken = cv2.remap(ink, x, y, cv2.INTER_LINEAR)[:height, :width]
    return np.asarray(taken, np.float32), _moved(boxes, field, view, step)


def _grid(columns: int, rows: int, step: int) -> Field:
    """The middles of squares of pixels."""
    grid = np.empty((rows, columns, 2), np.float32)
    for axis, count in enumerate((columns, rows)):
        places = np.arange(count, dtype=np.float32) * step + np.float32((step - 1) / 2)
        grid[..., axis] = places if axis == 0 else places[:, None]
    return grid


def _seen(points: Field, view: NDArray[np.floating]) -> Field:
    return np.asarray(cv2.perspectiveTransform(points, view), np.float32)


def _field(
    shape: tuple[int, ...],
    size: tuple[int, int],
    rng: np.random.Generator,
    config: ElasticConfig,
) -> Field:
    """For a picture of some shape, in so many columns and rows."""
    field = np.zeros((*size[::-1], 2), np.float32)
    for spacing, strength in (
        (config.shape_spacing, config.shape_strength),
        (config.line_spacing, config.line_strength),
    ):
        step = BITMAP_MEAN_HEIGHT * spacing
        count = (int(shape[0] / step) + 2, int(shape[1] / step) + 2, 2)
        farthest = config.max_deviations
        knots = rng.standard_normal(count, np.float32).clip(-farthest, farthest)
        knots *= np.float32(BITMAP_MEAN_HEIGHT * strength * rng.random())
        field += cv2.resize(knots, size, interpolation=cv2.INTER_CUBIC)
    return field


def _moved(boxes: Boxes, field: Field, view: View, step: int) -> Boxes:
    """What is taken from the right has moved to the left: upright boxes around what became of
    corners and middles of sides."""
    moved = np.full_like(boxes, np.nan)
    known = np.isfinite(boxes[:, 0])
    if not known.any():
        return moved
    low, high = boxes[known, None, :2], boxes[known, None, 2:]
    points = low + (high - low) * BOX_POINTS
    points = _seen(points - _at(field, _seen(points, view), step), view)
    moved[known] = np.concatenate((points.min(axis=1), points.max(axis=1)), axis=1)
    return moved


def _at(field: Field, points: Field, step: int) -> Field:
    """The field where some pixels are."""
    rows, columns = field.shape[:2]
    place = (points / step).astype(np.intp)
    return np.asarray(field[place[..., 1].clip(0, rows - 1), place[..., 0].clip(0, columns - 1)])
