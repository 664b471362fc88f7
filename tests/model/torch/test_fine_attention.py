"""A fine attention starts as nothing, keeps near the attention, and minds its own image."""

import dataclasses

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.decoding import DecodingLimits, decode
from san.decoding.stack import decode_by_stack
from san.errors import SanError
from san.grammar import Expression
from san.grammar.productions import unfold
from san.grammar.vocabulary import Vocabulary
from san.model.spec import MIN_ATTENTION
from san.model.torch import SAN, Batch, NetworkConfig
from san.model.torch.batch import DecoderOutput, collate, levels, slots
from san.model.torch.densenet import Transition
from san.model.torch.engine import TorchEngine
from san.model.torch.fine_attention import FineAttention, group_by_image
from san.model.torch.losses import losses
from san.model.torch.network import decode_by_level
from san.model.torch.traversal import traverse
from tests.model.torch.conftest import SMALL

Images = list[NDArray[np.float32]]
WITH_FINE = dataclasses.replace(SMALL, fine_attention=6)


@pytest.fixture
def with_fine(network: SAN, vocabulary: Vocabulary) -> SAN:
    """The same network, and a fine attention that has learnt something."""
    own = SAN(WITH_FINE, vocabulary)
    missing, unknown = own.load_state_dict(network.state_dict(), strict=False)
    assert not unknown
    assert {name.rpartition(".")[0] for name in missing} == {
        f"decoder.fine_attention.{part}" for part in ("key", "query", "proj")
    }
    assert own.decoder.fine_attention is not None
    for parameter in own.decoder.fine_attention.parameters():
        torch.nn.init.normal_(parameter)
    return own.eval()


def make_batch(images: Images, trees: list[Expression], vocabulary: Vocabulary) -> Batch:
    return collate(images, [levels(unfold(tree), vocabulary) for tree in trees], vocabulary)


def run(network: SAN, batch: Batch) -> DecoderOutput:
    with torch.no_grad():
        return decode_by_level(network.decoder, network.encode(batch.images, batch.mask), batch)


