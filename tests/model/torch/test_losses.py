"""Eq. 12 and the loss that teaches the attention; the others are tested with the network."""

import dataclasses

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.grammar import Expression, parse
from san.grammar.productions import EXTEND, by_level, unfold
from san.grammar.vocabulary import Vocabulary
from san.model.spec import EMPTY_TARGET, EXTEND_TARGET
from san.model.torch import SAN, Batch
from san.model.torch.batch import UNKNOWN_BOX, DecoderOutput, collate, levels
from san.model.torch.losses import (
    LossOptions,
    attention_loss,
    box_coverage,
    losses,
    regularisation,
    relation_loss,
    symbol_loss,
)
from tests.model.torch.conftest import SMALL

Images = list[NDArray[np.float32]]


Known = tuple[int, tuple[float, float, float, float]]  # a step, and its symbol's box


def boxed(tree: Expression, *known: Known) -> NDArray[np.float32]:
    boxes: NDArray[np.float32] = np.full((len(unfold(tree)), 4), np.nan, np.float32)
    for step, box in known:
        boxes[step] = box
    return boxes


def one(label: str, *known: Known) -> Batch:
    """An image of 3 x 5 cells and the boxes of some steps."""
    tree = parse(label)
    vocabulary = Vocabulary.gather([tree])
    numbers = levels(unfold(tree), vocabulary, boxed(tree, *known))
    return collate([np.zeros((48, 80), np.float32)], [numbers], vocabulary)


def test_cells_count_by_their_distance() -> None:
    cells = box_coverage(torch.tensor([20.0]), torch.tensor([44.0]), 5)[0]
    torch.testing.assert_close(cells, torch.tensor([0.5, 1.0, 1.0, 0.5, 0.0]))
    for x in range(60):  # wherever a dot stands, some cell is its own
        at = torch.tensor(float(x))
        dot = box_coverage(at, at, 5)
        assert dot.max() == 1
        assert 1 <= dot.sum() <= 2


def test_attention_on_the_symbol_costs_nothing() -> None:
    batch = one("x", (0, (33, 17, 46, 30)))
    attention = torch.zeros(2, 1, 15)
    attention[0, 0, 1 * 5 + 2] = 1.0  # the cell of its box
    attention[1, 0, 0] = 1.0  # the empty string's step looks where it likes
    assert attention_loss(attention, batch) < 1e-5
    attention[0, 0] = 0.0
    attention[0, 0, 4] = 1.0
    assert attention_loss(attention, batch) > 10
    half = attention.clone()
    half[0, 0, 4] = half[0, 0, 7] = 0.5
    torch.testing.assert_close(attention_loss(half, batch), torch.tensor(0.6931), atol=1e-4, rtol=0)


def test_nothing_known_is_nothing_lost() -> None:
    attention = torch.full((2, 1, 15), 1 / 15)
    assert attention_loss(attention, one("x")) == 0
    # The empty string has no ink, whoever says so.
    assert attention_loss(attention, one("x", (1, (0, 0, 9, 9)))) == 0


def test_boxes_follow_their_steps() -> None:
    tree = parse(r"x ^ { 2 } + y _ { i }")
    steps = unfold(tree)
    boxes = np.array([[i, 2 * i, i + 3, 2 * i + 5] for i in range(len(steps))], np.float32)
    boxes[0] = np.nan
    found = levels(steps, Vocabulary.gather([tree]), boxes)
    order = sorted(range(len(steps)), key=lambda index: steps[index].depth)
    assert order != list(range(len(steps)))
    for row, old, step in zip(found.box.tolist(), order, by_level(steps), strict=True):
        writes = step.target not in (EXTEND, "<empty>") and old > 0
        assert row == (boxes[old].tolist() if writes else list(UNKNOWN_BOX))


@pytest.mark.parametrize("weight", [0.0, 1.0])
@pytest.mark.slow
def test_planted_boxes_draw_the_attention(images: Images, weight: float) -> None:
    tree = parse("x + 1")
    vocabulary = Vocabulary.gather([tree])
    network = SAN(dataclasses.replace(SMALL, dropout=0.0, head_dropout=0.0), vocabulary).train()
    places = [(0, (70, 36, 74, 44)), (1, (2, 2, 12, 12)), (2, (34, 50, 44, 60))]
    numbers = levels(unfold(tree), vocabulary, boxed(tree, *places))
    batch = collate([images[1]], [numbers], vocabulary)
    adam = torch.optim.Adam(network.parameters(), 1e-2)
    for _ in range(60):
        adam.zero_grad()
        down, up = network(batch)
        found = losses(batch, down, up, LossOptions(with_attention=True))
        found.total(weight).backward()
        adam.step()
    if not weight:  # nothing but the loss shows where to look
        assert found.attention > 1.0
        return
    assert found.attention < 0.2
    weights = network(batch)[0].weights[:3, 0].detach()
    assert weights.argmax(-1).tolist() == [2 * 6 + 4, 0, 3 * 6 + 2]


