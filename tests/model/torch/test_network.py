from dataclasses import replace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.grammar import Expression
from san.grammar.productions import EMPTY_STRING, Step, by_level, unfold
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary
from san.model.torch import SAN, Batch, NetworkConfig
from san.model.torch.attention import Memory
from san.model.torch.batch import collate, levels, slots
from san.model.torch.losses import LossOptions, losses, relation_loss, symbol_loss
from san.model.torch.network import decode_by_level, decode_reversed
from san.model.torch.traversal import traverse
from tests.model.torch.conftest import SMALL

Images = list[NDArray[np.float32]]


def make_batch(images: Images, trees: list[Expression], vocabulary: Vocabulary) -> Batch:
    return collate(images, [levels(unfold(tree), vocabulary) for tree in trees], vocabulary)


def test_the_paper_s_network_has_its_size() -> None:
    names = tuple(chr(0x4E00 + place) for place in range(104))  # as many symbols as CROHME has
    network = SAN(NetworkConfig(), Vocabulary(names))
    sizes = {name: parameter.numel() for name, parameter in network.named_parameters()}
    assert sum(size for name, size in sizes.items() if name.startswith("encoder.")) == 2_979_384
    assert sum(size for name, size in sizes.items() if name.startswith("decoder.")) == 2_296_945
    assert sum(size for name, size in sizes.items() if name.startswith("reversed.")) == 2_296_042
    assert sum(sizes.values()) == 7_572_371


