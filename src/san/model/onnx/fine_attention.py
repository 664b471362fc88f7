"""The second, finer look (`model.torch.fine_attention`) as operators, where the network has one.

- Once an image: the fine cells' keys, and what each of them would bring to the heads. A step weighs
  the latter, which are shorter than features. Cells come in four lots, one for each quarter of a
  coarse cell, so that a step adds the attention's logarithm, one number a coarse cell, to each lot.
- In a step: all of it reads one image, so these are shared, and it is two products. The scale of
  the scores is folded into the query.
"""

from collections.abc import Mapping

import numpy as np

from san.model.onnx.graph import Graph, Shape
from san.model.onnx.weights import Weights

FAINT = 1e-4
"""Attention that a fine cell is given at least."""


def fine_ends(weights: Weights) -> Mapping[str, Shape]:
    """What is handed from the encoder's graph to the step's for it; nothing where there is none."""
    size, merge = weights.size("glance"), weights.size("merge")
    return {"fine": ("fine", merge), "fine_keys": (size, "fine")} if size else {}


def remember(graph: Graph, weights: Weights, fine: str) -> None:
    """1 x C x 2h x 2w -> "fine" 4L x merge and "fine_keys" G x 4L."""
    size, merge = weights.size("glance"), weights.size("merge")
    key = weights.take("decoder.glance.key.weight", size, weights.fine)
    into = weights.take("decoder.glance.into.weight", merge, weights.fine)
    both = graph.add("Conv", fine, np.concatenate((key, into))[:, :, None, None])
    lots = graph.add("SpaceToDepth", both, blocksize=2)
    lots = graph.add("Reshape", lots, np.array([4, size + merge, -1], np.int64))
    keys, brought = graph.parts(lots, size, merge)
    keys = graph.add("Transpose", keys, perm=[1, 0, 2])
    graph.add("Reshape", keys, np.array([size, -1], np.int64), name="fine_keys")
    brought = graph.add("Transpose", brought, perm=[0, 2, 1])
    graph.add("Reshape", brought, np.array([-1, merge], np.int64), name="fine")


def glance(graph: Graph, weights: Weights, state: str, looks: str) -> str:
    """What N steps bring to the heads, N x merge, from their states and attention."""
    size, scale = weights.size("glance"), np.float32(weights.size("glance") ** -0.5)
    query = weights.take("decoder.glance.query.weight", size, weights.size("hidden")) * scale
    bias = weights.take("decoder.glance.query.bias", size) * scale
    asked = graph.add("Gemm", state, query.T, bias)
    scores = graph.add("MatMul", asked, "fine_keys")
    scores = graph.add("Reshape", scores, np.array([0, 4, -1], np.int64))
    near = graph.add("Log", graph.add("Add", looks, np.array(FAINT, np.float32)))
    scores = graph.add("Add", scores, graph.add("Unsqueeze", near, np.array([1], np.int64)))
    scores = graph.add("Reshape", scores, np.array([0, -1], np.int64))
    return graph.add("MatMul", graph.add("Softmax", scores, axis=-1), "fine")
