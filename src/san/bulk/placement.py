"""Which node a reader runs on: as many on each as it has cores; and the cores of one with a GPU.

Ray would choose by itself, and often puts all readers of two small nodes on one of them: it counts
a reader as half a core, so there is room, and each node that is asked to spread them begins anew.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from itertools import cycle
from typing import Any


def placing(map_batches: Callable[..., Any], nodes: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Arguments of `Dataset.map_batches` that place its actors; none for a single node, nor where
    Ray takes none: 2.64 is announced to leave it to itself."""
    ids = node_of_each_core(nodes)
    if len(set(ids)) < 2 or "ray_remote_args_fn" not in inspect.signature(map_batches).parameters:
        return {}
    return {"ray_remote_args_fn": Placement(ids)}


class Placement:
    """Called for each reader that is started; gives Ray the arguments that name its node. Where
    that node is lost, another will do."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._ids = cycle(ids)

    def __call__(self) -> dict[str, Any]:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        strategy = NodeAffinitySchedulingStrategy(next(self._ids), soft=True)
        return {"scheduling_strategy": strategy}


def node_of_each_core(nodes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Ids, of nodes as `ray.nodes()` lists them: first of one core of each node, then of the second
    of those that have another, ..."""
    cores = [
        (core, node["NodeID"])
        for node in nodes
        if node["Alive"]
        for core in range(int(node["Resources"].get("CPU", 0)))
    ]
    return [node for _, node in sorted(cores)]


def cores_for_each_gpu(nodes: Iterable[Mapping[str, Any]]) -> int:
    """As many as every node with GPUs has for each of them: a reader cannot have more."""
    resources = [node["Resources"] for node in nodes if node["Alive"]]
    shares = [own.get("CPU", 0) // own["GPU"] for own in resources if own.get("GPU", 0) >= 1]
    return max(1, int(min(shares, default=1)))
