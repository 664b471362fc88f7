"""The four losses of eq. 13, and one of ours. Unused slots are never counted.

- Symbols: mean over the steps; with label smoothing part of each target is spread over all
  targets. Relations: summed over the seven slots, mean over the E steps alone.
- Reversed symbols and the regularisation: mean over the steps that have children; a leaf is given
  to the reversed decoder, not asked of it.
- Eq. 12 is printed with a minus sign, which would drive the two attentions apart; here it is the
  Kullback-Leibler divergence that the text names.
- Attention (ours): -log of the attention that a step puts on the box of the symbol it writes; mean
  over the steps whose box is known. Steps that write no symbol are not supervised. A cell counts in
  full if the box touches it and fades out half a cell farther, so that even a dot has a cell of its
  own, and the border between two cells does not matter.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from san.grammar.tree import Relation
from san.model.spec import EMPTY_TARGET, EXTEND_TARGET, STRIDE
from san.model.torch.batch import Batch, DecoderOutput

TINY = 1e-10  # keeps logarithms finite


class Losses(NamedTuple):
    symbol: Tensor
    relation: Tensor
    reversed_symbol: Tensor
    regularisation: Tensor
    attention: Tensor

    def total(self, attention_weight: Tensor | float = 0.0) -> Tensor:
        """Eq. 13, and the attention's loss with its weight."""
        paper = self.symbol + self.relation + self.reversed_symbol + self.regularisation
        return paper + attention_weight * self.attention


def losses(
    batch: Batch,
    forward: DecoderOutput,
    backward: DecoderOutput | None,
    with_attention: bool = False,
    label_smoothing: float = 0.0,
) -> Losses:
    """All five. Zero are the reversed decoder's two without one, and the attention's if unwanted.

    Args:
        batch: the steps and their targets.
        forward: the decoder's outputs.
        backward: the reversed decoder's.
        with_attention: whether boxes supervise the attention.
        label_smoothing: the part of each symbol's target that is spread over all.
    """
    symbol = symbol_loss(forward.symbols, batch.target, batch.weight, label_smoothing)
    relation = relation_loss(forward.relations, batch)
    zero = symbol.new_zeros(())
    attention = attention_loss(forward.weights, batch) if with_attention else zero
    if backward is None:
        return Losses(symbol, relation, zero, zero, attention)
    inner = batch.weight * (batch.target != EMPTY_TARGET)
    return Losses(
        symbol,
        relation,
        symbol_loss(backward.symbols, batch.target, inner, label_smoothing),
        regularisation(forward.weights, backward.weights, inner),
        attention,
    )


def symbol_loss(
    logits: Tensor, target: Tensor, weight: Tensor, label_smoothing: float = 0.0
) -> Tensor:
    each = functional.cross_entropy(
        logits.flatten(0, -2).float(),
        target.flatten().long(),
        reduction="none",
        label_smoothing=label_smoothing,
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
    gap = torch.log(backward.float() + TINY) - torch.log(forward.float() + TINY)
    return ((backward.float() * gap).sum(-1) * weight).sum() / weight.sum().clamp(min=1)


def attention_loss(attention: Tensor, batch: Batch) -> Tensor:
    """-log of the attention that each step puts on its symbol's box."""
    rows, columns = batch.mask.shape[1:]
    left, top, right, bottom = batch.box.float().unbind(-1)
    across, down = box_coverage(left, right, columns), box_coverage(top, bottom, rows)
    grid = attention.float().unflatten(-1, (rows, columns))
    inside = ((grid * across[..., None, :]).sum(-1) * down).sum(-1)
    known = batch.weight * (batch.box[..., 2] >= 0)
    return (-torch.log(inside + 1e-6) * known).sum() / known.sum().clamp(min=1)


def box_coverage(low: Tensor, high: Tensor, cells: int) -> Tensor:
    """How much each cell of a row counts as inside low to high, in pixels: 1 down to 0."""
    centre = (torch.arange(cells, device=low.device, dtype=torch.float32) + 0.5) * STRIDE
    distance = torch.maximum(low[..., None] - centre, centre - high[..., None])
    return (2 - distance * (2 / STRIDE)).clamp(0, 1)
