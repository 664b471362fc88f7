"""The survey (`san.model.torch.context`) as operators, where the network has one: once an image.

One image lies alone on its cells, so all of them may be asked. The scale of the scores is folded
into the queries.
"""

import numpy as np

from san.decoding.engine import Floats
from san.model.onnx.graph import Graph
from san.model.onnx.weights import HEAD, Weights

ROUNDS, LONGEST = 2, 400.0
"""As in `san.model.torch.context`, which says why."""


def survey(graph: Graph, weights: Weights, features: str, channels: int) -> str:
    """Features C x L of a grid 1 x C x h x w -> the same, knowing of one another."""
    size = weights.size("survey")
    flat = graph.add("Reshape", features, np.array([channels, -1], np.int64))
    if not size:
        return flat
    into = weights.take("decoder.survey.into.weight", size, channels)
    bias = weights.take("decoder.survey.into.bias", size)
    x = graph.add("Gemm", flat, into, bias, transA=1, transB=1)
    x = graph.add("Add", x, _places(graph, features, size))
    for number in range(ROUNDS):
        x = _round(graph, weights, f"decoder.survey.rounds.{number}", x, size)
    back = weights.take("decoder.survey.back.weight", channels, size)
    return graph.add("Add", flat, graph.add("Gemm", back, _norm(graph, x, size), transB=1))


def _round(graph: Graph, weights: Weights, name: str, x: str, size: int) -> str:
    ask = weights.take(f"{name}.ask.weight", 3 * size, size)
    query, key, value = np.split(ask, 3)
    quiet = _norm(graph, x, size)
    asked = _heads(graph, quiet, query * np.float32(HEAD**-0.5), [1, 0, 2])
    scores = graph.add("MatMul", asked, _heads(graph, quiet, key, [1, 2, 0]))
    looks = graph.add("Softmax", scores, axis=-1)
    heard = graph.add("MatMul", looks, _heads(graph, quiet, value, [1, 0, 2]))
    heard = graph.add("Transpose", heard, perm=[1, 0, 2])
    heard = graph.add("Reshape", heard, np.array([-1, size], np.int64))
    x = graph.add("Add", x, _map(graph, weights, f"{name}.told", heard, size, size))
    wide = _map(graph, weights, f"{name}.widen", _norm(graph, x, size), 2 * size, size)
    wide = graph.add("Relu", wide)
    return graph.add("Add", x, _map(graph, weights, f"{name}.narrow", wide, size, 2 * size))


def _heads(graph: Graph, x: str, weight: Floats, order: list[int]) -> str:
    """L x size -> heads, cells and numbers in this order of 1, 0, 2."""
    mapped = graph.add("MatMul", x, np.ascontiguousarray(weight.T))
    apart = graph.add("Reshape", mapped, np.array([0, -1, HEAD], np.int64))
    return graph.add("Transpose", apart, perm=order)


def _map(graph: Graph, weights: Weights, name: str, x: str, outs: int, ins: int) -> str:
    weight, bias = weights.take(f"{name}.weight", outs, ins), weights.take(f"{name}.bias", outs)
    return graph.add("Gemm", x, weight, bias, transB=1)


def _norm(graph: Graph, x: str, size: int) -> str:
    return graph.add("LayerNormalization", x, np.ones(size, np.float32), axis=-1)


def _places(graph: Graph, features: str, size: int) -> str:
    """L x size: waves of each cell's row and column."""
    speeds = (LONGEST ** -np.linspace(0, 1, size // 4)).astype(np.float32)
    still = np.zeros_like(speeds)
    down = np.concatenate((speeds, speeds, still, still))
    right = np.concatenate((still, still, speeds, speeds))
    begin = np.tile(np.concatenate((still, still + np.float32(np.pi / 2))), 2)
    sides = graph.add("Shape", features)
    rows, columns = (_count(graph, sides, axis) for axis in (2, 3))
    turned = graph.add("MatMul", rows, down[None]), graph.add("MatMul", columns, right[None])
    turned = graph.add("Unsqueeze", turned[0], np.array([1], np.int64)), turned[1]
    angle = graph.add("Add", graph.add("Add", *turned), begin)
    return graph.add("Reshape", graph.add("Sin", angle), np.array([-1, size], np.int64))


def _count(graph: Graph, sides: str, axis: int) -> str:
    """0, 1, 2, ... as a column, up to the size of an axis."""
    none, one = np.array(0, np.int64), np.array(1, np.int64)
    end = graph.add("Gather", sides, np.array(axis, np.int64))
    numbers = graph.add("Cast", graph.add("Range", none, end, one), to=1)
    return graph.add("Unsqueeze", numbers, np.array([1], np.int64))
