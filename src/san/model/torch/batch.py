"""Trees as tensors: all steps of one depth, over all images of a batch, side by side.

- L levels of N slots each. A slot holds one step; slots that hold none weigh nothing.
- A step's parent is a slot of the level above; for level 0 it is the image itself.
- Shapes may be rounded up, so that a few captured CUDA graphs serve every batch.
- `Levels` is numpy and made once a tree; `Batch` is torch.
- Boxes of symbols, where they are known, supervise the attention of the steps that write them.
  Whole pixels will do, a cell has 16.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.grammar.productions import START, Step, by_level
from san.grammar.tree import SLOT, Relation
from san.grammar.vocabulary import Vocabulary
from san.model.spec import EXTEND_TARGET, STRIDE

UNKNOWN_BOX = (0, 0, -1, -1)  # of a step that writes no symbol, or whose box is not known


class Levels(NamedTuple):
    """The steps of one tree, level by level, as numbers: int32 arrays of one length."""

    depth: NDArray[np.int32]
    place: NDArray[np.int32]  # among the steps of the same depth
    parent: NDArray[np.int32]  # the parent's place among those of the depth above
    partner: NDArray[np.int32]
    edge: NDArray[np.int32]  # the relation to the parent, as a partner's number
    target: NDArray[np.int32]
    relations: NDArray[np.int32]  # bit i: slot i is opened
    share: NDArray[np.float32]  # 1 / number of steps with the same parent
    box: NDArray[np.int16]  # steps x 4: left, top, right, bottom of its symbol, or UNKNOWN_BOX

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many steps each level has."""
        return np.bincount(self.depth)


def levels(
    steps: Sequence[Step], vocabulary: Vocabulary, boxes: NDArray[np.floating] | None = None
) -> Levels:
    """The steps of one tree, in any order that `fold` takes, as numbers.

    `boxes` has a row for each step, in the steps' order; NaN where none is known.
    """
    ordered = by_level(steps)
    place: list[int] = []
    for index, step in enumerate(ordered):
        same = index > 0 and ordered[index - 1].depth == step.depth
        place.append(place[-1] + 1 if same else 0)
    parents = [step.parent for step in ordered]
    siblings = np.bincount(np.array(parents) + 1)
    right = vocabulary.number(Relation.RIGHT)
    number = vocabulary.number

    def column(values: Sequence[int]) -> NDArray[np.int32]:
        return np.array(values, np.int32)

    target = column([number(step.target) for step in ordered])
    box = np.full((len(ordered), 4), UNKNOWN_BOX, np.int16)
    if boxes is not None:
        # `by_level` sorts by depth alone, and so do we: rows follow their steps.
        rows = boxes[np.argsort([step.depth for step in steps], kind="stable")]
        # An E has relations to find and no ink of its own: its attention is not supervised.
        known = (target > EXTEND_TARGET) & np.isfinite(rows).all(1)
        box[known] = np.clip(np.rint(rows[known]), 0, np.iinfo(np.int16).max)
    return Levels(
        depth=column([step.depth for step in ordered]),
        place=column(place),
        parent=column([place[parent] if parent >= 0 else 0 for parent in parents]),
        partner=column([number(step.partner) for step in ordered]),
        edge=column(
            [number(s.partner) if isinstance(s.partner, Relation) else right for s in ordered]
        ),
        target=target,
        relations=column([sum(1 << SLOT[r] for r in step.relations) for step in ordered]),
        share=np.array([1 / siblings[parent + 1] for parent in parents], np.float32),
        box=box,
    )


@dataclass(frozen=True)
class Batch:
    """Fixed-shape tensors: B images, L levels of N slots.

    `san.model.torch.sequential` has another layout of the same columns: a slot for each image.
    """

    images: Tensor  # B x 1 x H x W, ink 1 on 0
    mask: Tensor  # B x H/16 x W/16, true where a grid cell exists
    image: Tensor  # L x N: which image a step belongs to
    parent: Tensor  # L x N: slot of the level above
    partner: Tensor  # L x N
    edge: Tensor  # L x N: relation to the parent, as a partner's number
    target: Tensor  # L x N
    relations: Tensor  # L x N, bit i: slot i is opened
    weight: Tensor  # L x N: 1 for a step, 0 for an unused slot
    share: Tensor  # L x N: 1 / number of siblings, itself counted; 0 for an unused slot
    box: Tensor  # L x N x 4: left, top, right, bottom of the symbol in pixels, or UNKNOWN_BOX

    def to(self, device: torch.device | str) -> Self:
        return type(self)(**{f.name: getattr(self, f.name).to(device) for f in fields(self)})


