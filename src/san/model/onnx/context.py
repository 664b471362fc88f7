"""The context transformer (`san.model.torch.context`) as ONNX operators: it runs once an image.

An image lies alone on its cells, so no cell is masked. The scale of the scores is folded into the
queries.
"""

import numpy as np

from san.decoding.engine import Floats
from san.model.onnx.graph import Graph
from san.model.onnx.weights import Weights
from san.model.spec import CONTEXT_HEAD, CONTEXT_LAYERS, POSITION_BASE


def add_context(graph: Graph, weights: Weights, features: str) -> str:
    """Features 1 x C x h x w -> C x L, with what the context transformer adds, if there is one."""
    width = weights.config.context
    flat = graph.add("Reshape", features, np.array([weights.config.features, -1], np.int64))
    if not width:
        return flat
    proj_in = weights.tensor("decoder.context.proj_in.weight")
    bias = weights.tensor("decoder.context.proj_in.bias")
    x = graph.add("Gemm", flat, proj_in, bias, transA=1, transB=1)
    x = graph.add("Add", x, _positions(graph, features, width))
    for number in range(CONTEXT_LAYERS):
        x = _layer(graph, weights, f"decoder.context.layers.{number}", x, width)
    proj_out = weights.tensor("decoder.context.proj_out.weight")
    return graph.add("Add", flat, graph.add("Gemm", proj_out, _norm(graph, x, width), transB=1))


def _layer(graph: Graph, weights: Weights, name: str, x: str, width: int) -> str:
    """Self-attention of all cells, then an MLP; both behind a layer norm and with a residual."""
    query, key, value = np.split(weights.tensor(f"{name}.qkv.weight"), 3)
    normed = _norm(graph, x, width)
    queries = _heads(graph, normed, query * np.float32(CONTEXT_HEAD**-0.5), [1, 0, 2])
    scores = graph.add("MatMul", queries, _heads(graph, normed, key, [1, 2, 0]))
    attention = graph.add("Softmax", scores, axis=-1)
    attended = graph.add("MatMul", attention, _heads(graph, normed, value, [1, 0, 2]))
    attended = graph.add("Transpose", attended, perm=[1, 0, 2])
    attended = graph.add("Reshape", attended, np.array([-1, width], np.int64))
    x = graph.add("Add", x, _linear(graph, weights, f"{name}.proj", attended))
    expanded = _linear(graph, weights, f"{name}.fc1", _norm(graph, x, width))
    expanded = graph.add("Relu", expanded)
    return graph.add("Add", x, _linear(graph, weights, f"{name}.fc2", expanded))


def _heads(graph: Graph, x: str, weight: Floats, order: list[int]) -> str:
    """L x width -> heads, cells and numbers in this order of 1, 0, 2."""
    mapped = graph.add("MatMul", x, np.ascontiguousarray(weight.T))
    split = graph.add("Reshape", mapped, np.array([0, -1, CONTEXT_HEAD], np.int64))
    return graph.add("Transpose", split, perm=order)


def _linear(graph: Graph, weights: Weights, name: str, x: str) -> str:
    weight, bias = weights.tensor(f"{name}.weight"), weights.tensor(f"{name}.bias")
    return graph.add("Gemm", x, weight, bias, transB=1)


def _norm(graph: Graph, x: str, width: int) -> str:
    return graph.add("LayerNormalization", x, np.ones(width, np.float32), axis=-1)


def _positions(graph: Graph, features: str, width: int) -> str:
    """L x width: sine and cosine waves of each cell's row and column."""
    speeds = (POSITION_BASE ** -np.linspace(0, 1, width // 4)).astype(np.float32)
    zeros = np.zeros_like(speeds)
    of_rows = np.concatenate((speeds, speeds, zeros, zeros))
    of_columns = np.concatenate((zeros, zeros, speeds, speeds))
    phase = np.tile(np.concatenate((zeros, zeros + np.float32(np.pi / 2))), 2)
    sides = graph.add("Shape", features)
    rows, columns = (_range(graph, sides, axis) for axis in (2, 3))
    down = graph.add("MatMul", rows, of_rows[None])
    right = graph.add("MatMul", columns, of_columns[None])
    down = graph.add("Unsqueeze", down, np.array([1], np.int64))
    angle = graph.add("Add", graph.add("Add", down, right), phase)
    return graph.add("Reshape", graph.add("Sin", angle), np.array([-1, width], np.int64))


def _range(graph: Graph, sides: str, axis: int) -> str:
    """0, 1, 2, ... as a column, up to the size of an axis."""
    start, step = np.array(0, np.int64), np.array(1, np.int64)
    end = graph.add("Gather", sides, np.array(axis, np.int64))
    numbers = graph.add("Cast", graph.add("Range", start, end, step), to=1)
    return graph.add("Unsqueeze", numbers, np.array([1], np.int64))
