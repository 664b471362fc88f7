"""The four losses of eq. 13, and one of ours. Unused slots are never counted.

- Symbols: mean over the steps; with label smoothing part of each target is spread over all
  targets. Relations: summed over the seven slots, mean over the E steps, or over all steps.
- Reversed symbols and the regularisation: mean over the steps that have children; a leaf is given
  to the reversed decoder, not asked of it.
- Eq. 12 is printed with a minus sign, which would drive the two attentions apart; here it is the
  Kullback-Leibler divergence that the text names, in the printed order or in the other one.
- A mean over a batch's own steps weighs a step the more, the fewer there are beside it. With a
  constant in their place every step of a corpus weighs the same.
- Attention (ours): -log of the attention that a step puts on the box of the symbol it writes; mean
  over the steps whose box is known. Steps that write no symbol are not supervised. A cell counts in
  full if the box touches it and fades out half a cell farther, so that even a dot has a cell of its
  own, and the border between two cells does not matter.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

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


@dataclass(frozen=True)
class LossOptions:
    """What is counted, and how. The configuration's fields of these names say more."""

    with_attention: bool = False  # boxes supervise the attention
    label_smoothing: float = 0.0
    relation_steps: Literal["extend", "all"] = "extend"
    divergence: Literal["reversed", "forward"] = "reversed"
    steps: float = 0.0  # that sums are divided by; 0: as many as there are


AS_PUBLISHED = LossOptions()


def losses(
    batch: Batch,
    forward: DecoderOutput,
    backward: DecoderOutput | None,
    options: LossOptions = AS_PUBLISHED,
) -> Losses:
    """All five. Zero are the reversed decoder's two without one, and the attention's if unwanted.

    Args:
        batch: the steps and their targets.
        forward: the decoder's outputs.
        backward: the reversed decoder's.
        options: what is counted.
    """
    smoothing, steps = options.label_smoothing, options.steps
    symbol = symbol_loss(forward.symbols, batch.target, batch.weight, smoothing, steps)
    zero = symbol.new_zeros(())
    relation = zero
    if forward.relations.shape[-1]:  # strings have none
        every_step = options.relation_steps == "all"
        relation = relation_loss(forward.relations, batch, every_step, steps)
    attention = attention_loss(forward.weights, batch, steps) if options.with_attention else zero
    if backward is None:
        return Losses(symbol, relation, zero, zero, attention)
    inner = batch.weight * (batch.target != EMPTY_TARGET)
    attentions = (forward.weights, backward.weights)
    if options.divergence == "forward":
        attentions = attentions[::-1]
    return Losses(
        symbol,
        relation,
        symbol_loss(backward.symbols, batch.target, inner, smoothing, steps),
        regularisation(*attentions, inner, steps),
        attention,
    )


def weighted_mean(each: Tensor, weight: Tensor, steps: float = 0.0) -> Tensor:
    """The sum over `steps` steps; 0: as many as `weight` counts."""
    total = (each * weight).sum()
    return total / steps if steps else total / weight.sum().clamp(min=1)


def symbol_loss(
    logits: Tensor,
    target: Tensor,
    weight: Tensor,
    label_smoothing: float = 0.0,
    steps: float = 0.0,
) -> Tensor:
    each = functional.cross_entropy(
        logits.flatten(0, -2).float(),
        target.flatten().long(),
        reduction="none",
        label_smoothing=label_smoothing,
    )
    return weighted_mean(each, weight.flatten(), steps)


def relation_loss(
    logits: Tensor, batch: Batch, every_step: bool = False, steps: float = 0.0
) -> Tensor:
    """Over the E steps, or over all steps, of which those that are no E open nothing."""
    slots = torch.arange(len(Relation), device=logits.device, dtype=batch.relations.dtype)
    opened = ((batch.relations[..., None] >> slots) & 1).float()
    each = functional.binary_cross_entropy_with_logits(
        logits.float(), opened, reduction="none"
    ).sum(-1)
    weight = batch.weight if every_step else batch.weight * (batch.target == EXTEND_TARGET)
    return weighted_mean(each, weight, steps)


def regularisation(forward: Tensor, backward: Tensor, weight: Tensor, steps: float = 0.0) -> Tensor:
    """Eq. 12: KL(backward || forward), how far the reversed attention is from the forward one."""
    gap = torch.log(backward.float() + TINY) - torch.log(forward.float() + TINY)
    return weighted_mean((backward.float() * gap).sum(-1), weight, steps)


def attention_loss(attention: Tensor, batch: Batch, steps: float = 0.0) -> Tensor:
    """-log of the attention that each step puts on its symbol's box."""
    rows, columns = batch.mask.shape[1:]
    left, top, right, bottom = batch.box.float().unbind(-1)
    across, down = box_coverage(left, right, columns), box_coverage(top, bottom, rows)
    grid = attention.float().unflatten(-1, (rows, columns))
    inside = ((grid * across[..., None, :]).sum(-1) * down).sum(-1)
    known = batch.weight * (batch.box[..., 2] >= 0)
    return weighted_mean(-torch.log(inside + 1e-6), known, steps)


def box_coverage(low: Tensor, high: Tensor, cells: int) -> Tensor:
    """How much each cell of a row counts as inside low to high, in pixels: 1 down to 0."""
    centre = (torch.arange(cells, device=low.device, dtype=torch.float32) + 0.5) * STRIDE
    distance = torch.maximum(low[..., None] - centre, centre - high[..., None])
    return (2 - distance * (2 / STRIDE)).clamp(0, 1)
