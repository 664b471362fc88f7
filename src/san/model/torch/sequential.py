"""SAN-GS, teacher-forced: steps run in the order of the traversal, images side by side.

- Coverage over all past steps (the paper's ablation) depends on the order of the traversal, so an
  image's steps run one after the other; only other images can run beside them. A batch takes as
  many rows as its longest tree has steps; by level it takes as many as its deepest is deep.
- The same `Batch` in another layout: a row for each t-th step, a slot for each image. A step's
  parent may stand in any earlier row, so `parent` counts slots from the first row on; for row 0 it
  is the image.
- A slot keeps to its image. Rows after an image's last step follow the row before: no two steps of
  a row share a parent, so gradients can be added to parents without atomics.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from san.grammar.vocabulary import Vocabulary
from san.model.torch.attention import Memory
from san.model.torch.batch import Batch, DecoderOutput, Levels, concatenate, scatter_steps
from san.model.torch.decoder import Decoder


def traversal_order(tree: Levels) -> tuple[list[int], list[int]]:
    """For each step its number in the traversal (Algorithm 1), and its parent's; -1 for the first.

    Before a step come its parent and all that follows from the siblings before it.
    """
    counts = tree.counts
    above = np.concatenate(([0], np.cumsum(counts) - counts))  # where the level above begins
    parents: list[int] = (above[tree.depth] + tree.parent).tolist()
    sizes = [1] * len(parents)  # of the subtrees
    for step in range(len(parents) - 1, 0, -1):
        sizes[parents[step]] += sizes[step]
    numbers = [0] * len(parents)
    free = [1] * len(parents)  # the number that a step's next child gets
    for step in range(1, len(parents)):
        parent = parents[step]
        numbers[step] = free[parent]
        free[parent] += sizes[step]
        free[step] = numbers[step] + 1
    return numbers, [-1, *(numbers[parent] for parent in parents[1:])]


def sequential_slots(
    trees: Sequence[Levels], vocabulary: Vocabulary, rows: int = 0, width: int = 0
) -> dict[str, NDArray[Any]]:
    """The trees of one batch as L x N arrays, by the names of `Batch`'s fields.

    `rows` and `width` are the least L and N to fill.
    """
    orders = [traversal_order(tree) for tree in trees]
    row = np.concatenate([numbers for numbers, _ in orders])
    parent = np.concatenate([parents for _, parents in orders])
    which = np.repeat(np.arange(len(trees)), [len(tree.depth) for tree in trees])
    shape = (max(rows, int(row.max()) + 1), max(width, len(trees)))
    arrays = scatter_steps(concatenate(trees), (row, which), shape, vocabulary)
    slot = np.arange(shape[1])
    # A slot without an image reads the first one; its output is not used.
    arrays["image"][:] = np.where(slot < len(trees), slot, 0)
    before = np.arange(-1, shape[0] - 1)[:, None] * shape[1] + slot
    arrays["parent"][:] = before
    arrays["parent"][row, which] = parent * shape[1] + which
    arrays["parent"][0] = arrays["image"][0]
    return arrays


def decode_sequential(decoder: Decoder, memory: Memory, batch: Batch) -> DecoderOutput:
    """Along the traversal, one step of every image at a time."""
    coverage = decoder.attention.folded_coverage()
    partners = decoder.embedding(batch.partner)
    kept = decoder.state_dropout_mask(memory.init_state, *batch.image.shape)
    past = memory.init_state.new_zeros(batch.image.shape[1], memory.mask.shape[1])
    states = memory.init_state  # of all steps so far, row after row
    outputs = []
    for row, image in enumerate(batch.image):
        state = states.index_select(0, batch.parent[row])
        state = state if kept is None else state * kept[row]
        step = decoder.step(memory, coverage, image, state, past, partners[row])
        past = past + step.weights
        states = torch.cat((states, step.state)) if row else step.state
        outputs.append(step)
    stacked, contexts, weights = (torch.stack(part) for part in zip(*outputs, strict=True))
    symbols, relations = decoder.heads(partners, stacked, contexts)
    return DecoderOutput(symbols, relations, weights)
