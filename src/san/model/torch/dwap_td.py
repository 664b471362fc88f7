"""DWAP-TD: a decoder that writes a tree as triples of child, parent and relation.

- A step has two halves, each two GRUs around an attention with a coverage of its own. The first is
  given the symbol written before it and looks for the parent; the second is given the parent's
  symbol and writes the child.
- The parent is chosen by a pointer into the states of the steps before: place 0 is the image's
  initial state, which the root hangs on, place i + 1 the i-th step's.
- The relation is read off both contexts. The parent's symbol, too, is read off its context, which
  only training asks for.
- Losses: child, pointer and relation count in full; a tenth have the parent's symbol, and the
  divergence of the first attention from the second's in the parent's own step.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary
from san.model.spec import EMPTY_TARGET, MAXOUT, NetworkConfig
from san.model.torch.attention import Attention, Memory
from san.model.torch.base import Network
from san.model.torch.batch import Batch, DecoderOutput
from san.model.torch.decoder import StepOutput
from san.model.torch.losses import (
    AS_PUBLISHED,
    Losses,
    LossOptions,
    regularisation,
    symbol_loss,
    weighted_mean,
)

PARENT_SYMBOL_WEIGHT, DIVERGENCE_WEIGHT = 0.1, 0.1
"""Of these losses among the others, as its authors weigh them."""


class AttentiveGRU(nn.Module):
    """Half a step: a GRU, an attention, another GRU."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.gru_alpha = nn.GRUCell(config.embedding, config.hidden)
        self.attention = Attention(config)
        self.gru_beta = nn.GRUCell(config.features, config.hidden)

    def forward(
        self, memory: "HalfMemory", state: Tensor, past: Tensor, given: Tensor
    ) -> StepOutput:
        """One step of every image."""
        state = self.gru_alpha(given, state)
        weights, context = self.attention(memory.images, memory.coverage, None, state, past)
        return StepOutput(self.gru_beta(context, state), context, weights)


class HalfMemory(NamedTuple):
    """What half a step reads of some images; the same for all steps."""

    images: Memory
    coverage: Tensor  # `Attention.folded_coverage`


class TripleMemory(NamedTuple):
    """What both halves read of some images."""

    parent: HalfMemory
    child: HalfMemory

    @property
    def init_state(self) -> Tensor:
        return self.child.images.init_state


class TripleDecoder(nn.Module):
    def __init__(self, config: NetworkConfig, partners: int, targets: int) -> None:
        super().__init__()
        features, hidden, space = config.features, config.hidden, config.attention
        merge, heads = config.merge, config.merge // MAXOUT
        self.init_state = nn.Linear(features, hidden)
        self.embedding = nn.Embedding(partners, config.embedding)
        self.parent, self.child = AttentiveGRU(config), AttentiveGRU(config)
        self.pointer_key = nn.Linear(hidden, space)
        self.pointer_query = nn.Linear(hidden, space, bias=False)
        self.pointer_score = nn.Linear(space, 1, bias=False)
        self.from_context = nn.Linear(features, merge)
        self.from_state = nn.Linear(hidden, merge, bias=False)
        self.from_parent = nn.Linear(config.embedding, merge, bias=False)
        self.symbol_head, self.parent_head = (nn.Linear(heads, targets) for _ in range(2))
        self.from_contexts = nn.Linear(2 * features, merge)
        self.relation_head = nn.Linear(merge, len(Relation))
        self.head_dropout = config.head_dropout

    def memory(self, features: Tensor, mask: Tensor) -> TripleMemory:
        """Features B x C x h x w, and the cells that exist."""
        grid = (features.shape[2], features.shape[3])
        flat, exists = features.permute(0, 2, 3, 1).flatten(1, 2), mask.flatten(1)
        # Features are zero outside an image; an image without cells only fills up a batch.
        mean = flat.sum(1) / exists.sum(1, keepdim=True).clamp(min=1)
        first = torch.tanh(self.init_state(mean))
        return TripleMemory(
            *(
                HalfMemory(
                    Memory(flat, half.attention.key(flat), exists, first, grid),
                    half.attention.folded_coverage(),
                )
                for half in (self.parent, self.child)
            )
        )

    def embed(self, numbers: Tensor) -> Tensor:
        """In float32 at first: gradients of rows are added up, which bf16 does badly."""
        weight = self.embedding.weight
        return functional.embedding(numbers, weight.float()).to(weight.dtype)

    def pointer_scores(self, keys: Tensor, query: Tensor) -> Tensor:
        """How well steps before (N x places x space) go with a step's state (... x N x H)."""
        energy = torch.tanh(keys + self.pointer_query(query)[..., None, :])
        scores: Tensor = self.pointer_score(energy).squeeze(-1)
        return scores

    def symbols(self, child: StepOutput, parent: Tensor) -> Tensor:
        """Scores of what is written, from the second half and the parent's embedding."""
        merged = self.from_context(child.context) + self.from_state(child.state)
        scores: Tensor = self.symbol_head(self._maxout(merged + self.from_parent(parent)))
        return scores

    def parent_symbols(self, parent: StepOutput) -> Tensor:
        """Scores of what the parent is."""
        scores: Tensor = self.parent_head(self._maxout(self.from_context(parent.context)))
        return scores

    def relations(self, parent: StepOutput, child: StepOutput) -> Tensor:
        """Scores of how the child stands to the parent."""
        merged = self.from_contexts(torch.cat((child.context, parent.context), -1))
        scores: Tensor = self.relation_head(self._dropped(merged))
        return scores

    def _maxout(self, merged: Tensor) -> Tensor:
        return self._dropped(merged.unflatten(-1, (-1, MAXOUT)).amax(-1))

    def _dropped(self, x: Tensor) -> Tensor:
        return functional.dropout(x, self.head_dropout, self.training)


