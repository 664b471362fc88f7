"""The encoder's graph (`san.nn.encoder`), and with it all that is done once for an image.

- One image lies alone on exactly the cells that it touches: there is nothing to mask.
- Batch norm is folded into the convolution before it.
- Keys and first state, which every step would ask for again, are computed here.
"""

import numpy as np

from san.decoding.engine import Floats
from san.runtime.graph import Graph
from san.runtime.weights import Weights

EPSILON = 1e-5


def encoder_graph(weights: Weights) -> bytes:
    """1 x 1 x H x W, sides multiples of 16 -> features L x C, keys A x L, first state 1 x H."""
    graph = Graph()
    features, channels = _dense(graph, weights)
    hidden, attention = weights.size("hidden"), weights.size("attention")

    flat = graph.add("Reshape", features, np.array([channels, -1], np.int64))
    key = weights.take("decoder.attention.key.weight", attention, channels)
    bias = weights.take("decoder.attention.key.bias", attention)
    graph.add("Add", graph.add("MatMul", key, flat), bias[:, None], name="keys")
    graph.add("Transpose", flat, perm=[1, 0], name="features")

    mean = graph.add("Flatten", graph.add("GlobalAveragePool", features))
    first = weights.take("decoder.first.weight", hidden, channels)
    bias = weights.take("decoder.first.bias", hidden)
    graph.add("Tanh", graph.add("Gemm", mean, first, bias, transB=1), name="first")
    return graph.model(
        {"image": ("float", (1, 1, "height", "width"))},
        {"features": ("cells", channels), "keys": (attention, "cells"), "first": (1, hidden)},
    )


def _dense(graph: Graph, weights: Weights) -> tuple[str, int]:
    """Stem, three dense blocks, and transitions between them: the features and their channels."""
    channels, growth = weights.size("stem"), weights.size("growth")
    kernel = weights.take("encoder.stem.weight", channels, 1, 7, 7)
    x = _look(graph, weights, "image", kernel, "encoder.stem_norm", stride=2)
    x = graph.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    for block in range(3):
        for layer in range(weights.size("layers")):
            name = f"encoder.blocks.{block}.{layer}"
            kernel = weights.take(f"{name}.squeeze.weight", 4 * growth, channels, 1, 1)
            found = _look(graph, weights, x, kernel, f"{name}.squeeze_norm")
            kernel = weights.take(f"{name}.look.weight", growth, 4 * growth, 3, 3)
            found = _look(graph, weights, found, kernel, f"{name}.look_norm")
            x = graph.add("Concat", x, found, axis=1)
            channels += growth
        if block < 2:
            name = f"encoder.transitions.{block}"
            kernel = weights.take(f"{name}.squeeze.weight", channels // 2, channels, 1, 1)
            x = _look(graph, weights, x, kernel, f"{name}.norm")
            x = graph.add("AveragePool", x, kernel_shape=[2, 2], strides=[2, 2])
            channels //= 2
    return x, channels


def _look(
    graph: Graph, weights: Weights, x: str, kernel: Floats, norm: str, stride: int = 1
) -> str:
    """Convolution, batch norm and ReLU; the image's size stays, but for the stride."""
    scale, bias, mean, variance = (
        weights.take(f"{norm}.{part}", len(kernel)).astype(np.float64)
        for part in ("weight", "bias", "mean", "variance")
    )
    factor = scale / np.sqrt(variance + EPSILON)
    folded = (kernel * factor[:, None, None, None]).astype(np.float32)
    shift = (bias - mean * factor).astype(np.float32)
    side = kernel.shape[-1]
    seen = graph.add("Conv", x, folded, shift, pads=[side // 2] * 4, strides=[stride] * 2)
    return graph.add("Relu", seen)
