"""The encoder's layers as operators, in single precision or in eight bits.

- Batch norm is folded into the convolution before it.
- After ReLU nothing is negative, so in eight bits a number is a count, 0 to 255, of its channel's
  unit. Counts are joined as they are, whatever their units: the units of what comes in are folded
  into the weights, and ReLU is that a count cannot be less than 0. So a dense block goes from
  counts to counts, and nothing is converted inside it.
- Weights are whole numbers of -127 to 127, with a step for each output channel. They are made
  here, from the same file as the others: one copy of the numbers.
"""

from typing import NamedTuple

import numpy as np

from san.decoding.engine import Floats
from san.errors import SanError
from san.model.onnx.graph import Graph
from san.model.onnx.ranges import Ranges
from san.model.onnx.weights import Weights

EPSILON = 1e-5
ONE, NONE = np.array(1, np.float32), np.array(0, np.uint8)
"""Scale and zero of a count whose unit is kept elsewhere."""


class Seen(NamedTuple):
    """What a layer came to: real numbers or, with a unit for each channel, counts."""

    name: str
    units: Floats | None = None


class Layers:
    """Adds layers to a graph; in eight bits where ranges are known and counts come in."""

    def __init__(self, graph: Graph, weights: Weights, ranges: Ranges | None) -> None:
        self._graph, self._weights, self._ranges = graph, weights, ranges

    def look(self, x: Seen, kernel: Floats, norm: str, stride: int = 1) -> Seen:
        """Convolution, batch norm and ReLU; the image's size stays, but for the stride."""
        scale, bias, mean, variance = (
            self._weights.take(f"{norm}.{part}", len(kernel)).astype(np.float64)
            for part in ("weight", "bias", "mean", "variance")
        )
        factor = scale / np.sqrt(variance + EPSILON)
        folded = kernel * factor[:, None, None, None]
        shift = bias - mean * factor
        pads, strides = [kernel.shape[-1] // 2] * 4, [stride] * 2
        if x.units is None:
            numbers = folded.astype(np.float32), shift.astype(np.float32)
            seen = self._graph.add("Conv", x.name, *numbers, pads=pads, strides=strides)
            return Seen(self._graph.add("Relu", seen, name=norm))

        units = self._units(norm, len(kernel))
        folded = folded * x.units[:, None, None]
        # The shift is a whole number of the same step, and must not be too many of them.
        step = np.maximum(np.abs(folded).max(axis=(1, 2, 3)) / 127, np.abs(shift) / 2**30)
        step = np.maximum(step, np.finfo(np.float32).tiny)
        whole = np.rint(folded / step[:, None, None, None]).astype(np.int8)
        zeros = np.zeros(len(kernel), np.int8)
        given = ONE, NONE, whole, (step / units).astype(np.float32), zeros, ONE, NONE
        bias = np.rint(shift / step).astype(np.int32)
        seen = self._graph.add("QLinearConv", x.name, *given, bias, pads=pads, strides=strides)
        return Seen(seen, units)

    def join(self, x: Seen, found: Seen) -> Seen:
        joined = self._graph.add("Concat", x.name, found.name, axis=1)
        if x.units is None or found.units is None:
            return Seen(joined)
        return Seen(joined, np.concatenate([x.units, found.units]))

    def halve(self, x: Seen) -> Seen:
        """The mean of each two by two; of counts, the nearest count."""
        name = x.name if x.units is None else self._graph.add("DequantizeLinear", x.name, ONE, NONE)
        name = self._graph.add("AveragePool", name, kernel_shape=[2, 2], strides=[2, 2])
        if x.units is not None:
            name = self._graph.add("QuantizeLinear", name, ONE, NONE)
        return Seen(name, x.units)

    def count(self, x: Seen, norm: str, channels: int) -> Seen:
        """Real numbers as counts, where the ranges of the layer they come from are known."""
        if self._ranges is None:
            return x
        units = self._units(norm, channels)
        given = units, np.zeros(channels, np.uint8)
        return Seen(self._graph.add("QuantizeLinear", x.name, *given, axis=1), units)

    def real(self, x: Seen) -> Seen:
        """Counts as real numbers."""
        if x.units is None:
            return x
        given = x.units, np.zeros(len(x.units), np.uint8)
        return Seen(self._graph.add("DequantizeLinear", x.name, *given, axis=1))

    def _units(self, norm: str, channels: int) -> Floats:
        ends = (self._ranges or {}).get(norm)
        if ends is None or len(ends) != channels:
            raise SanError(f"{self._weights.name}: the ranges beside it lack {channels} of {norm}")
        return ends / np.float32(255)
