"""The four losses of eq. 13. Unused slots are never counted.

- Symbols: mean over the steps. Relations: summed over the seven slots, mean over the E steps alone.
- Reversed symbols and the regularisation: mean over the steps that have children; a leaf is given
  to the reversed decoder, not asked of it.
- Eq. 12 is printed with a minus sign, which would drive the two attentions apart; here it is the
  Kullback-Leibler divergence that the text names.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from san.grammar.tree import Relation
from san.nn.batch import EMPTY_TARGET, EXTEND_TARGET, Batch
from san.nn.network import Run


class Losses(NamedTuple):
    symbol: Tensor
    relation: Tensor
    reversed_symbol: Tensor
    regularisation: Tensor

    @property
    def total(self) -> Tensor:
        """Eq. 13."""
        return self.symbol + self.relation + self.reversed_symbol + self.regularisation


def losses(batch: Batch, forward: Run, backward: Run | None) -> Losses:
    """All four, of both decoders' runs; without a reversed decoder the last two are zero."""
    symbol = symbol_loss(forward.symbols, batch.target, batch.weight)
    relation = relation_loss(forward.relations, batch)
    if backward is None:
        return Losses(symbol, relation, symbol.new_zeros(()), symbol.new_zeros(()))
    inner = batch.weight * (batch.target != EMPTY_TARGET)
    return Losses(
        symbol,
        relation,
        symbol_loss(backward.symbols, batch.target, inner),
        regularisation(forward.weights, backward.weights, inner),
    )


def symbol_loss(logits: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    each = functional.cross_entropy(
        logits.flatten(0, -2).float(), target.flatten().long(), reduction="none"
    )
    return (each * weight.flatten()).sum() / weight.sum().clamp(min=1)


def relation_loss(logits: Tensor, batch: Batch) -> Tensor:
    slots = torch.arange(len(Relation), device=logits.device, dtype=batch.relations.dtype)
    opened = ((batch.relations[..., None] >> slots) & 1).float()
    each = functional.binary_cross_entropy_with_logits(
        logits.float(), opened, reduction="none"
    ).sum(-1)
    weight = batch.weight * (batch.target == EXTEND_TARGET)
    return (each * weight).sum() / weight.sum().clamp(min=1)


def regularisation(forward: Tensor, backward: Tensor, weight: Tensor) -> Tensor:
    """Eq. 12: how far the reversed attention is from the forward one."""
    tiny = 1e-10
    gap = torch.log(backward.float() + tiny) - torch.log(forward.float() + tiny)
    return ((backward.float() * gap).sum(-1) * weight).sum() / weight.sum().clamp(min=1)