class DecoderOutput(NamedTuple):
    """Of all steps of a batch."""

    symbols: Tensor  # L x N x targets, before softmax
    relations: Tensor  # L x N x 7, before sigmoid; L x N x 0 without any
    weights: Tensor  # L x N x cells: attention


def slots(
    trees: Sequence[Levels], vocabulary: Vocabulary, depth: int = 0, width: int = 0
) -> dict[str, NDArray[Any]]:
    """The trees of one batch as L x N arrays, by the names of `Batch`'s fields.

    `depth` and `width` are the least L and N to fill.
    """
    counts = np.zeros((max(depth, max(len(t.counts) for t in trees)), len(trees)), np.int64)
    for index, tree in enumerate(trees):
        counts[: len(tree.counts), index] = tree.counts
    offsets = np.cumsum(counts, 1) - counts
    width = max(width, int(counts.sum(1).max()))
    # The slots above level 0 are the images.
    above = np.concatenate((np.arange(len(trees))[None], offsets))
    which = np.repeat(np.arange(len(trees)), [len(tree.depth) for tree in trees])
    steps = concatenate(trees)
    at = (steps.depth, offsets[steps.depth, which] + steps.place)
    arrays = scatter_steps(steps, at, (len(counts), width), vocabulary)
    arrays["image"][at] = which
    arrays["parent"][at] = above[steps.depth, which] + steps.parent
    return arrays


def concatenate(trees: Sequence[Levels]) -> Levels:
    """The steps of several trees, one tree after the other."""
    return Levels(*(np.concatenate(columns) for columns in zip(*trees, strict=True)))


def scatter_steps(
    steps: Levels,
    at: tuple[NDArray[np.integer], NDArray[np.integer]],
    shape: tuple[int, int],
    vocabulary: Vocabulary,
) -> dict[str, NDArray[Any]]:
    """Some steps at their places in arrays of a shape; `image` and `parent` are left to fill."""

    def scatter(values: NDArray[np.generic] | int, fill: int = 0) -> NDArray[np.int32]:
        array = np.full(shape, fill, np.int32)
        array[at] = values
        return array

    share = np.zeros(shape, np.float32)
    share[at] = steps.share
    box = np.full((*shape, 4), UNKNOWN_BOX, np.int16)
    box[at] = steps.box
    return {
        "image": np.zeros(shape, np.int32),
        "parent": np.zeros(shape, np.int32),
        "partner": scatter(steps.partner, vocabulary.number(START)),
        "edge": scatter(steps.edge),
        "target": scatter(steps.target),
        "relations": scatter(steps.relations),
        "weight": scatter(1).astype(np.float32),
        "share": share,
        "box": box,
    }


def collate(
    images: Sequence[NDArray[np.generic]],
    trees: Sequence[Levels],
    vocabulary: Vocabulary,
    size: tuple[int, int] = (0, 0),
) -> Batch:
    """Some images (ink 1 on 0) and their trees as one batch, at least `size` pixels large."""
    pixels, mask = canvas(images, size)
    columns = {name: torch.from_numpy(a) for name, a in slots(trees, vocabulary).items()}
    return Batch(torch.from_numpy(pixels), torch.from_numpy(mask), **columns)


def canvas(
    images: Sequence[NDArray[np.generic]], size: tuple[int, int] = (0, 0)
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Images of any size in the upper left corners of one array, and the cells that each owns."""
    cells = [(-(-image.shape[0] // STRIDE), -(-image.shape[1] // STRIDE)) for image in images]
    rows = max(-(-size[0] // STRIDE), *(r for r, _ in cells))
    columns = max(-(-size[1] // STRIDE), *(c for _, c in cells))
    pixels = np.zeros((len(images), 1, STRIDE * rows, STRIDE * columns), np.float32)
    mask = np.zeros((len(images), rows, columns), np.bool_)
    for index, (image, (r, c)) in enumerate(zip(images, cells, strict=True)):
        pixels[index, 0, : image.shape[0], : image.shape[1]] = image
        mask[index, :r, :c] = True
    return pixels, mask
