"""The encoder's graph (`san.model.torch.encoder`), and with it all that is done once for an image.

- One image lies alone on exactly the cells that it touches: there is nothing to mask.
- With ranges (`san.model.onnx.ranges`), the first two blocks and the transitions behind them
  count in
  eight bits: nine tenths of the arithmetic. The encoder then takes two fifths of the time. The last
  block and all that follows stay in single precision.
- Keys and first state, which every step would ask for again, are computed here, after a survey
  where the network makes one; so is what a glance asks for, from what the second transition came
  to before it was pooled.
"""

from san.model.onnx.context import survey
from san.model.onnx.fine_attention import fine_ends, remember
from san.model.onnx.graph import Graph
from san.model.onnx.layers import Layers, Seen
from san.model.onnx.ranges import Ranges
from san.model.onnx.weights import Weights

COUNTING = 2
"""So many blocks may be computed in eight bits."""


def encoder_graph(weights: Weights, ranges: Ranges | None = None) -> bytes:
    """1 x 1 x H x W, sides multiples of 16 -> features L x C, keys A x L, first state 1 x H.

    And a glance's features and keys, where the network has one.
    """
    graph = Graph()
    features, fine, channels = _dense(graph, weights, ranges)
    hidden, attention = weights.size("hidden"), weights.size("attention")

    flat = survey(graph, weights, features, channels)
    key = weights.take("decoder.attention.key.weight", attention, channels)
    bias = weights.take("decoder.attention.key.bias", attention)
    graph.add("Add", graph.add("MatMul", key, flat), bias[:, None], name="keys")
    graph.add("Transpose", flat, perm=[1, 0], name="features")

    mean = graph.add("ReduceMean", "features", axes=[0])
    first = weights.take("decoder.first.weight", hidden, channels)
    bias = weights.take("decoder.first.bias", hidden)
    graph.add("Tanh", graph.add("Gemm", mean, first, bias, transB=1), name="first")
    if weights.size("glance"):
        remember(graph, weights, fine)
    return graph.model(
        {"image": ("float", (1, 1, "height", "width"))},
        {
            "features": ("cells", channels),
            "keys": (attention, "cells"),
            "first": (1, hidden),
            **fine_ends(weights),
        },
    )


def _dense(graph: Graph, weights: Weights, ranges: Ranges | None) -> tuple[str, str, int]:
    """Stem, three dense blocks, and transitions between them.

    The features, the same before the last pooling, and the features' channels.
    """
    channels, growth = weights.size("stem"), weights.size("growth")
    layers = Layers(graph, weights, ranges)
    kernel = weights.take("encoder.stem.weight", channels, 1, 7, 7)
    x = layers.look(Seen("image"), kernel, "encoder.stem_norm", stride=2)
    x = Seen(graph.add("MaxPool", x.name, kernel_shape=[2, 2], strides=[2, 2]))
    x = fine = layers.count(x, "encoder.stem_norm", channels)
    for block in range(3):
        for layer in range(weights.size("layers")):
            name = f"encoder.blocks.{block}.{layer}"
            kernel = weights.take(f"{name}.squeeze.weight", 4 * growth, channels, 1, 1)
            found = layers.look(x, kernel, f"{name}.squeeze_norm")
            kernel = weights.take(f"{name}.look.weight", growth, 4 * growth, 3, 3)
            found = layers.look(found, kernel, f"{name}.look_norm")
            x = layers.join(x, found)
            channels += growth
        if block < 2:
            name = f"encoder.transitions.{block}"
            kernel = weights.take(f"{name}.squeeze.weight", channels // 2, channels, 1, 1)
            x = layers.look(x, kernel, f"{name}.norm")
            fine = layers.real(x) if block + 1 == COUNTING else x
            x = layers.halve(fine)
            channels //= 2
    return x.name, fine.name, channels
