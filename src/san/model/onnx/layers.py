"""The encoder's layers as ONNX operators, in single precision or in eight bits.

- Batch norm is folded into the convolution before it, where there is one.
- After ReLU nothing is negative, so a quantised number is a count, 0 to 255, of its channel's
  scale. Counts are concatenated as they are, whatever their scales: the scales of what comes in are
  folded into the weights, and ReLU is that a count cannot be less than 0. So a dense block goes
  from counts to counts, and nothing is converted inside it.
- What is summed (residual blocks) stays real numbers: only what a block adds is rounded. It has
  either sign, so that 128 counts stand for zero, and its scale is that of its largest magnitude.
- Quantised weights are whole numbers of -127 to 127, with a step for each output channel. They are
  made here, from the same file as the others: one copy of the numbers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.errors import SanError
from san.model.onnx.graph import Graph
from san.model.onnx.int8_ranges import Ranges
from san.model.onnx.weights import Weights
from san.model.spec import NORM_EPSILON

UNIT_SCALE, ZERO_POINT = np.array(1, np.float32), np.array(0, np.uint8)
"""Scale and zero of a count whose scale is folded into the weights that read it."""


class Activation(NamedTuple):
    """A layer's output: real numbers or, with a scale for each channel, counts."""

    name: str
    scales: Floats | None = None


class Layers:
    """Adds layers to a graph; in eight bits where ranges are known and counts come in."""

    def __init__(self, graph: Graph, weights: Weights, ranges: Ranges | None) -> None:
        self._graph, self._weights, self._ranges = graph, weights, ranges

    def stem(self, channels: int) -> Activation:
        """The first convolution and max-pooling, of both encoders."""
        x = self.conv(Activation("image"), "encoder.stem", "encoder.stem_norm", stride=2)
        pooled = self._graph.add("MaxPool", x.name, kernel_shape=[2, 2], strides=[2, 2])
        return self.quantise(Activation(pooled), "encoder.stem_norm", channels)

    def conv(self, x: Activation, convolution: str, norm: str, stride: int = 1) -> Activation:
        """Convolution, batch norm and ReLU; the image's size stays, but for the stride."""
        kernel = self._weights.tensor(f"{convolution}.weight")
        gain, bias, mean, variance = (part.astype(np.float64) for part in self._norm(norm))
        factor = gain / np.sqrt(variance + NORM_EPSILON)
        folded = kernel * factor[:, None, None, None]
        shift = bias - mean * factor
        if x.scales is None:
            numbers = folded.astype(np.float32), shift.astype(np.float32)
            return Activation(self._graph.add("Relu", self._conv(x, *numbers, stride), name=norm))
        scales = self._scales(norm, len(kernel))
        return Activation(self._quantised_conv(x, folded, shift, scales, 0, stride), scales)

    def plain_conv(self, x: Activation, convolution: str, stride: int = 1) -> Activation:
        """A convolution alone, whose output is added to others: real numbers, of either sign."""
        kernel = self._weights.tensor(f"{convolution}.weight")
        zeros = np.zeros(len(kernel), np.float32)
        if x.scales is None:
            return Activation(self._conv(x, kernel, zeros, stride, convolution))
        scales = self._scales(convolution, len(kernel)) * np.float32(255 / 127)
        counts = self._quantised_conv(x, kernel.astype(np.float64), zeros, scales, 128, stride)
        middle = np.full(len(kernel), 128, np.uint8)
        return Activation(self._graph.add("DequantizeLinear", counts, scales, middle, axis=1))

    def norm(self, x: Activation, norm: str) -> Activation:
        """Batch norm and ReLU of real numbers, behind a sum: no convolution can take it in."""
        assert NORM_EPSILON == 1e-5, "the operator's default"
        normalised = self._graph.add("BatchNormalization", x.name, *self._norm(norm))
        return Activation(self._graph.add("Relu", normalised, name=norm))

    def add(self, x: Activation, new: Activation) -> Activation:
        return Activation(self._graph.add("Add", x.name, new.name))

    def _norm(self, norm: str) -> list[Floats]:
        parts = ("weight", "bias", "running_mean", "running_var")
        return [self._weights.tensor(f"{norm}.{part}") for part in parts]

    def _conv(
        self, x: Activation, kernel: Floats, shift: Floats, stride: int, name: str = ""
    ) -> str:
        pads, strides = [kernel.shape[-1] // 2] * 4, [stride] * 2
        return self._graph.add("Conv", x.name, kernel, shift, name=name, pads=pads, strides=strides)

    def _quantised_conv(
        self,
        x: Activation,
        kernel: NDArray[np.float64],
        shift: NDArray[np.floating],
        scales: Floats,
        zero_point: int,
        stride: int,
    ) -> str:
        """Counts to counts; `zero_point` is the count that stands for zero."""
        assert x.scales is not None
        kernel = kernel * x.scales[:, None, None]
        # The shift is a whole number of the same step, and must not be too many of them.
        step = np.maximum(np.abs(kernel).max(axis=(1, 2, 3)) / 127, np.abs(shift) / 2**30)
        step = np.maximum(step, np.finfo(np.float32).tiny)
        whole = np.rint(kernel / step[:, None, None, None]).astype(np.int8)
        zeros = np.zeros(len(kernel), np.int8)
        ends = (UNIT_SCALE, ZERO_POINT), (UNIT_SCALE, np.array(zero_point, np.uint8))
        counts = *ends[0], whole, (step / scales).astype(np.float32), zeros, *ends[1]
        bias = np.rint(shift / step).astype(np.int32)
        pads, strides = [kernel.shape[-1] // 2] * 4, [stride] * 2
        return self._graph.add("QLinearConv", x.name, *counts, bias, pads=pads, strides=strides)

    def concatenate(self, x: Activation, new: Activation) -> Activation:
        joined = self._graph.add("Concat", x.name, new.name, axis=1)
        if x.scales is None or new.scales is None:
            return Activation(joined)
        return Activation(joined, np.concatenate([x.scales, new.scales]))

    def pool(self, x: Activation) -> Activation:
        """The mean of each two by two; of counts, the nearest count."""
        unit, name = (UNIT_SCALE, ZERO_POINT), x.name
        if x.scales is not None:
            name = self._graph.add("DequantizeLinear", name, *unit)
        name = self._graph.add("AveragePool", name, kernel_shape=[2, 2], strides=[2, 2])
        if x.scales is not None:
            name = self._graph.add("QuantizeLinear", name, *unit)
        return Activation(name, x.scales)

    def quantise(self, x: Activation, norm: str, channels: int) -> Activation:
        """Real numbers as counts, where the ranges of the layer they come from are known."""
        if self._ranges is None:
            return x
        scales = self._scales(norm, channels)
        zeros = np.zeros(channels, np.uint8)
        return Activation(self._graph.add("QuantizeLinear", x.name, scales, zeros, axis=1), scales)

    def dequantise(self, x: Activation) -> Activation:
        """Counts as real numbers."""
        if x.scales is None:
            return x
        zeros = np.zeros(len(x.scales), np.uint8)
        return Activation(self._graph.add("DequantizeLinear", x.name, x.scales, zeros, axis=1))

    def _scales(self, norm: str, channels: int) -> Floats:
        ends = (self._ranges or {}).get(norm)
        if ends is None or len(ends) != channels:
            raise SanError(f"{self._weights.name}: the ranges beside it lack {channels} of {norm}")
        return ends / np.float32(255)
