"""SAN-GS along the traversal, many images abreast, against Algorithm 1 one step at a time."""

import dataclasses

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.grammar import Expression
from san.grammar.productions import unfold
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary
from san.model.torch import SAN, Batch
from san.model.torch.batch import canvas, levels
from san.model.torch.losses import losses, relation_loss, symbol_loss
from san.model.torch.sequential import sequential_slots, traversal_order
from san.model.torch.traversal import traverse

Images = list[NDArray[np.float32]]


@pytest.fixture
def walking(network: SAN, vocabulary: Vocabulary) -> SAN:
    """The same network, with coverage over all past steps and no reversed decoder."""
    network.decoder.attention.coverage_conv.weight.data *= 30  # so that past attention matters
    network.decoder.attention.score.weight.data *= 3
    config = dataclasses.replace(network.config, kind="san-gs", reversed=False)
    walking = SAN(config, vocabulary)
    walking.load_state_dict(network.state_dict(), strict=False)
    return walking.eval()


def lay_out(network: SAN, images: Images, trees: list[Expression], *size: int) -> Batch:
    arrays = network.slots([levels(unfold(tree), network.vocabulary) for tree in trees], *size)
    pixels, mask = canvas(images)
    columns = {name: torch.from_numpy(array) for name, array in arrays.items()}
    return Batch(torch.from_numpy(pixels), torch.from_numpy(mask), **columns)


def test_the_order_is_the_traversal_s(trees: list[Expression], vocabulary: Vocabulary) -> None:
    for tree in trees:
        steps = unfold(tree)
        order = sorted(range(len(steps)), key=lambda index: steps[index].depth)
        numbers, parents = traversal_order(levels(steps, vocabulary))
        assert numbers == order
        assert parents == [steps[index].parent for index in order]


def test_a_parent_stands_in_an_earlier_row_of_its_slot(
    trees: list[Expression], vocabulary: Vocabulary
) -> None:
    arrays = sequential_slots(
        [levels(unfold(tree), vocabulary) for tree in trees], vocabulary, 40, 6
    )
    assert arrays["parent"].shape == (40, 6)
    rows, slots = np.divmod(arrays["parent"][1:], 6)
    assert (slots == np.arange(6)).all()  # so no two steps of a row share their parent
    assert (rows < np.arange(1, 40)[:, None]).all()
    for slot, tree in enumerate(trees):
        steps = unfold(tree)
        assert arrays["weight"][:, slot].sum() == len(steps)
        assert rows[: len(steps) - 1, slot].tolist() == [step.parent for step in steps[1:]]
        targets = [vocabulary.number(step.target) for step in steps]
        assert arrays["target"][: len(steps), slot].tolist() == targets


def test_steps_abreast_agree_with_the_stack(
    walking: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    batch = lay_out(walking, images, trees)
    memory = walking.encode(batch.images, batch.mask)
    run = walking.decode(memory, batch)
    symbols, relations = [], []
    for image, tree in enumerate(trees):
        steps = unfold(tree)
        walked = traverse(walking.decoder, memory, image, steps, vocabulary)
        symbols.append(walked.symbols)
        relations.append(walked.relations[[bool(step.relations) for step in steps]])
        weights = run.weights[: len(steps), image]
        torch.testing.assert_close(weights, walked.weights, rtol=0, atol=1e-5)
    steps = [step for tree in trees for step in unfold(tree)]
    target = torch.tensor([vocabulary.number(step.target) for step in steps])
    expected = symbol_loss(torch.cat(symbols), target, torch.ones(len(steps)))
    found = symbol_loss(run.symbols, batch.target, batch.weight)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-5)
    opened = [[float(r in step.relations) for r in Relation] for step in steps if step.relations]
    each = torch.nn.functional.binary_cross_entropy_with_logits(
        torch.cat(relations), torch.tensor(opened), reduction="none"
    )
    found = relation_loss(run.relations, batch)
    torch.testing.assert_close(found, each.sum(-1).mean(), rtol=0, atol=1e-5)


def test_it_is_not_the_path_s_coverage(
    network: SAN, walking: SAN, images: Images, trees: list[Expression]
) -> None:
    found = []
    for own in (walking, network):
        batch = lay_out(own, images, trees)
        found.append(losses(batch, *own(batch)).symbol.item())
    assert abs(found[0] - found[1]) > 1e-4


def test_unused_slots_change_nothing(walking: SAN, images: Images, trees: list[Expression]) -> None:
    batch, padded = lay_out(walking, images, trees), lay_out(walking, images, trees, 40, 6)
    for mine, other in zip(*(gradients(walking, one) for one in (batch, padded)), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-6)


def gradients(network: SAN, batch: Batch) -> list[torch.Tensor]:
    """The loss, and of every parameter its gradient."""
    total = losses(batch, *network(batch)).total()
    return [total, *torch.autograd.grad(total, [*network.parameters()])]
