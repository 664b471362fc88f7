"""Algorithm 1 as the paper prints it, teacher-forced: a stack, one step at a time.

The readable reference for `by_level`, and for `by_step`, which runs SAN-GS: coverage over all past
steps depends on the order of the traversal, so an image's steps cannot run side by side. That is
what path attention saves.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from san.grammar.productions import Step
from san.grammar.vocabulary import Vocabulary
from san.model.torch.attention import Memory
from san.model.torch.decoder import Decoder


class Walked(NamedTuple):
    """What the decoder made of one image's steps, depth first."""

    symbols: Tensor  # steps x targets
    relations: Tensor  # steps x 7
    weights: Tensor  # steps x cells


def traverse(
    decoder: Decoder, memory: Memory, image: int, steps: Sequence[Step], vocabulary: Vocabulary
) -> Walked:
    """One image's tree; `steps` come from `unfold`, depth first."""
    kernel = decoder.attention.past_kernel()
    which = torch.tensor([image], device=memory.first.device)
    nothing = torch.zeros_like(memory.mask[image : image + 1], dtype=memory.first.dtype)
    everything = nothing  # attention of all steps so far, in the order of the traversal
    children: dict[int, list[int]] = {}
    for index, step in enumerate(steps):
        children.setdefault(step.parent, []).append(index)
    stack = [(0, memory.first[image : image + 1], nothing)]
    walked: list[tuple[Tensor, Tensor, Tensor]] = []
    while stack:
        index, state, path = stack.pop()
        past = path if decoder.coverage == "path" else everything
        number = torch.tensor([vocabulary.number(steps[index].partner)], device=which.device)
        partner = decoder.embedding(number)
        taken = decoder.step(memory, kernel, which, state, past, partner)
        everything = everything + taken.weights
        glimpse = decoder.glimpse(memory, which, taken)
        heads = decoder.heads(partner, taken.state, taken.context, glimpse)
        walked.append((*heads, taken.weights))
        for child in reversed(children.get(index, [])):
            stack.append((child, taken.state, path + taken.weights))
    return Walked(*(torch.cat(part) for part in zip(*walked, strict=True)))
