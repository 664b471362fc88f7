"""Which node a reader runs on: as many on each as it has cores.

Ray would choose by itself, and often puts all readers of two small nodes on one of them: it counts
a reader as half a core, so there is room, and each node that is asked to spread them begins anew.
"""

from collections.abc import Iterable, Mapping
from itertools import cycle
from typing import Any


class Placement:
    """Called for each reader that is started; gives Ray the arguments that name its node. Where
    that node is lost, another will do."""

    def __init__(self, nodes: Iterable[Mapping[str, Any]]) -> None:
        """Of nodes as `ray.nodes()` lists them."""
        self._ids = cycle(node_of_each_core(nodes))

    def __call__(self) -> dict[str, Any]:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        node = next(self._ids, None)
        if node is None:
            return {}
        return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=True)}


def node_of_each_core(nodes: Iterable[Mapping[str, Any]]) -> list[str]:
    """Ids: first of one core of each node, then of the second of those that have another, ..."""
    cores = [
        (core, node["NodeID"])
        for node in nodes
        if node["Alive"]
        for core in range(int(node["Resources"].get("CPU", 0)))
    ]
    return [node for _, node in sorted(cores)]
