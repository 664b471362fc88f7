"""The four losses of eq. 13, and one of ours. Unused slots are never counted.

- Symbols: mean over the steps. Relations: summed over the seven slots, mean over the E steps alone.
- Reversed symbols and the regularisation: mean over the steps that have children; a leaf is given
  to the reversed decoder, not asked of it.
- Eq. 12 is printed with a minus sign, which would drive the two attentions apart; here it is the
  Kullback-Leibler divergence that the text names.
- Eyes: where a symbol is known to stand, the attention that the step which writes it gives to other
  places, as -log of what is left; mean over those steps. Steps that write no symbol look where they
  like. A cell counts in full if the symbol's box touches it and fades out half a cell farther, so
  that even a dot has a cell of its own, and the border between two cells does not matter.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from san.grammar.tree import Relation
from san.model.spec import STRIDE
from san.model.torch.batch import EMPTY_TARGET, EXTEND_TARGET, Batch, Run


class Losses(NamedTuple):
    symbol: Tensor
    relation: Tensor
    reversed_symbol: Tensor
    regularisation: Tensor
    eyes: Tensor

    def total(self, eyes: Tensor | float = 0.0) -> Tensor:
        """Eq. 13, and ours with the weight that it is given."""
        paper = self.symbol + self.relation + self.reversed_symbol + self.regularisation
        return paper + eyes * self.eyes


def losses(batch: Batch, forward: Run, backward: Run | None, eyes: bool = False) -> Losses:
    """All five, of both decoders' runs.

    Zero are: the reversed decoder's two where there is none, and the eyes' where it is not asked.
    """
    symbol = symbol_loss(forward.symbols, batch.target, batch.weight)
    relation = relation_loss(forward.relations, batch)
    zero = symbol.new_zeros(())
    looking = eyes_loss(forward.weights, batch) if eyes else zero
    if backward is None:
        return Losses(symbol, relation, zero, zero, looking)
    inner = batch.weight * (batch.target != EMPTY_TARGET)
    return Losses(
        symbol,
        relation,
        symbol_loss(backward.symbols, batch.target, inner),
        regularisation(forward.weights, backward.weights, inner),
        looking,
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


def eyes_loss(attention: Tensor, batch: Batch) -> Tensor:
    """How little of its attention each step gives to the place of its symbol."""
    rows, columns = batch.mask.shape[1:]
    left, top, right, bottom = batch.box.float().unbind(-1)
    across, down = near(left, right, columns), near(top, bottom, rows)
    grid = attention.float().unflatten(-1, (rows, columns))
    there = ((grid * across[..., None, :]).sum(-1) * down).sum(-1)
    known = batch.weight * (batch.box[..., 2] >= 0)
    return (-torch.log(there + 1e-6) * known).sum() / known.sum().clamp(min=1)


def near(low: Tensor, high: Tensor, cells: int) -> Tensor:
    """How far each of a row of cells counts as within low to high: 1 down to 0."""
    centre = (torch.arange(cells, device=low.device, dtype=torch.float32) + 0.5) * STRIDE
    away = torch.maximum(low[..., None] - centre, centre - high[..., None])
    return (2 - away * (2 / STRIDE)).clamp(0, 1)
