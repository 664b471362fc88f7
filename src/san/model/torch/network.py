"""SAN: the encoder, the decoder, and in training the reversed decoder beside it.

Teacher-forced, a tree runs level by level (`by_level`): a step is given what its parent step came
to, so all steps of one depth run at once. `san.model.torch.traversal` has Algorithm 1 as the
paper prints
it; both give the same losses. The reversed decoder runs the levels from the deepest up: a step is
given the mean of what its children came to and of their embeddings; a leaf begins with the image's
first state and the start mark. It has its own weights and reads the same features.

SAN-GS runs step by step instead (`san.model.torch.by_step`), and has no reversed decoder.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from san.grammar.productions import START
from san.grammar.vocabulary import Vocabulary
from san.model.spec import NetworkConfig
from san.model.torch.attention import Memory
from san.model.torch.batch import EMPTY_TARGET, Batch, Levels, Run, slots
from san.model.torch.by_step import by_step, step_slots
from san.model.torch.decoder import Decoder, Taken
from san.model.torch.encoder import Encoder


class SAN(nn.Module):
    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary
        partners, targets = len(vocabulary.partners), len(vocabulary.targets)
        self.start = vocabulary.number(START)
        self.encoder = Encoder(config)
        self.decoder = Decoder(config, partners, targets)
        plain = replace(config, glance=0, survey=0)
        self.reversed = Decoder(plain, partners, targets) if config.reversed else None
        if self.reversed is not None:
            del self.reversed.relation  # the losses know only its symbols (eq. 13)

    def encode(self, images: Tensor, mask: Tensor) -> Memory:
        features, fine = self.encoder.scales(images, mask)
        return self.decoder.remember(features, mask, fine)

    def slots(
        self, trees: Sequence[Levels], depth: int = 0, width: int = 0
    ) -> dict[str, NDArray[Any]]:
        """A batch's trees, laid out as `run` takes them; `depth` and `width` are the least size."""
        lay_out = slots if self.config.coverage == "path" else step_slots
        return lay_out(trees, self.vocabulary, depth, width)

    def run(self, memory: Memory, batch: Batch) -> Run:
        """The decoder over a batch, teacher-forced."""
        way = by_level if self.config.coverage == "path" else by_step
        return way(self.decoder, memory, batch)

    def forward(self, batch: Batch) -> tuple[Run, Run | None]:
        """Both decoders over a batch, teacher-forced."""
        features, fine = self.encoder.scales(batch.images, batch.mask)
        forward = self.run(self.decoder.remember(features, batch.mask, fine), batch)
        if self.reversed is None:
            return forward, None
        assert self.config.coverage == "path", "the reversed decoder runs by level"
        memory = self.reversed.remember(features, batch.mask)
        return forward, up_the_tree(self.reversed, memory, batch, self.start)


def by_level(decoder: Decoder, memory: Memory, batch: Batch) -> Run:
    """From the root down, one level at a time."""
    kernel = decoder.attention.past_kernel()
    partners = decoder.embedding(batch.partner)
    state = memory.first
    past = torch.zeros_like(memory.mask, dtype=state.dtype)
    kept = decoder.remembering(state, *batch.image.shape)
    taken = []
    for level, image in enumerate(batch.image):
        parent = batch.parent[level]
        past = past.index_select(0, parent)
        state = state.index_select(0, parent)
        state = state if kept is None else state * kept[level]
        step = decoder.step(memory, kernel, image, state, past, partners[level])
        state, past = step.state, past + step.weights
        taken.append(step)
    found = Taken(*(torch.stack(part) for part in zip(*taken, strict=True)))
    glimpse = decoder.glimpse(memory, batch.image, found, batch.weight)
    symbols, relations = decoder.heads(partners, found.state, found.context, glimpse)
    return Run(symbols, relations, found.weights)


def up_the_tree(decoder: Decoder, memory: Memory, batch: Batch, start: int) -> Run:
    """From the leaves up: each step predicts its own target from its children's."""
    kernel = decoder.attention.past_kernel()
    children = decoder.embedding(batch.target) + decoder.embedding(batch.edge)
    leaf = (batch.target == EMPTY_TARGET)[..., None]
    blank = decoder.embedding.weight[start]
    taken = []
    given = []
    state, past = memory.first, torch.zeros_like(memory.mask, dtype=memory.first.dtype)
    width = batch.image.shape[1]
    kept = decoder.remembering(state, *batch.image.shape)
    for level in range(len(batch.image) - 1, -1, -1):
        image = batch.image[level]
        partner = state.new_zeros(width, children.shape[-1])
        incoming = state.new_zeros(width, state.shape[-1])
        summed = past.new_zeros(width, past.shape[-1])
        if level + 1 < len(batch.image):
            below, share = batch.parent[level + 1], batch.share[level + 1][:, None]
            partner = partner.index_add(0, below, share * children[level + 1])
            incoming = incoming.index_add(0, below, share * state)
            summed = summed.index_add(0, below, share * past)
        partner = torch.where(leaf[level], blank, partner)
        incoming = torch.where(leaf[level], memory.first.index_select(0, image), incoming)
        incoming = incoming if kept is None else incoming * kept[level]
        step = decoder.step(memory, kernel, image, incoming, summed, partner)
        state, past = step.state, summed + step.weights
        taken.append(step)
        given.append(partner)
    taken.reverse()
    given.reverse()
    states, contexts, weights = (torch.stack(part) for part in zip(*taken, strict=True))
    merged = decoder.merge(torch.stack(given), states, contexts)
    symbols = decoder.symbol(merged)
    return Run(symbols, symbols.new_zeros(*symbols.shape[:-1], 0), weights)