def test_levels_agree_with_the_stack(
    network: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    batch = make_batch(images, trees, vocabulary)
    memory = network.encode(batch.images, batch.mask)
    run = decode_by_level(network.decoder, memory, batch)
    walked = [
        traverse(network.decoder, memory, index, unfold(tree), vocabulary)
        for index, tree in enumerate(trees)
    ]
    steps = [step for tree in trees for step in unfold(tree)]
    symbols = torch.cat([one.symbols for one in walked])
    target = torch.tensor([vocabulary.number(step.target) for step in steps])
    reference = symbol_loss(symbols, target, torch.ones(len(steps)))
    torch.testing.assert_close(
        symbol_loss(run.symbols, batch.target, batch.weight), reference, rtol=0, atol=1e-5
    )
    opened = torch.tensor(
        [[float(r in step.relations) for r in Relation] for step in steps if step.relations]
    )
    logits = torch.cat([one.relations for one in walked])
    logits = logits[torch.tensor([bool(step.relations) for step in steps])]
    each = torch.nn.functional.binary_cross_entropy_with_logits(logits, opened, reduction="none")
    torch.testing.assert_close(
        relation_loss(run.relations, batch), each.sum(-1).mean(), rtol=0, atol=1e-5
    )


def test_coverage_over_all_steps_differs_from_the_path_s(
    images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    torch.manual_seed(1)
    path = SAN(SMALL, vocabulary).eval()
    batch = make_batch(images, trees, vocabulary)
    memory = path.encode(batch.images, batch.mask)
    steps = unfold(trees[1])
    by_path = traverse(path.decoder, memory, 1, steps, vocabulary)
    path.decoder.coverage = "all"
    by_all = traverse(path.decoder, memory, 1, steps, vocabulary)
    # Until the first step that is no child of the one before it, both have seen the same.
    branch = next(i for i, step in enumerate(steps) if step.parent not in (i - 1, -1))
    torch.testing.assert_close(by_path.symbols[:branch], by_all.symbols[:branch])
    assert not torch.allclose(by_path.symbols[branch:], by_all.symbols[branch:])


def reversed_by_recursion(
    network: SAN, memory: Memory, image: int, steps: list[Step], index: int
) -> tuple[torch.Tensor, torch.Tensor, dict[int, torch.Tensor]]:
    """State, path attention and symbol logits of one step and all below it, child before parent."""
    decoder, vocabulary = network.reversed, network.vocabulary
    assert decoder is not None
    children = [number for number, step in enumerate(steps) if step.parent == index]
    found: dict[int, torch.Tensor] = {}
    state, past = memory.init_state[image], torch.zeros_like(memory.keys[image, :, 0])
    partner = decoder.embedding.weight[network.start]
    if children:
        below = [reversed_by_recursion(network, memory, image, steps, c) for c in children]
        state = torch.stack([b[0] for b in below]).mean(0)
        past = torch.stack([b[1] for b in below]).mean(0)
        for _, _, deeper in below:
            found |= deeper
        embedded = []
        for child in children:
            own = steps[child].partner
            relation = own if isinstance(own, Relation) else Relation.RIGHT
            numbers = (vocabulary.number(steps[child].target), vocabulary.number(relation))
            embedded.append(sum(decoder.embedding.weight[n] for n in numbers))
        partner = torch.stack(embedded).mean(0)
    kernel = decoder.attention.folded_coverage()
    taken = decoder.step(
        memory, kernel, torch.tensor([image]), state[None], past[None], partner[None]
    )
    merged = decoder.merge(partner[None], taken.state, taken.context)
    found[index] = decoder.symbol_head(merged)[0]
    return taken.state[0], past + taken.weights[0], found


def test_reversed_decoder_agrees_with_recursion(
    network: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    batch = make_batch(images, trees, vocabulary)
    assert network.reversed is not None
    with torch.no_grad():
        memory = network.reversed.memory(network.encoder(batch.images, batch.mask), batch.mask)
        run = decode_reversed(network.reversed, memory, batch, network.start)
        for image, tree in enumerate(trees):
            steps = by_level(unfold(tree))
            _, _, found = reversed_by_recursion(network, memory, image, steps, 0)
            mine = (batch.image == image) & (batch.weight > 0)
            torch.testing.assert_close(
                run.symbols[mine], torch.stack([found[i] for i in range(len(steps))])
            )


def test_a_reversed_decoder_without_memory_knows_embeddings_alone(
    images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    """Whatever the children's steps came to, and the image's initial state, is not handed on."""
    network = SAN(replace(SMALL, reversed_memory=False, head_dropout=0.0), vocabulary).train()
    decoder = network.reversed
    assert decoder is not None
    batch = make_batch(images, trees, vocabulary)
    features = network.encoder(batch.images, batch.mask).detach()
    memory = decoder.memory(features, batch.mask)
    other = memory._replace(init_state=torch.randn_like(memory.init_state))
    runs = [decode_reversed(decoder, each, batch, network.start) for each in (memory, other)]
    torch.testing.assert_close(runs[0].symbols, runs[1].symbols, rtol=0, atol=0)
    with_memory = SAN(replace(SMALL, head_dropout=0.0), vocabulary).train()
    with_memory.load_state_dict(network.state_dict())
    assert with_memory.reversed is not None
    run = decode_reversed(with_memory.reversed, memory, batch, network.start)
    assert not torch.allclose(run.symbols, runs[0].symbols)


def test_unused_slots_change_nothing(
    network: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    rng = np.random.default_rng(5)
    numbers = []
    for tree in trees:
        steps = unfold(tree)
        corners = rng.uniform(0, 30, (len(steps), 2))
        numbers.append(levels(steps, vocabulary, np.concatenate((corners, corners + 9), 1)))
    batch = collate(images, numbers, vocabulary)
    arrays = slots(numbers, vocabulary, depth=20, width=30)
    padded = Batch(batch.images, batch.mask, **{k: torch.from_numpy(v) for k, v in arrays.items()})
    assert padded.image.shape == (20, 30)
    for mine, other in zip(
        losses(batch, *network(batch), LossOptions(with_attention=True)),
        losses(padded, *network(padded), LossOptions(with_attention=True)),
        strict=True,
    ):
        torch.testing.assert_close(mine, other, rtol=1e-5, atol=1e-5)
        assert mine > 0


def test_every_parameter_learns(
    network: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    network.train()
    batch = make_batch(images, trees, vocabulary)
    losses(batch, *network(batch)).total().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


@pytest.mark.slow
def test_a_few_steps_of_descent_lower_the_loss(
    network: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    network.train()
    batch = make_batch(images, trees, vocabulary)
    adam = torch.optim.Adam(network.parameters(), 3e-3)
    seen = []
    for _ in range(25):
        adam.zero_grad()
        total = losses(batch, *network(batch)).total()
        total.backward()
        adam.step()
        seen.append(total.item())
    assert seen[-1] < 0.8 * seen[0]


def test_leaves_are_the_empty_strings(trees: list[Expression]) -> None:
    for tree in trees:
        steps = unfold(tree)
        inner = {step.parent for step in steps}
        for index, step in enumerate(steps):
            assert (index not in inner) == (step.target == EMPTY_STRING)
