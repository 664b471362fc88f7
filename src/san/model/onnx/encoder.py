"""The encoder's graph (`san.model.torch.encoder`), and all else that is computed once an image.

- One image lies alone on exactly the cells that it touches: there is nothing to mask.
- With `int8_ranges`, most of the encoder's convolutions compute in eight bits.
  All that follows stays in single precision.
- Behind the encoder come the context transformer, keys and initial state, and the keys and
  features of the fine attention, which reads the map at 1/8 of the image.
"""

from san.model.onnx.context import add_context
from san.model.onnx.densenet import add_densenet, densenet_int8_layers
from san.model.onnx.fine_attention import fine_inputs, fine_memory
from san.model.onnx.graph import Graph
from san.model.onnx.int8_ranges import Ranges
from san.model.onnx.layers import Layers
from san.model.onnx.residual import add_residual, residual_int8_layers
from san.model.onnx.weights import Weights
from san.model.spec import NetworkConfig


def encoder_graph(weights: Weights, ranges: Ranges | None = None) -> bytes:
    """1 x 1 x H x W, sides multiples of 16 -> features L x C, keys A x L, initial state 1 x H.

    And keys and features of the fine attention, where the network has one.
    """
    graph = Graph()
    config = weights.config
    add_encoder = add_residual if config.encoder == "residual" else add_densenet
    features, fine = add_encoder(Layers(graph, weights, ranges), config)

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


def int8_layers(config: NetworkConfig) -> list[str]:
    """The layers whose ranges eight bits take, by their names in the graph of real numbers."""
    residual = config.encoder == "residual"
    return (residual_int8_layers if residual else densenet_int8_layers)(config)
