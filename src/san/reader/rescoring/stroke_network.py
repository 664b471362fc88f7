"""Which symbol each stroke of ink is of, by the way of the pen: a small transformer over strokes.

Design choices
- The network that reads sees a picture. A pen knows more: where each stroke begins, which way it
  goes, and what was written before it. An x of two curves and a `\\times` of two lines, a 5 and an
  s, an l and a bar look alike and are written otherwise.
- It knows nothing of the other network, nor of readings: it sees all strokes of the ink at once,
  and says of each what it may be of, once for all readings.
- Convolutions go along a stroke's points; layers of attention between strokes know how two of them
  lie beside each other. Both see places in units of the ink's median stroke: no scale counts.
- In numpy: it takes a few milliseconds. `tools/train_strokes.py` makes the file.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.ink import Ink
from san.ink.strokes import Way
from san.model.onnx.weights import Arrays
from san.model.spec import UNREADABLE
from san.reader.products import log_softmax, product

FORMAT = "san-strokes-1"
POINTS = 24
"""Of a stroke, at even distances."""
MIN_SIZE = 0.02
"""Of a stroke, in units: a dot has a size as well."""
MIN_UNIT = 1e-8
"""Of the farthest coordinate, of which float32 knows no smaller part: specks must not make the rest
of the ink infinitely large."""
FAR, DEEP = 6.0, 3.0
"""Units beyond which a distance is as good as any, and that boxes overlap at most."""
LATER = 4.0
"""Strokes beyond which it does not count how much later one was written."""
MAX_STROKES = 256
"""Of ink that is looked at; the time grows with their square."""
LAYERS, HEADS = 3, 4
STRIDES = (1, 2, 2)
"""Of the convolutions."""
NORM_EPSILON = 1e-5


class StrokeInputs(NamedTuple):
    """What the network sees of some strokes."""

    shapes: Floats  # strokes x POINTS x 5: place in the stroke, direction, its size
    facts: Floats  # strokes x 8: its sizes, how it lies to the one before and the next
    pairs: Floats  # strokes x strokes x 8: how the second of two lies beside the first


def even_points(strokes: Sequence[NDArray[np.float32]]) -> Floats:
    """The strokes by `POINTS` points each, in units of their median size: strokes x POINTS x 2."""
    return in_units(np.stack([_evenly(Way(stroke)) for stroke in strokes]))


def in_units(points: NDArray[np.floating]) -> Floats:
    """Points of strokes in units of the median size of those that are no dots."""
    sizes = np.ptp(points, axis=1).max(axis=1)
    sizes = sizes[sizes > 0]
    unit = max(np.median(sizes), MIN_UNIT * np.abs(points).max()) if len(sizes) else 1.0
    return np.asarray(points / unit, np.float32)


def _evenly(way: Way) -> NDArray[np.float64]:
    return way.at(np.linspace(0.0, way.length, POINTS))


def inputs_of(points: Floats) -> StrokeInputs:
    """What is seen of strokes that have even points."""
    low, high = points.min(axis=1), points.max(axis=1)
    middle, sides = (low + high) / 2, high - low
    size = np.maximum(sides.max(axis=1), np.float32(MIN_SIZE))
    log_size = np.log(size)

    places = (points - middle[:, None]) / size[:, None, None] * 2
    ways = np.diff(places, axis=1, prepend=places[:, :1])
    ways /= np.maximum(np.linalg.norm(ways, axis=2, keepdims=True), np.float32(1e-6))
    sizes = np.broadcast_to(log_size[:, None, None], (*points.shape[:2], 1))
    shapes = np.concatenate([places, ways, sizes], axis=2)

    steps = np.diff(middle, axis=0).clip(-FAR, FAR)
    none = np.zeros((1, 2), np.float32)
    first = np.arange(len(points))[:, None] == 0
    logs = np.log(np.maximum(sides, np.float32(MIN_SIZE)))
    before, behind = np.concatenate([none, steps]), np.concatenate([steps, none])
    facts = np.concatenate([log_size[:, None], logs, before, behind, first], axis=1)

    apart = middle[:, None] - middle[None]
    order = np.subtract.outer(np.arange(len(points)), np.arange(len(points))).astype(np.float32)
    gaps = np.maximum(low[:, None] - high[None], low[None] - high[:, None])
    numbers = [
        *np.moveaxis(apart.clip(-FAR, FAR), 2, 0),
        np.log(np.linalg.norm(apart, axis=2) + np.float32(0.1)),
        order.clip(-LATER, LATER),
        np.log(np.abs(order) + 1),
        *np.moveaxis(gaps.clip(-DEEP, FAR), 2, 0),
        np.subtract.outer(log_size, log_size),
    ]
    every = shapes, facts, np.stack(numbers, axis=2)
    return StrokeInputs(*(np.asarray(one, np.float32) for one in every))


class StrokeNetwork:
    """Safe to share among threads.

    Args:
        symbols: what it tells apart.
        arrays: by the names that `tools/train_strokes.py` gives them.
    """

    def __init__(self, symbols: Sequence[str], arrays: Mapping[str, Floats]) -> None:
        self.symbols = tuple(symbols)
        self._index = {name: index for index, name in enumerate(self.symbols)}
        self._arrays = arrays

    def column(self, name: str) -> int | None:
        """Where a symbol stands among those that are told apart; None where it does not."""
        return self._index.get(name)

    def log_probabilities(self, ink: Ink) -> Floats | None:
        """Strokes x symbols; None of ink that has too many strokes."""
        if len(ink.strokes) > MAX_STROKES:
            return None
        return self.judged(inputs_of(even_points(ink.strokes)))

    def judged(self, inputs: StrokeInputs) -> Floats:
        """The same of what is seen."""
        values = inputs.shapes
        for number, stride in enumerate(STRIDES):
            values = self._convolved(values, f"convolution{number}", stride)
        state = self._linear(values.reshape(len(values), -1), "shape")
        state = state + self._linear(inputs.facts, "facts")
        count = len(state)
        hidden = np.maximum(self._linear(inputs.pairs.reshape(count * count, -1), "pairs"), 0)
        bias = self._linear(hidden, "bias").reshape(count, count, LAYERS, HEADS)
        for layer in range(LAYERS):
            queries, keys, contents = (
                self._linear(self._normed(state, f"norm{layer}"), f"qkv{layer}")
                .reshape(count, 3, HEADS, -1)
                .transpose(1, 2, 0, 3)
            )
            scores = queries @ keys.transpose(0, 2, 1) / np.float32(keys.shape[2] ** 0.5)
            scores = scores + bias[:, :, layer].transpose(2, 0, 1)
            weights = np.exp(scores - scores.max(axis=2, keepdims=True))
            weights /= weights.sum(axis=2, keepdims=True)
            seen = (weights @ contents).transpose(1, 0, 2).reshape(count, -1)
            state = state + self._linear(seen, f"proj{layer}")
            hidden = self._linear(self._normed(state, f"fc_norm{layer}"), f"fc1_{layer}")
            hidden = np.maximum(hidden, 0)
            state = state + self._linear(hidden, f"fc2_{layer}")
        return log_softmax(self._linear(self._normed(state, "norm"), "symbols"))

    def _convolved(self, values: Floats, name: str, stride: int) -> Floats:
        """From strokes x points x channels, as wide as they are; what is below 0 becomes 0."""
        weights = self._arrays[name]  # side x inputs x outputs
        side, _, outputs = weights.shape
        padded = np.pad(values, ((0, 0), (side // 2, side // 2), (0, 0)))
        seen = np.lib.stride_tricks.sliding_window_view(padded, side, axis=1)[:, ::stride]
        rows = np.ascontiguousarray(seen.transpose(0, 1, 3, 2)).reshape(-1, weights[..., 0].size)
        total = product(rows, weights.reshape(-1, outputs)) + self._arrays[f"{name}_bias"]
        return np.asarray(np.maximum(total, 0).reshape(len(values), -1, outputs))

    def _linear(self, values: Floats, name: str) -> Floats:
        return np.asarray(product(values, self._arrays[name]) + self._arrays[f"{name}_bias"])

    def _normed(self, values: Floats, name: str) -> Floats:
        centred = values - values.mean(axis=1, keepdims=True)
        deviation = np.sqrt((centred**2).mean(axis=1, keepdims=True) + np.float32(NORM_EPSILON))
        return np.asarray(centred / deviation * self._arrays[name] + self._arrays[f"{name}_bias"])


@cache
def stroke_network(path: Path) -> StrokeNetwork:
    """The one in a file, which is read once; a SanError where there is none in it."""
    arrays = Arrays(path, FORMAT)
    try:
        facts = json.loads(arrays.facts["strokes"])
        symbols = [str(name) for name in facts["symbols"]]
        taken = {name: arrays.take_any(name) for name in facts["arrays"]}
    except UNREADABLE as error:
        raise arrays.refusal("its metadata cannot be read", error) from None
    arrays.finish()
    network = StrokeNetwork(symbols, taken)
    two_dots = inputs_of(np.zeros((2, POINTS, 2), np.float32))
    try:  # which shows at once what the arrays are good for
        if network.judged(two_dots).shape != (2, len(symbols)):
            raise ValueError("another number of symbols")
    except (*UNREADABLE, IndexError, ArithmeticError) as error:
        raise arrays.refusal("its arrays do not fit one another", error) from None
    return network
