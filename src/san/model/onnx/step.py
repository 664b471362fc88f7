"""The graph of one decoder step (`san.model.torch.decoder`), for N steps of one image.

Linear maps that follow each other, or that read the same thing, are one here:
- the embedding, what GRU-alpha makes of it and what both heads make of it: one table;
- the query and what GRU-beta makes of the state: one matrix;
- what GRU-beta and both heads make of the context: one matrix;
- the merge and the heads behind it: nothing stands between them but training's dropout;
- the convolution over past attention and the linear map behind it: one convolution.
"""

import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.grammar.tree import Relation
from san.model.onnx.fine_attention import fine_ends, glance
from san.model.onnx.graph import Graph
from san.model.onnx.weights import Weights

Doubles = NDArray[np.float64]


def step_graph(weights: Weights) -> bytes:
    """In: what the encoder's graph returns, and the inputs of `Engine.step`. Out: its outcome."""
    graph = Graph()
    hidden, attention = weights.size("hidden"), weights.size("attention")
    features = weights.features
    merge, embedding = weights.size("merge"), weights.size("embedding")
    targets, relations = len(weights.vocabulary.targets), len(Relation)

    def matrix(name: str, rows: int, columns: int) -> Doubles:
        return weights.take(f"decoder.{name}.weight", rows, columns).astype(np.float64)

    def bias(name: str, size: int) -> Doubles:
        return weights.take(f"decoder.{name}", size).astype(np.float64)

    heads = np.concatenate([matrix("symbol", targets, merge), matrix("relation", relations, merge)])
    head_bias = np.concatenate([bias("symbol.bias", targets), bias("relation.bias", relations)])
    head_bias += heads @ bias("from_state.bias", merge)
    symbols = matrix("embedding", len(weights.vocabulary.partners), embedding)
    table = np.concatenate(
        [
            symbols @ _gates(weights, "gru_alpha.weight_ih", hidden, embedding).T
            + bias("gru_alpha.bias_ih", 3 * hidden),
            symbols @ (heads @ matrix("from_partner", merge, embedding)).T + head_bias,
        ],
        axis=1,
    )
    partner = graph.add("Gather", _single(table), "partner")
    gates, from_partner = graph.parts(partner, 3 * hidden, targets + relations)

    own = _gates(weights, "gru_alpha.weight_hh", hidden, hidden)
    own_gates = _linear(graph, "hidden", own, bias("gru_alpha.bias_hh", 3 * hidden))
    state = _gru(graph, "hidden", gates, own_gates, hidden)

    query = matrix("attention.query", attention, hidden)
    own = np.concatenate([query, _gates(weights, "gru_beta.weight_hh", hidden, hidden)])
    shift = np.concatenate([np.zeros(attention), bias("gru_beta.bias_hh", 3 * hidden)])
    asked, own_gates = graph.parts(_linear(graph, state, own, shift), attention, 3 * hidden)
    context, looks = _attend(graph, weights, asked)

    given = np.concatenate(
        [
            _gates(weights, "gru_beta.weight_ih", hidden, features),
            heads @ matrix("from_context", merge, features),
        ]
    )
    shift = np.concatenate([bias("gru_beta.bias_ih", 3 * hidden), np.zeros(len(heads))])
    read = _linear(graph, context, given, shift)
    gates, from_context = graph.parts(read, 3 * hidden, len(heads))
    state = _gru(graph, state, gates, own_gates, hidden, "next_hidden")

    from_state = graph.add("MatMul", state, _single(heads @ matrix("from_state", merge, hidden)).T)
    scores = graph.add("Add", graph.add("Add", from_partner, from_context), from_state)
    if weights.size("glance"):
        seen = glance(graph, weights, state, looks)
        scores = graph.add("Add", scores, graph.add("MatMul", seen, _single(heads).T))
    sizes = np.array([targets, relations], np.int64)
    graph.split("Split", scores, sizes, names=("symbols", "relations"), axis=1)
    return graph.model(
        {
            "features": ("float", ("cells", features)),
            "keys": ("float", (attention, "cells")),
            "hidden": ("float", ("steps", hidden)),
            "path": ("float", ("steps", "rows", "columns")),
            "partner": ("int", ("steps",)),
            **{name: ("float", shape) for name, shape in fine_ends(weights).items()},
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
    attention, window = weights.size("attention"), weights.size("window")
    around = weights.take("decoder.attention.around.weight", attention, 1, window, window)
    past = weights.take("decoder.attention.past.weight", attention, attention)
    kernel = past.astype(np.float64) @ around.reshape(attention, -1)
    grid = graph.add("Unsqueeze", "path", np.array([1], np.int64))
    seen = graph.add("Conv", grid, _single(kernel).reshape(around.shape), pads=[window // 2] * 4)
    energy = graph.add("Reshape", seen, np.array([0, attention, -1], np.int64))
    asked = graph.add("Unsqueeze", query, np.array([2], np.int64))
    energy = graph.add("Add", graph.add("Add", energy, "keys"), asked)
    weigh = weights.take("decoder.attention.score.weight", 1, attention)
    score = graph.add("MatMul", weigh, graph.add("Tanh", energy))
    looks = graph.add("Softmax", graph.add("Squeeze", score, np.array([1], np.int64)), axis=-1)
    shaped = graph.add("Reshape", looks, graph.add("Shape", "path"))
    graph.add("Add", "path", shaped, name="next_path")
    return graph.add("MatMul", looks, "features"), looks


def _gru(graph: Graph, state: str, given: str, own: str, hidden: int, name: str = "") -> str:
    """What a GRU makes of its state, from the linear maps of its input and of its state."""
    given_both, given_new = graph.parts(given, 2 * hidden, hidden)
    own_both, own_new = graph.parts(own, 2 * hidden, hidden)
    both = graph.add("Sigmoid", graph.add("Add", given_both, own_both))
    reset, keep = graph.parts(both, hidden, hidden)
    new = graph.add("Tanh", graph.add("Add", given_new, graph.add("Mul", reset, own_new)))
    kept = graph.add("Mul", keep, graph.add("Sub", state, new))
    return graph.add("Add", new, kept, name=name)


def _gates(weights: Weights, name: str, hidden: int, columns: int) -> Doubles:
    """Torch's order: reset, update, new."""
    return weights.take(f"decoder.{name}", 3 * hidden, columns).astype(np.float64)


def _linear(graph: Graph, x: str, matrix: Doubles, bias: Doubles) -> str:
    return graph.add("Gemm", x, _single(matrix).T, _single(bias))


def _single(array: Doubles) -> Floats:
    return array.astype(np.float32)
