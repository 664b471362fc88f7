"""Other views of a picture: leant, shrunk, bent, with thicker or thinner strokes.

A sample that is seen again is learnt by heart; one that lies otherwise is nearly a new one. Making
samples takes the cores of a machine, warping them nothing: pictures are unpacked on the device
anyway (`Dataset.unpack_images`), at places that a few numbers an image tell.

- A pixel (x, y) of the view shows the picture at
  u = a x + b y + c + e sin(f y + g),  v = h y + i + j sin(k x + l),
  between its four pixels there; it is ink where that is above a threshold.
- A thicker pen: it is also ink where that is so a radius beside, above or below that place. Small
  formulas on a large sheet have such strokes.
- Only smaller than the picture, so that nothing leaves it: sizes, buckets and masks stay.
- Boxes follow, but for the waves, which move them by less than a cell.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from san.config import ranged

Bound = NDArray[np.float64] | float
WARP_NUMBERS = 13
"""Of an image: a, b, c, e, f, g, h, i, j, k, l, threshold, radius."""
IDENTITY = np.array([1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5, 0], np.float32)
MAX_TAKEN = 0.25
"""Part of the width that leaning may take, and waves: narrow pictures lean and bend less."""
PERIODS = (1.0, 3.0)
"""Of a wave, in heights of the picture."""


@dataclass(frozen=True)
class WarpConfig:
    """How far a view that is not the first may be from the picture; by default not at all."""

    lean: float = ranged(0.0, 0.0, 1.0, "columns to the side for a row, at most")
    shrink: float = ranged(0.0, 0.0, 0.5, "part of height and of width that is lost, at most")
    wave: float = ranged(0.0, 0.0, 0.2, "height of waves, in heights of the picture, at most")
    stroke: float = ranged(0.0, 0.0, 0.4, "how far the threshold of ink is from 0.5, at most")

    thicken: float = ranged(0.0, 0.0, 4.0, "pixels by which strokes grow on each side, at most")

    @property
    def is_none(self) -> bool:
        return self == WarpConfig()


def no_warp(images: int) -> NDArray[np.float32]:
    return np.repeat(IDENTITY[:, None], images, axis=1)


def random_warp(
    sizes: NDArray[np.int64], config: WarpConfig, rng: np.random.Generator
) -> NDArray[np.float32]:
    """WARP_NUMBERS x images, for pictures of these sizes (height, width)."""
    height, width = sizes.T.astype(float)
    count = len(sizes)

    def uniform(low: Bound, high: Bound) -> NDArray[np.float64]:
        return rng.uniform(low, high, count)

    amplitude_x, amplitude_y = config.wave * height * rng.random((2, count))
    amplitude_x = np.minimum(amplitude_x, MAX_TAKEN / 2 * width)
    lean_limit = np.minimum(config.lean, MAX_TAKEN * width / height)
    lean = uniform(-lean_limit, lean_limit)
    taken_x = 2 * amplitude_x + np.abs(lean) * height  # what waves and leaning need of the width
    taken_y = 2 * amplitude_y
    scale_x = np.minimum(uniform(1 - config.shrink, 1.0), 1 - taken_x / width)
    scale_y = np.minimum(uniform(1 - config.shrink, 1.0), 1 - taken_y / height)
    left = uniform(0.0, np.maximum(width * (1 - scale_x) - taken_x, 0)) + taken_x / 2
    top = uniform(0.0, np.maximum(height * (1 - scale_y) - taken_y, 0)) + taken_y / 2
    # x = left + scale_x u + lean (v - height / 2), y = top + scale_y v, solved for u and v.
    slope, start = 1 / scale_y, -top / scale_y
    a, b = 1 / scale_x, -lean * slope / scale_x
    c = (-left - lean * (start - height / 2)) / scale_x
    f, k = (2 * np.pi / (height * uniform(*PERIODS)) for _ in range(2))
    g, phase = (uniform(0.0, 2 * np.pi) for _ in range(2))
    threshold = uniform(0.5 - config.stroke, 0.5 + config.stroke)
    radius = np.maximum(uniform(-config.thicken, config.thicken), 0)  # of half of the views none
    rows = (a, b, c, amplitude_x, f, g, slope, start, amplitude_y, k, phase, threshold, radius)
    return np.stack(rows).astype(np.float32)


def warped_boxes(
    boxes: NDArray[np.int16], image: NDArray[np.int32], warp: NDArray[np.float32]
) -> NDArray[np.int16]:
    """Where boxes (... x 4) lie in the views of their images; unknown ones stay so."""
    a, b, c, _, _, _, slope, start, *_ = (row[image] for row in warp)
    left, top, right, bottom = np.moveaxis(boxes.astype(np.float32), -1, 0)
    above, below = (top - start) / slope, (bottom - start) / slope
    shifts = np.stack([-b * y - c for y in (above, below)])
    moved = np.stack(
        ((left + shifts.min(0)) / a, above, (right + shifts.max(0)) / a, below), axis=-1
    )
    known = boxes[..., 2:3] >= 0
    return np.where(known, np.maximum(np.rint(moved), 0), boxes).astype(np.int16)
