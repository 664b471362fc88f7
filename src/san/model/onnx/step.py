"""The graph of one decoder step (`san.model.torch.decoder`), for N steps of one image.

Linear maps that follow each other, or that read the same thing, are one here:
- the embedding, what GRU-alpha makes of it and what both heads make of it: one table;
- the query and what GRU-beta makes of the state: one matrix;
- what GRU-beta and both heads make of the context: one matrix;
- the merge and the heads behind it: nothing stands between them but training's dropout;
- of the heads' MLP: each part of its first map and what the heads make of the same input, its
  second map and the heads;
- the convolution over past attention and the linear map behind it: one convolution.
"""

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.grammar.tree import Relation
from san.model.onnx.fine_attention import fine_attention, fine_inputs
from san.model.onnx.graph import Graph
from san.model.onnx.weights import Weights

Doubles = NDArray[np.float64]


def step_graph(weights: Weights) -> bytes:
    """In: what the encoder's graph returns, and the inputs of `Engine.step`. Out: its outcome."""
    graph = Graph()
    config = weights.config
    hidden, attention, features = config.hidden, config.attention, config.features
    targets, relations = len(weights.vocabulary.targets), len(Relation)

    def tensor(name: str) -> Doubles:
        return weights.tensor(f"decoder.{name}").astype(np.float64)

    heads = np.concatenate([tensor("symbol_head.weight"), tensor("relation_head.weight")])
    head_bias = np.concatenate([tensor("symbol_head.bias"), tensor("relation_head.bias")])
    head_bias += heads @ tensor("from_state.bias")
    # Rows of the MLP stand below those of the heads; without an MLP there are none.
    mlp, mlp_bias = np.zeros((0, config.head_inputs)), np.zeros(0)
    if config.head_hidden:
        mlp, mlp_bias = tensor("head_in.weight"), tensor("head_in.bias")
    mlp_state, mlp_context, mlp_fine = np.split(mlp, [hidden, hidden + features], axis=1)
    scored = len(heads) + len(mlp)
    embedding = tensor("embedding.weight")
    table = np.concatenate(
        [
            embedding @ tensor("gru_alpha.weight_ih").T + tensor("gru_alpha.bias_ih"),
            embedding @ (heads @ tensor("from_partner.weight")).T + head_bias,
            np.tile(mlp_bias, (len(embedding), 1)),
        ],
        axis=1,
    )
    partner = graph.add("Gather", _single(table), "partner")
    input_gates, from_partner = graph.parts(partner, 3 * hidden, scored)

    state_gates = _linear(
        graph, "hidden", tensor("gru_alpha.weight_hh"), tensor("gru_alpha.bias_hh")
    )
    state = _gru(graph, "hidden", input_gates, state_gates, hidden)

    matrix = np.concatenate([tensor("attention.query.weight"), tensor("gru_beta.weight_hh")])
    bias = np.concatenate([np.zeros(attention), tensor("gru_beta.bias_hh")])
    query, state_gates = graph.parts(_linear(graph, state, matrix, bias), attention, 3 * hidden)
    context, attended = _attend(graph, weights, query)

    matrix = np.concatenate(
        [tensor("gru_beta.weight_ih"), heads @ tensor("from_context.weight"), mlp_context]
    )
    bias = np.concatenate([tensor("gru_beta.bias_ih"), np.zeros(scored)])
    of_context = _linear(graph, context, matrix, bias)
    input_gates, from_context = graph.parts(of_context, 3 * hidden, scored)
    state = _gru(graph, state, input_gates, state_gates, hidden, "next_hidden")

    matrix = np.concatenate([heads @ tensor("from_state.weight"), mlp_state])
    from_state = graph.add("MatMul", state, _single(matrix).T)
    scores = graph.add("Add", graph.add("Add", from_partner, from_context), from_state)
    if config.fine_attention:
        fine = fine_attention(graph, weights, state, attended)
        matrix = np.concatenate([heads, mlp_fine])
        scores = graph.add("Add", scores, graph.add("MatMul", fine, _single(matrix).T))
    if config.head_hidden:
        scores, activations = graph.parts(scores, len(heads), len(mlp))
        matrix = heads @ tensor("head_out.weight")
        added = graph.add("MatMul", graph.add("Relu", activations), _single(matrix).T)
        scores = graph.add("Add", scores, added)
    sizes = np.array([targets, relations], np.int64)
    graph.split("Split", scores, sizes, names=("symbols", "relations"), axis=1)
    return graph.model(
        {
            "features": ("float", ("cells", features)),
            "keys": ("float", (attention, "cells")),
            "hidden": ("float", ("steps", hidden)),
            "path": ("float", ("steps", "rows", "columns")),
            "partner": ("int", ("steps",)),
            **{name: ("float", shape) for name, shape in fine_inputs(config).items()},
        },
        {
            "symbols": ("steps", targets),
            "relations": ("steps", relations),
            "next_hidden": ("steps", hidden),
            "next_path": ("steps", "rows", "columns"),
        },
    )


def _attend(graph: Graph, weights: Weights, query: str) -> tuple[str, str]:
    """Eq. 9 to 11: adds "next_path" to the graph and returns the context and the attention."""
    space, side = weights.config.attention, weights.config.coverage_kernel
    conv = weights.tensor("decoder.attention.coverage_conv.weight")
    proj = weights.tensor("decoder.attention.coverage_proj.weight")
    kernel = proj.astype(np.float64) @ conv.reshape(space, -1)
    grid = graph.add("Unsqueeze", "path", np.array([1], np.int64))
    coverage = graph.add("Conv", grid, _single(kernel).reshape(conv.shape), pads=[side // 2] * 4)
    energy = graph.add("Reshape", coverage, np.array([0, space, -1], np.int64))
    query = graph.add("Unsqueeze", query, np.array([2], np.int64))
    energy = graph.add("Add", graph.add("Add", energy, "keys"), query)
    score = weights.tensor("decoder.attention.score.weight")
    scores = graph.add("MatMul", score, graph.add("Tanh", energy))
    scores = graph.add("Squeeze", scores, np.array([1], np.int64))
    attention = graph.add("Softmax", scores, axis=-1)
    shaped = graph.add("Reshape", attention, graph.add("Shape", "path"))
    graph.add("Add", "path", shaped, name="next_path")
    return graph.add("MatMul", attention, "features"), attention


def _gru(
    graph: Graph, state: str, input_gates: str, state_gates: str, hidden: int, name: str = ""
) -> str:
    """A GRU's next state, from the linear maps of its input and of its state."""
    input_both, input_new = graph.parts(input_gates, 2 * hidden, hidden)
    state_both, state_new = graph.parts(state_gates, 2 * hidden, hidden)
    both = graph.add("Sigmoid", graph.add("Add", input_both, state_both))
    reset, keep = graph.parts(both, hidden, hidden)
    new = graph.add("Tanh", graph.add("Add", input_new, graph.add("Mul", reset, state_new)))
    kept = graph.add("Mul", keep, graph.add("Sub", state, new))
    return graph.add("Add", new, kept, name=name)


def _linear(graph: Graph, x: str, matrix: Doubles, bias: Doubles) -> str:
    return graph.add("Gemm", x, _single(matrix).T, _single(bias))


def _single(array: Doubles) -> Floats:
    return array.astype(np.float32)
