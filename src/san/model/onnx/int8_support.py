"""Tests whether this processor multiplies eight-bit numbers exactly, as the int8 encoder needs.

Older ones add two products in sixteen bits, which are too few, and cut off what does not fit: they
would read worse, in silence, and hardly any faster. So it is tried once, on the largest numbers.
"""

from functools import cache

import numpy as np

from san.model.onnx.graph import Graph
from san.model.onnx.runtime import onnxruntime

CHANNELS = 64
LARGEST = 255.0, 127


@cache
def counts_exactly() -> bool:
    """Whether a convolution in eight bits gives the exact sum."""
    graph = Graph()
    scale, zero = np.array(1, np.float32), np.array(0, np.uint8)
    counts = graph.add("QuantizeLinear", "x", scale, zero)
    kernel = np.full((CHANNELS, CHANNELS, 1, 1), LARGEST[1], np.int8)
    # The exact sum is a count of 200; cut off, it would be about half of it.
    step = np.full(CHANNELS, 200 / (CHANNELS * LARGEST[0] * LARGEST[1]), np.float32)
    nothing = np.zeros(CHANNELS, np.int8)
    seen = graph.add("QLinearConv", counts, scale, zero, kernel, step, nothing, scale, zero)
    graph.add("DequantizeLinear", seen, scale, zero, name="y")
    shape = 1, CHANNELS, 4, 4
    model = graph.model({"x": ("float", shape)}, {"y": shape})
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    (result,) = session.run(("y",), {"x": np.full(shape, LARGEST[0], np.float32)})
    return bool((result == 200).all())
