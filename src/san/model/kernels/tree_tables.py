"""A batch's trees as one flat vector of numbers, and as views of it on the device.

- One copy to the device a step. The vector has a fixed layout for given B, L and N, so that a
  captured graph finds everything where it was.
- Where the recurrence needs a table and the same table shifted by a level, both are views of one
  table with a spare row.
- Laid out by step (SAN-GS) a parent is known by its flat slot, and nobody asks for children.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.model.kernels.recurrence import Sources, Tree
from san.model.spec import EMPTY_TARGET

COLUMNS = ("image", "partner", "edge", "target", "relations", "order", "above")
FLOATS = ("weight", "share", "scale", "leaf")
SHIFTED = ("parent", "first_child", "children", "next_weight", "next_share")
BOX = 2  # numbers that a box takes: its four are halves


class TableShape(NamedTuple):
    images: int  # B
    levels: int  # L
    slots: int  # N
    sequential: bool = False  # laid out by step (`san.model.torch.sequential`)

    @property
    def length(self) -> int:
        """How many 4-byte numbers the vector has."""
        flat, spare = self.levels * self.slots, (self.levels + 1) * self.slots
        plain = len(COLUMNS) + len(FLOATS) + BOX
        return plain * flat + len(SHIFTED) * spare + self.images + 1


def pack(slots: Mapping[str, NDArray[Any]], shape: TableShape) -> NDArray[np.int32]:
    """`slots` comes from `san.model.torch.batch.slots`."""
    levels, width = shape.levels, shape.slots
    used = slots["weight"] > 0
    numbers = np.arange(levels * width).reshape(levels, width)
    first_child, children, above = _family(slots["parent"], used, shape)
    images = slots["image"][used]
    order = np.zeros(levels * width, np.int32)
    order[: used.sum()] = numbers[used][np.argsort(images, kind="stable")]
    starts = np.searchsorted(np.sort(images), np.arange(shape.images + 1)).astype(np.int32)

    def shifted(table: NDArray[Any]) -> NDArray[Any]:
        return np.concatenate((table, np.zeros((1, width), table.dtype)))

    child_count = children[1:]
    tables: dict[str, NDArray[Any]] = {
        **{name: slots[name] for name in COLUMNS if name in slots},
        "order": order,
        "above": above,
        "weight": slots["weight"],
        "share": slots["share"],
        "scale": np.where(child_count > 0, 1 / np.maximum(child_count, 1), 0).astype(np.float32),
        "leaf": (slots["target"] == EMPTY_TARGET).astype(np.float32),
        "parent": shifted(slots["parent"]),
        "first_child": first_child,
        "children": children,
        "next_weight": shifted(used.astype(np.int32)),
        "next_share": shifted(slots["share"]),
    }
    parts = [tables[name].ravel().view(np.int32) for name in (*COLUMNS, *FLOATS, *SHIFTED)]
    return np.concatenate((*parts, slots["box"].ravel().view(np.int32), starts))


def _family(
    parents: NDArray[Any], used: NDArray[np.bool_], shape: TableShape
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """First child and number of children, with a spare row before; the parent's flat slot."""
    levels, width = shape.levels, shape.slots
    first_child, children = np.zeros((2, levels + 1, width), np.int32)
    above = np.zeros((levels, width), np.int32)
    if shape.sequential:
        above[1:] = parents[1:]
        return first_child, children, above
    level, slot = np.nonzero(used[1:])  # steps below level 0, in the order of their slots
    parent = parents[level + 1, slot]
    # Children stand side by side: written from the last to the first, the first one stays.
    first_child[level[::-1] + 1, parent[::-1]] = slot[::-1]
    np.add.at(children, (level + 1, parent), 1)
    above[level + 1, slot] = level * width + parent
    return first_child, children, above


class Tables(NamedTuple):
    """Views of the vector on the device; L x N unless said."""

    partner: Tensor
    edge: Tensor
    target: Tensor
    relations: Tensor
    above: Tensor  # the parent's flat slot; 0 for level 0
    weight: Tensor
    share: Tensor
    leaf: Tensor
    box: Tensor  # L x N x 4
    forward: Tree  # from the root to the leaves
    reversed: Tree  # from the leaves to the root


def unpack(vector: Tensor, shape: TableShape) -> Tables:
    levels, width = shape.levels, shape.slots
    at = 0
    views: dict[str, Tensor] = {}
    for name in (*COLUMNS, *FLOATS, *SHIFTED):
        rows = levels + (name in SHIFTED)
        view = vector[at : at + rows * width].view(rows, width)
        floating = name in FLOATS or name == "next_share"
        views[name] = view.view(torch.float32) if floating else view
        at += rows * width
    box = vector[at : at + BOX * levels * width].view(torch.int16).view(levels, width, 4)
    at += BOX * levels * width
    starts = vector[at : at + shape.images + 1]
    ones = torch.ones(levels, width, device=vector.device)
    single = torch.ones(levels, width, device=vector.device, dtype=torch.int32)
    first_child, children = views["first_child"], views["children"]
    from_parent = Sources(views["parent"][:-1], single, ones, first_child[:-1], children[:-1], ones)
    from_children = Sources(
        first_child[1:],
        children[1:],
        views["scale"],
        views["parent"][1:],
        views["next_weight"][1:],
        views["next_share"][1:],
    )
    order, used = views["order"].flatten(), views["next_weight"][:-1]
    downwards, upwards = tuple(range(levels)), tuple(range(levels - 1, -1, -1))
    return Tables(
        partner=views["partner"],
        edge=views["edge"],
        target=views["target"],
        relations=views["relations"],
        above=views["above"],
        weight=views["weight"],
        share=views["share"],
        leaf=views["leaf"],
        box=box,
        forward=Tree(
            views["image"],
            used,
            downwards,
            from_parent,
            None,
            order,
            starts,
            sequential=shape.sequential,
        ),
        reversed=Tree(views["image"], used, upwards, from_children, views["leaf"], order, starts),
    )
