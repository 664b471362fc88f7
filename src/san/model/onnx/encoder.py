"""The encoder's graph (`san.model.torch.encoder`), and all else that is computed once an image.

- One image lies alone on exactly the cells that it touches: there is nothing to mask.
- With ranges (`san.model.onnx.ranges`), the first two blocks and the transitions behind them
  compute in eight bits: nine tenths of the arithmetic. The encoder then takes two fifths of the
  time. The last block and all that follows stay in single precision.
- Behind the encoder come the context transformer, keys and initial state, and the keys and
  features of the fine attention, which reads the last transition before it is pooled.
"""

from san.model.onnx.context import add_context
from san.model.onnx.fine_attention import fine_inputs, fine_memory
from san.model.onnx.graph import Graph
from san.model.onnx.layers import Activation, Layers
from san.model.onnx.ranges import Ranges
from san.model.onnx.weights import Weights
from san.model.spec import BLOCKS

INT8_BLOCKS = 2
"""So many blocks may be computed in eight bits."""


def encoder_graph(weights: Weights, ranges: Ranges | None = None) -> bytes:
    """1 x 1 x H x W, sides multiples of 16 -> features L x C, keys A x L, initial state 1 x H.

    And keys and features of the fine attention, where the network has one.
    """
    graph = Graph()
    config = weights.config
    features, fine = _dense(graph, weights, ranges)

    flat = add_context(graph, weights, features)
    key = weights.tensor("decoder.attention.key.weight")
    bias = weights.tensor("decoder.attention.key.bias")
    graph.add("Add", graph.add("MatMul", key, flat), bias[:, None], name="keys")
    graph.add("Transpose", flat, perm=[1, 0], name="features")

    mean = graph.add("ReduceMean", "features", axes=[0])
    init_state = weights.tensor("decoder.init_state.weight")
    bias = weights.tensor("decoder.init_state.bias")
    graph.add("Tanh", graph.add("Gemm", mean, init_state, bias, transB=1), name="init_state")
    if config.fine_attention:
        fine_memory(graph, weights, fine)
    return graph.model(
        {"image": ("float", (1, 1, "height", "width"))},
        {
            "features": ("cells", config.features),
            "keys": (config.attention, "cells"),
            "init_state": (1, config.hidden),
            **fine_inputs(config),
        },
    )


def _dense(graph: Graph, weights: Weights, ranges: Ranges | None) -> tuple[str, str]:
    """Stem, dense blocks and the transitions between them.

    The features, and those of the last transition before it is pooled.
    """
    config = weights.config
    layers = Layers(graph, weights, ranges)
    x = layers.conv(Activation("image"), "encoder.stem", "encoder.stem_norm", stride=2)
    x = Activation(graph.add("MaxPool", x.name, kernel_shape=[2, 2], strides=[2, 2]))
    x = fine = layers.quantise(x, "encoder.stem_norm", config.stem)
    for block in range(BLOCKS):
        for layer in range(config.layers):
            name = f"encoder.blocks.{block}.{layer}"
            new = layers.conv(x, f"{name}.conv1", f"{name}.norm1")
            new = layers.conv(new, f"{name}.conv2", f"{name}.norm2")
            x = layers.concatenate(x, new)
        if block + 1 < BLOCKS:
            name = f"encoder.transitions.{block}"
            x = layers.conv(x, f"{name}.conv", f"{name}.norm")
            fine = layers.dequantise(x) if block + 1 == INT8_BLOCKS else x
            x = layers.pool(fine)
    return x.name, fine.name