def _stacked(steps: list[StepOutput]) -> StepOutput:
    return StepOutput(*(torch.stack(part) for part in zip(*steps, strict=True)))


class DWAPTD(Network):
    # Attention is summed over all steps, which the fused decoders of SAN do in float32 and torch
    # would do in bf16.
    trains_in_bf16 = False

    def __init__(self, config: NetworkConfig, vocabulary: Vocabulary) -> None:
        super().__init__(config, vocabulary)
        partners, targets = len(self.vocabulary.partners), len(self.vocabulary.targets)
        self.decoder = TripleDecoder(config, partners, targets)

    def run(
        self, features: Tensor, fine: Tensor | None, batch: Batch
    ) -> tuple[DecoderOutput, DecoderOutput | None]:
        """Of the children: symbols, relations, attention. Of the parents: symbols, the pointer's
        scores (L x N x places, minus infinity for those to come), attention."""
        decoder, length, image = self.decoder, len(batch.target), batch.image[0]
        # A slot keeps to its image: what it reads is chosen once, not by every step.
        memory = decoder.memory(features.index_select(0, image), batch.mask.index_select(0, image))
        first = torch.full_like(batch.target[:1], self.start)
        written = decoder.embed(torch.cat((first, batch.target[:-1])))
        of_parents = decoder.embed(torch.cat((first, _of_parents(batch.target, batch))))
        state = memory.init_state
        parent_past = child_past = torch.zeros_like(memory.child.images.mask, dtype=state.dtype)
        parents, children, before = [], [], [state]
        for row in range(length):
            parent = decoder.parent(memory.parent, state, parent_past, written[row])
            child = decoder.child(memory.child, parent.state, child_past, of_parents[row])
            parent_past, child_past = parent_past + parent.weights, child_past + child.weights
            state = child.state
            parents.append(parent)
            children.append(child)
            before.append(state)
        parent, child = _stacked(parents), _stacked(children)
        keys = decoder.pointer_key(torch.stack(before[:-1], 1))
        later = torch.ones(length, length, dtype=torch.bool, device=keys.device).triu(1)
        places = decoder.pointer_scores(keys, parent.state)
        pointer = places.masked_fill(later[:, None], float("-inf"))
        relations = decoder.relations(parent, child)
        return (
            DecoderOutput(decoder.symbols(child, of_parents), relations, child.weights),
            DecoderOutput(decoder.parent_symbols(parent), pointer, parent.weights),
        )

    def losses(
        self,
        batch: Batch,
        forward: DecoderOutput,
        backward: DecoderOutput | None,
        options: LossOptions = AS_PUBLISHED,
    ) -> Losses:
        """Pointer and relation are summed. The root has neither; the end mark has no relation, but
        has to find the symbol that was written last, or it would be written from another."""
        assert backward is not None
        smoothing, steps = options.label_smoothing, options.steps
        symbol = symbol_loss(forward.symbols, batch.target, batch.weight, smoothing, steps)
        points = batch.weight[1:]
        related = points * (batch.target[1:] != EMPTY_TARGET)
        relation = batch.edge[1:] - (self.start + 1)  # numbers of relations follow the start mark's
        pointed = _parent_rows(batch) + 1
        scores = backward.relations[1:].flatten(0, 1).float()
        each = functional.cross_entropy(scores, pointed.flatten().long(), reduction="none")
        pointer = weighted_mean(each, points.flatten(), steps)
        parents = _of_parents(batch.target, batch)
        attended = _of_parents(forward.weights, batch)
        return Losses(
            symbol,
            symbol_loss(forward.relations[1:], relation.clamp(min=0), related, 0.0, steps)
            + pointer,
            PARENT_SYMBOL_WEIGHT
            * symbol_loss(backward.symbols[1:], parents, points, smoothing, steps),
            DIVERGENCE_WEIGHT * regularisation(backward.weights[1:], attended, points, steps),
            torch.zeros_like(symbol),
        )


def _parent_rows(batch: Batch) -> Tensor:
    """Of all rows but the first, which row each step's parent is: L - 1 x N."""
    return batch.parent[1:] // batch.parent.shape[1]


def _of_parents(values: Tensor, batch: Batch) -> Tensor:
    """Of all rows but the first, a value (L x N x ...) of each step's parent."""
    chosen = values.flatten(0, 1).index_select(0, batch.parent[1:].flatten())
    of_parents: Tensor = chosen.unflatten(0, (-1, batch.parent.shape[1]))
    return of_parents
