"""Algorithm 1 as the paper prints it, teacher-forced: a stack, one step at a time.

The readable reference for `decode_by_level`, and for `decode_sequential`, which runs SAN-GS:
coverage over all past steps depends on the order of the traversal, so an image's steps cannot run
side by side. Path attention can.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from san.grammar.productions import Step
from san.grammar.vocabulary import Vocabulary
from san.model.torch.attention import Memory
from san.model.torch.decoder import Decoder


class TraversalOutput(NamedTuple):
    """Of one image's steps, depth first."""

    symbols: Tensor  # steps x targets
    relations: Tensor  # steps x 7
    weights: Tensor  # steps x cells


def traverse(
    decoder: Decoder, memory: Memory, image: int, steps: Sequence[Step], vocabulary: Vocabulary
) -> TraversalOutput:
    """One image's tree; `steps` come from `unfold`, depth first."""
    coverage = decoder.attention.folded_coverage()
    which = torch.tensor([image], device=memory.init_state.device)
    none = torch.zeros_like(memory.mask[image : image + 1], dtype=memory.init_state.dtype)
    everything = none  # attention of all steps so far, in the order of the traversal
    children: dict[int, list[int]] = {}
    for index, step in enumerate(steps):
        children.setdefault(step.parent, []).append(index)
    stack = [(0, memory.init_state[image : image + 1], none)]
    outputs: list[tuple[Tensor, Tensor, Tensor]] = []
    while stack:
        index, state, path = stack.pop()
        past = path if decoder.coverage == "path" else everything
        number = torch.tensor([vocabulary.number(steps[index].partner)], device=which.device)
        partner = decoder.embedding(number)
        output = decoder.step(memory, coverage, which, state, past, partner)
        everything = everything + output.weights
        fine = decoder.fine_context(memory, which, output)
        heads = decoder.heads(partner, output.state, output.context, fine)
        outputs.append((*heads, output.weights))
        for child in reversed(children.get(index, [])):
            stack.append((child, output.state, path + output.weights))
    return TraversalOutput(*(torch.cat(part) for part in zip(*outputs, strict=True)))
