"""The fine attention (`san.model.torch.fine_attention`) as ONNX operators.

- Once an image: keys of the fine cells, and their features projected to the heads' space. A step
  weighs the latter, which are shorter than features. Cells come in four groups, one for each
  quarter of a coarse cell, so that a step adds the attention's logarithm, one number a coarse cell,
  to each group.
- In a step: all steps read one image, so keys and features are shared, and it is two products. The
  scale of the scores is folded into the query.
"""

from collections.abc import Mapping

import numpy as np

from san.model.onnx.graph import Graph, Shape
from san.model.onnx.weights import Weights
from san.model.spec import MIN_ATTENTION, NetworkConfig


def fine_inputs(config: NetworkConfig) -> Mapping[str, Shape]:
    """What the encoder's graph hands to the step's for it; nothing without a fine attention."""
    size = config.fine_attention
    return {"fine": ("fine", config.merge), "fine_keys": (size, "fine")} if size else {}


def fine_memory(graph: Graph, weights: Weights, fine: str) -> None:
    """1 x C' x 2h x 2w -> "fine" 4L x merge and "fine_keys" G x 4L."""
    size, merge = weights.config.fine_attention, weights.config.merge
    key = weights.tensor("decoder.fine_attention.key.weight")
    proj = weights.tensor("decoder.fine_attention.proj.weight")
    both = graph.add("Conv", fine, np.concatenate((key, proj))[:, :, None, None])
    groups = graph.add("SpaceToDepth", both, blocksize=2)
    groups = graph.add("Reshape", groups, np.array([4, size + merge, -1], np.int64))
    keys, projected = graph.parts(groups, size, merge)
    keys = graph.add("Transpose", keys, perm=[1, 0, 2])
    graph.add("Reshape", keys, np.array([size, -1], np.int64), name="fine_keys")
    projected = graph.add("Transpose", projected, perm=[0, 2, 1])
    graph.add("Reshape", projected, np.array([-1, merge], np.int64), name="fine")


def fine_attention(graph: Graph, weights: Weights, state: str, attention: str) -> str:
    """What it adds to the merged space of N steps, N x merge, from their states and attention."""
    scale = np.float32(weights.config.fine_attention**-0.5)
    query = weights.tensor("decoder.fine_attention.query.weight") * scale
    bias = weights.tensor("decoder.fine_attention.query.bias") * scale
    queries = graph.add("Gemm", state, query.T, bias)
    scores = graph.add("MatMul", queries, "fine_keys")
    scores = graph.add("Reshape", scores, np.array([0, 4, -1], np.int64))
    prior = graph.add("Log", graph.add("Add", attention, np.array(MIN_ATTENTION, np.float32)))
    scores = graph.add("Add", scores, graph.add("Unsqueeze", prior, np.array([1], np.int64)))
    scores = graph.add("Reshape", scores, np.array([0, -1], np.int64))
    return graph.add("MatMul", graph.add("Softmax", scores, axis=-1), "fine")
