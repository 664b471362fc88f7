"""SAN: the encoder, the decoder, and in training the reversed decoder beside it.

Teacher-forced, a tree runs level by level (`decode_by_level`): a step depends on its parent step
alone, so all steps of one depth run at once. `san.model.torch.traversal` has Algorithm 1 as the
paper prints it; both give the same losses. The reversed decoder runs the levels from the deepest
up: a step receives the mean of its children's states and embeddings; a leaf begins with the image's
initial state and the start mark. It has its own weights and reads the same features. Without
memory (`reversed_memory`) each of its steps begins with zeros, and is given embeddings alone.

SAN-GS runs sequentially instead (`san.model.torch.sequential`), and has no reversed decoder. DWAP
is the same decoder on a chain of tokens, where path and all past steps are one.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from san.grammar.vocabulary import Vocabulary
from san.model.spec import EMPTY_TARGET, NetworkConfig
from san.model.torch.attention import Memory
from san.model.torch.base import Network
from san.model.torch.batch import Batch, DecoderOutput, Levels, slots
from san.model.torch.decoder import Decoder, StepOutput
from san.model.torch.sequential import decode_sequential


class SAN(Network):
    """SAN, SAN-GS and DWAP."""

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary) -> None:
        super().__init__(config, vocabulary)
        partners, targets = len(self.vocabulary.partners), len(self.vocabulary.targets)
        self.decoder = Decoder(config, partners, targets, config.kind != "dwap")
        plain = replace(config, fine_attention=0, context=0, head_hidden=0)
        if not config.reversed_memory:
            plain = replace(plain, state_dropout=1.0)
        # The losses know only its symbols (eq. 13).
        self.reversed = (
            Decoder(plain, partners, targets, with_relations=False) if config.reversed else None
        )

    def encode(self, images: Tensor, mask: Tensor) -> Memory:
        features, fine = self.encoder.scales(images, mask)
        return self.decoder.memory(features, mask, fine)

    def slots(
        self, trees: Sequence[Levels], depth: int = 0, width: int = 0
    ) -> dict[str, NDArray[Any]]:
        if self.config.kind == "san":
            return slots(trees, self.vocabulary, depth, width)
        return super().slots(trees, depth, width)

    def decode(self, memory: Memory, batch: Batch) -> DecoderOutput:
        """The decoder over a batch, teacher-forced."""
        by_level = self.config.kind == "san"
        return (decode_by_level if by_level else decode_sequential)(self.decoder, memory, batch)

    def run(
        self, features: Tensor, fine: Tensor | None, batch: Batch
    ) -> tuple[DecoderOutput, DecoderOutput | None]:
        """Both decoders."""
        forward = self.decode(self.decoder.memory(features, batch.mask, fine), batch)
        if self.reversed is None:
            return forward, None
        assert self.config.kind == "san", "the reversed decoder runs by level"
        memory = self.reversed.memory(features, batch.mask)
        return forward, decode_reversed(self.reversed, memory, batch, self.start)


def decode_by_level(decoder: Decoder, memory: Memory, batch: Batch) -> DecoderOutput:
    """From the root down, one level at a time."""
    coverage = decoder.attention.folded_coverage()
    partners = decoder.embedding(batch.partner)
    state = memory.init_state
    past = torch.zeros_like(memory.mask, dtype=state.dtype)
    kept = decoder.state_dropout_mask(state, *batch.image.shape)
    outputs = []
    for level, image in enumerate(batch.image):
        parent = batch.parent[level]
        past = past.index_select(0, parent)
        state = state.index_select(0, parent)
        state = state if kept is None else state * kept[level]
        step = decoder.step(memory, coverage, image, state, past, partners[level])
        state, past = step.state, past + step.weights
        outputs.append(step)
    stacked = StepOutput(*(torch.stack(part) for part in zip(*outputs, strict=True)))
    fine = decoder.fine_context(memory, batch.image, stacked, batch.weight)
    symbols, relations = decoder.heads(partners, stacked.state, stacked.context, fine)
    return DecoderOutput(symbols, relations, stacked.weights)


def decode_reversed(decoder: Decoder, memory: Memory, batch: Batch, start: int) -> DecoderOutput:
    """From the leaves up: each step predicts its own target from its children's."""
    coverage = decoder.attention.folded_coverage()
    children = decoder.embedding(batch.target) + decoder.embedding(batch.edge)
    leaf = (batch.target == EMPTY_TARGET)[..., None]
    blank = decoder.embedding.weight[start]
    outputs = []
    partners = []
    state, past = memory.init_state, torch.zeros_like(memory.mask, dtype=memory.init_state.dtype)
    width = batch.image.shape[1]
    kept = decoder.state_dropout_mask(state, *batch.image.shape)
    for level in range(len(batch.image) - 1, -1, -1):
        image = batch.image[level]
        partner = state.new_zeros(width, children.shape[-1])
        incoming = state.new_zeros(width, state.shape[-1])
        summed = past.new_zeros(width, past.shape[-1])
        if level + 1 < len(batch.image):
            parent, share = batch.parent[level + 1], batch.share[level + 1][:, None]
            partner = partner.index_add(0, parent, share * children[level + 1])
            incoming = incoming.index_add(0, parent, share * state)
            summed = summed.index_add(0, parent, share * past)
        partner = torch.where(leaf[level], blank, partner)
        incoming = torch.where(leaf[level], memory.init_state.index_select(0, image), incoming)
        incoming = incoming if kept is None else incoming * kept[level]
        step = decoder.step(memory, coverage, image, incoming, summed, partner)
        state, past = step.state, summed + step.weights
        outputs.append(step)
        partners.append(partner)
    outputs.reverse()
    partners.reverse()
    states, contexts, weights = (torch.stack(part) for part in zip(*outputs, strict=True))
    symbols, relations = decoder.heads(torch.stack(partners), states, contexts)
    return DecoderOutput(symbols, relations, weights)
