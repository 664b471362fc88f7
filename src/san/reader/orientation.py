"""How writing lies on a picture: which quarter turn and which tilt, by a small network.

Design choices
- Every connected part of the ink votes. Around its centre two square windows are seen, one a letter
  wide and one a few letters wide, both in units of the writing's own size, which no turn changes.
- Windows go through two small convolutions: what matters is that there is a hook, not where.
- One function scores tilts of an upright window; the windows turned by 90, 180 and 270 degrees are
  scored by the same function. So nothing is learnt four times, and turning a picture turns the
  result and does nothing else.
- The scores of all parts are added, divided by a power of their number: parts of one formula agree
  for one reason. Signs that say nothing (a nought, a plus) learn to add nothing.
- In numpy: it takes about two milliseconds. It knows nothing of the network that reads, and serves
  any weights. `tools/train_orientation.py` makes the file.
"""

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.images.bitmap import Picture
from san.images.clean.components import label_ink
from san.model.onnx.weights import Arrays
from san.model.spec import UNREADABLE
from san.models import ORIENTATION
from san.reader.products import product

QUARTERS = 4
CELLS = 24
"""Of a window's side."""
CELL_SIZES = (0.25, 0.75)
"""Of a cell of the two windows, in mean radii of the parts of the ink."""
MAX_PARTS = 24
"""The largest are seen."""
MIN_PART_PIXELS = 12
STRIDE = 2
"""Of convolutions."""
TILTS = tuple(range(-25, 26, 5))
"""Degrees, clockwise, that are told apart."""
SCORES = QUARTERS, len(TILTS)


class Orientation(NamedTuple):
    """Log probabilities, all being as likely beforehand: clockwise quarter turns that set the
    picture upright, and the clockwise tilt that it has then."""

    scores: NDArray[np.float64]  # QUARTERS x tilts
    parts: int  # of the ink, that were seen

    @property
    def quarters(self) -> NDArray[np.float64]:
        """Log probabilities of the four quarter turns, whatever the tilt."""
        return np.asarray(np.logaddexp.reduce(self.scores, axis=1))

    def tilt(self, quarter: int) -> tuple[float, float]:
        """Mean and standard deviation of the tilt, in degrees, once the picture is turned so."""
        shares = np.exp(self.scores[quarter] - self.scores[quarter].max())
        shares /= shares.sum()
        mean = float(shares @ TILTS)
        return mean, float(shares @ (np.array(TILTS) - mean) ** 2) ** 0.5


def windows(picture: Picture) -> Floats:
    """What is seen around each part of the ink: parts x CELLS x CELLS x 2, 0 to 1."""
    ink = np.asarray(picture > 127, np.uint8)
    labels, stats, centres = label_ink(ink)
    area = stats[:, cv2.CC_STAT_AREA].astype(np.float64)
    area[0] = 0
    parts = np.argsort(-area, kind="stable")[:MAX_PARTS]
    parts = parts[area[parts] >= MIN_PART_PIXELS]
    if not len(parts):
        return np.zeros((0, CELLS, CELLS, len(CELL_SIZES)), np.float32)
    y, x = np.nonzero(ink)
    part = labels[y, x]
    squared = (x - centres[part, 0]) ** 2 + (y - centres[part, 1]) ** 2
    radii = np.sqrt(np.bincount(part, squared, len(area))[parts] / area[parts])
    radius = max(float(np.median(radii)), 1.0)
    seen = [_seen(ink, centres[parts], cell * radius) for cell in CELL_SIZES]
    return np.stack(seen, axis=3)


def _seen(ink: Picture, centres: NDArray[np.float64], cell: float) -> Floats:
    """The square window around each centre, with cells of so many pixels."""
    rows, columns = ink.shape
    size = max(round(columns / cell), 1), max(round(rows / cell), 1)
    small = cv2.resize(ink.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    framed = np.pad(np.asarray(small, np.float32), CELLS)
    scale = np.array(size) / (columns, rows)
    places = (centres + 0.5) * scale - 0.5 + CELLS
    return np.stack([cv2.getRectSubPix(framed, (CELLS, CELLS), (x, y)) for x, y in places.tolist()])


class Layer(NamedTuple):
    """A convolution of stride 2, or a product over all that is left."""

    weights: Floats  # rows x columns x inputs x outputs of a convolution; inputs x outputs
    bias: Floats

    def __call__(self, values: Floats) -> Floats:
        """From parts x rows x columns x channels, or parts x channels."""
        if self.weights.ndim == 2:
            return product(values.reshape(len(values), -1), self.weights) + self.bias
        side, _, inputs, outputs = self.weights.shape
        rows = len(range(0, values.shape[1] - side + 1, STRIDE))
        # What a row of the kernel sees lies side by side: so little is copied, once for all rows.
        seen = np.lib.stride_tricks.sliding_window_view(values, side, axis=2)[:, :, ::STRIDE]
        seen = np.ascontiguousarray(seen.transpose(0, 1, 2, 4, 3))
        shape = len(values), rows, seen.shape[2], outputs
        total = np.tile(self.bias, (len(values) * rows * shape[2], 1))
        for row, weights in enumerate(self.weights):
            part = seen[:, row : row + STRIDE * rows : STRIDE]
            total += product(part.reshape(-1, side * inputs), weights.reshape(-1, outputs))
        return total.reshape(shape)


class OrientationNetwork:
    """Convolutions and products over the windows of a picture.

    Args:
        layers: In their order; after all but the last, what is below 0 counts as 0.
        power: Of the number of parts, which the sum of their scores is divided by.
    """

    def __init__(self, layers: Sequence[Layer], power: float) -> None:
        self._layers, self._power = layers, power

    def __call__(self, picture: Picture) -> Orientation | None:
        """How a picture lies; None where it has no ink."""
        seen = windows(picture)
        if not len(seen):
            return None
        scores = self.scores(seen)
        return Orientation(scores - np.logaddexp.reduce(scores, axis=None), len(seen))

    def scores(self, seen: Floats) -> NDArray[np.float64]:
        """Of all turns and tilts, by the windows of some parts."""
        values = np.concatenate([np.rot90(seen, -turn, (1, 2)) for turn in range(QUARTERS)])
        for layer in self._layers[:-1]:
            values = np.maximum(layer(values), 0)
        scores = self._layers[-1](values).reshape(QUARTERS, len(seen), -1).sum(axis=1)
        return np.asarray(scores.astype(np.float64) / len(seen) ** self._power)


@cache
def orientation_network(path: Path = ORIENTATION) -> OrientationNetwork:
    """The one in a file, by default the one that comes with san; a SanError where it has none."""
    arrays = Arrays(path)
    try:
        facts = json.loads(arrays.facts["orientation"])
        power = float(facts["power"])
        layers = [
            Layer(arrays.take_any(name), arrays.take_any(f"{name}_bias"))
            for name in facts["layers"]
        ]
    except UNREADABLE as error:
        raise arrays.refusal("its metadata cannot be read", error) from None
    arrays.finish()
    network = OrientationNetwork(layers, power)
    try:  # which shows at once what the arrays are good for
        if network.scores(np.zeros((1, CELLS, CELLS, len(CELL_SIZES)), np.float32)).shape != SCORES:
            raise ValueError("another number of tilts")
    except (*UNREADABLE, IndexError, ArithmeticError) as error:
        raise arrays.refusal("its arrays do not fit one another", error) from None
    return network