def test_a_new_attention_changes_nothing(
    network: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    own = SAN(WITH_FINE, vocabulary)
    own.load_state_dict(network.state_dict(), strict=False)
    batch = make_batch(images, trees, vocabulary)
    for mine, other in zip(run(own.eval(), batch), run(network, batch), strict=True):
        assert torch.equal(mine, other)


def test_a_attention_that_has_learnt_reaches_the_heads_alone(
    network: SAN, with_fine: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    batch = make_batch(images, trees, vocabulary)
    mine, other = run(with_fine, batch), run(network, batch)
    assert not torch.allclose(mine.symbols, other.symbols, atol=0.1)
    assert not torch.allclose(mine.relations, other.relations, atol=0.1)
    assert torch.equal(mine.weights, other.weights)
    assert with_fine.reversed is not None
    assert with_fine.reversed.fine_attention is None


def test_every_step_has_its_place() -> None:
    image = torch.tensor([2, 0, 2, 0, 0, 2, 0, 0], dtype=torch.int32)
    used = torch.tensor([1.0, 1, 1, 0, 1, 1, 0, 0])
    at = group_by_image(image, used, images=4, max_steps=5)
    rows = at.slots.view(4, 5)
    assert rows[2, :3].tolist() == [0, 2, 5]
    assert rows[0, :2].tolist() == [1, 4]
    mine = at.slots[at.positions]
    assert mine[used > 0].tolist() == [0, 1, 2, 4, 5]
    assert at.slots.max() < 8
    assert at.positions.max() < 20


def test_what_a_step_sees_is_what_the_formula_says() -> None:
    """One step after the other, with the attention's weights written out for every fine cell."""
    attention = FineAttention(
        NetworkConfig(stem=8, growth=4, layers=2, hidden=5, merge=3, fine_attention=6)
    )
    rows, columns, images = 2, 3, 2
    mask = torch.ones(images, rows, columns, dtype=torch.bool)
    mask[1, :, 2] = False
    features = torch.randn(images, 2 * rows, 2 * columns, attention.key.in_features)
    image, states = torch.tensor([1, 0, 1]), torch.randn(3, 5)
    weights = torch.rand(3, rows, columns) * mask[image]
    at = group_by_image(image, torch.ones(3), images, 2)
    fine = attention.memory(features)
    got = attention(fine, mask.flatten(1), (rows, columns), at, states, weights.flatten(1))
    for step, own in enumerate(image.tolist()):
        scores = torch.full((2 * rows, 2 * columns), -torch.inf)
        for y in range(2 * rows):
            for x in range(2 * columns):
                if mask[own, y // 2, x // 2]:
                    match = attention.query(states[step]) @ attention.key(features[own, y, x])
                    scores[y, x] = (
                        match / 6**0.5 + (weights[step, y // 2, x // 2] + MIN_ATTENTION).log()
                    )
        fine_weights = scores.flatten().softmax(0)
        torch.testing.assert_close(got[step], fine_weights @ features[own].flatten(0, 1))


def test_levels_agree_with_the_stack(
    with_fine: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    batch = make_batch(images, trees, vocabulary)
    found = run(with_fine, batch)
    with torch.no_grad():
        memory = with_fine.encode(batch.images, batch.mask)
        for index, tree in enumerate(trees):
            walked = traverse(with_fine.decoder, memory, index, unfold(tree), vocabulary)
            mine = found.symbols[(batch.image == index) & (batch.weight > 0)]
            # Both ways have the same rows, in another order.
            torch.testing.assert_close(mine.sum(0), walked.symbols.sum(0), rtol=1e-4, atol=1e-3)
            torch.testing.assert_close(mine.amax(0), walked.symbols.amax(0), rtol=1e-4, atol=1e-4)


def test_neighbours_bucket_and_unused_slots_do_not_matter(
    with_fine: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    numbers = [levels(unfold(tree), vocabulary) for tree in trees]
    together = run(with_fine, collate(images, numbers, vocabulary))
    wide = collate(images, numbers, vocabulary, (96, 160))
    arrays = slots(numbers, vocabulary, depth=20, width=30)
    blank = torch.zeros(2, *wide.images.shape[1:])  # fill up the batch
    padded = Batch(
        torch.cat((wide.images, blank)),
        torch.cat((wide.mask, blank[:, 0, ::16, ::16] > 0)),
        **{name: torch.from_numpy(array) for name, array in arrays.items()},
    )
    far = run(with_fine, padded)
    for index, (image, own) in enumerate(zip(images, numbers, strict=True)):
        batch = collate([image], [own], vocabulary)
        alone = run(with_fine, batch).symbols[batch.weight > 0]
        near = collate(images, numbers, vocabulary)
        for other, chosen in ((together, near), (far, padded)):
            mine = other.symbols[(chosen.image == index) & (chosen.weight > 0)]
            torch.testing.assert_close(mine, alone, rtol=1e-3, atol=1e-3)


def test_gradients_reach_the_second_transition_and_stay_numbers(
    with_fine: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    """Through the attention alone, with an image in the batch that has no cells."""
    numbers = [levels(unfold(tree), vocabulary) for tree in trees]
    batch = collate(images, numbers, vocabulary)
    blank = torch.zeros_like(batch.images[:1])
    batch = dataclasses.replace(
        batch,
        images=torch.cat((batch.images, blank)),
        mask=torch.cat((batch.mask, batch.mask[:1] & False)),
    )
    features, fine = with_fine.encoder.scales(batch.images, batch.mask)
    memory = with_fine.decoder.memory(features.detach(), batch.mask, fine)
    losses(batch, decode_by_level(with_fine.decoder, memory, batch), None).total().backward()
    last = with_fine.encoder.transitions[1]
    assert isinstance(last, Transition)
    assert with_fine.decoder.fine_attention is not None
    for parameter in (*last.parameters(), *with_fine.decoder.fine_attention.parameters()):
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all()
        assert parameter.grad.any()
    assert all(p.grad is None for p in with_fine.encoder.blocks[2].parameters())


@pytest.mark.slow
def test_random_weights_read_the_same_both_ways(with_fine: SAN, images: Images) -> None:
    for seed in range(4):
        torch.manual_seed(seed)
        for parameter in with_fine.decoder.parameters():
            parameter.data.normal_(0, 0.5)
        engine = TorchEngine(with_fine)
        with_fine.decoder.symbol_head.bias.data[0] += 4.0  # else noise never ends
        limits = DecodingLimits(steps=2000, depth=8)
        ours, theirs = decode(engine, images, limits), decode_by_stack(engine, images, limits)
        alone = [decode(engine, [image], limits)[0] for image in images]
        for mine, reference, single in zip(ours, theirs, alone, strict=True):
            assert mine.expression == reference.expression == single.expression


def test_joined_images_are_seen_alike(with_fine: SAN, images: Images) -> None:
    """Grids of several sizes, on one that is larger than all; and in half precision nearly so."""
    engine = TorchEngine(with_fine)
    joined = engine.join([engine.encode([image]) for image in images])
    canvas = engine.encode(images)
    for mine, other in zip(joined.content.fine, canvas.content.fine, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-3, atol=1e-3)
    half = TorchEngine(with_fine, half=True).encode(images).content.fine
    gap = (half.features - canvas.content.fine.features).norm()
    assert gap < 0.01 * canvas.content.fine.features.norm()


def test_what_cannot_be_is_one_line() -> None:
    with pytest.raises(SanError, match="must be 0"):
        NetworkConfig(fine_attention=8, kind="san-gs")
    with pytest.raises(SanError, match="less than 0"):
        NetworkConfig(fine_attention=-1)


def test_one_of_several_is_as_if_it_had_been_encoded_alone(with_fine: SAN, images: Images) -> None:
    engine = TorchEngine(with_fine)
    together = engine.encode(images, size=(96, 128))
    for number, image in enumerate(images):
        own, alone = engine.alone(together, number), engine.encode([image])
        assert own.content.grid == alone.content.grid
        assert np.asarray(own.path).shape == np.asarray(alone.path).shape
        for mine, theirs in zip(
            (*own.content[:4], *own.content.fine),
            (*alone.content[:4], *alone.content.fine),
            strict=True,
        ):
            torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-4)