def test_label_smoothing_spreads_part_of_the_target() -> None:
    logits, target = torch.randn(1, 3, 5), torch.tensor([[1, 4, 0]])
    weight = torch.tensor([[1.0, 1.0, 0.0]])
    spread = -logits.log_softmax(-1).mean(-1)
    spread = (spread * weight).sum() / 2
    expected = 0.9 * symbol_loss(logits, target, weight) + 0.1 * spread
    torch.testing.assert_close(symbol_loss(logits, target, weight, 0.1), expected)


FORWARD = torch.tensor([[[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]]])
REVERSED = torch.tensor([[[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]]])
BOTH = torch.ones(1, 2)


def test_eq_12_has_its_value_and_its_direction() -> None:
    # The reversed attention weighs the logarithms: 0.9 ln(0.9 / 0.5) + 0.1 ln(0.1 / 0.5).
    first = torch.tensor([[1.0, 0.0]])
    assert regularisation(FORWARD, REVERSED, first) == pytest.approx(0.368064, abs=1e-6)
    # The other order would be 0.5 ln(0.5 / 0.9) + 0.5 ln(0.5 / 0.1).
    assert regularisation(REVERSED, FORWARD, first) == pytest.approx(0.510826, abs=1e-6)
    # Where both agree there is no loss; the mean is over the steps that count.
    assert regularisation(FORWARD, REVERSED, BOTH) == pytest.approx(0.184032, abs=1e-6)
    assert regularisation(FORWARD, FORWARD, BOTH) == 0


def test_eq_12_draws_both_attentions_together() -> None:
    forward, backward = torch.zeros(1, 1, 3), torch.tensor([[[2.0, 0.0, -1.0]]])
    logits = [forward.requires_grad_(), backward.requires_grad_()]

    def divergence() -> torch.Tensor:
        return regularisation(*(each.softmax(-1) for each in logits), torch.ones(1, 1))

    before = divergence()
    gradients = torch.autograd.grad(before, logits)
    for each, gradient in zip(logits, gradients, strict=True):
        assert gradient.abs().max() > 0.1
        each.data -= 0.1 * gradient
    assert 0 < divergence() < before


def test_eq_12_takes_the_other_order(network: SAN, images: Images) -> None:
    batch, runs = both_runs(network, images)
    forward, backward = runs[0].weights, runs[1].weights
    inner = batch.weight * (batch.target != EMPTY_TARGET)
    for options, expected in (
        (LossOptions(), regularisation(forward, backward, inner)),
        (LossOptions(divergence="forward"), regularisation(backward, forward, inner)),
    ):
        assert losses(batch, *runs, options).regularisation == expected > 0
    assert regularisation(forward, backward, inner) != regularisation(backward, forward, inner)


def test_relations_over_all_steps(network: SAN, images: Images) -> None:
    batch, runs = both_runs(network, images)
    logits = runs[0].relations
    opened = ((batch.relations[..., None] >> torch.arange(7)) & 1).float()
    each = torch.nn.functional.binary_cross_entropy_with_logits(logits, opened, reduction="none")
    each = each.sum(-1)[batch.weight > 0]
    every = losses(batch, *runs, LossOptions(relation_steps="all")).relation
    torch.testing.assert_close(every, each.mean())
    of_extensions = each[batch.target[batch.weight > 0] == EXTEND_TARGET].mean()
    torch.testing.assert_close(losses(batch, *runs).relation, of_extensions)
    torch.testing.assert_close(relation_loss(logits, batch), of_extensions)


def test_a_constant_takes_the_place_of_the_batch_s_steps(network: SAN, images: Images) -> None:
    batch, runs = both_runs(network, images)
    own = LossOptions(with_attention=True, relation_steps="all")
    fixed = dataclasses.replace(own, steps=50.0)
    steps, inner = batch.weight.sum(), (batch.weight * (batch.target != EMPTY_TARGET)).sum()
    known = (batch.weight * (batch.box[..., 2] >= 0)).sum()
    counted = torch.stack((steps, steps, inner, inner, known))
    expected = torch.stack(losses(batch, *runs, own)) * counted / 50.0
    torch.testing.assert_close(torch.stack(losses(batch, *runs, fixed)), expected)


def both_runs(network: SAN, images: Images) -> tuple[Batch, tuple[DecoderOutput, DecoderOutput]]:
    """The outputs of both decoders for three formulas, with some boxes."""
    trees = [parse(label) for label in ("x + 1", r"\frac { a } { b }", "x _ { i }")]
    numbers = [
        levels(unfold(tree), network.vocabulary, boxed(tree, (0, (3, 3, 12, 12)))) for tree in trees
    ]
    batch = collate(images[:3], numbers, network.vocabulary)
    with torch.no_grad():
        forward, backward = network(batch)
    assert backward is not None
    return batch, (forward, backward)
