"""BTTR's two directions: what is trained, and how they rate each other's strings."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.decoding.engine import DecodingLimits
from san.decoding.strings import decode_strings, log_softmax
from san.grammar import Expression
from san.grammar.languages import write
from san.grammar.vocabulary import Vocabulary
from san.model.spec import EMPTY_TARGET
from san.model.torch.bttr import BTTR, cell_positions, turned_around
from san.model.torch.bttr_reader import BTTRReader, Direction
from san.training.optimiser import FlatParameters
from tests.model.torch.test_kinds import build, lay_out

Images = list[NDArray[np.float32]]


@pytest.fixture
def bttr(vocabulary: Vocabulary) -> BTTR:
    network = build("bttr", vocabulary)
    assert isinstance(network, BTTR)
    network.decoder.symbol_head.bias.data[EMPTY_TARGET] += 1.0  # else noise never ends
    return network


def test_strings_are_turned_around_before_their_end_mark() -> None:
    target = torch.tensor([[5, 7], [6, 0], [4, 0], [0, 0], [0, 0]])
    weight = torch.tensor([[1, 1], [1, 1], [1, 0], [1, 0], [0, 0]]).float()
    assert turned_around(target, weight).T.tolist() == [[4, 6, 5, 0, 0], [7, 0, 0, 0, 0]]


@pytest.mark.slow
def test_positions_are_measured_in_the_image_not_on_the_canvas() -> None:
    alone, among = torch.ones(1, 3, 5, dtype=torch.bool), torch.zeros(1, 6, 9, dtype=torch.bool)
    among[:, :3, :5] = True
    found = cell_positions(among, 16)[:, :3, :5]
    torch.testing.assert_close(found, cell_positions(alone, 16))
    flat = cell_positions(alone, 16).view(15, 16)
    assert (torch.cdist(flat, flat) + torch.eye(15) > 0.01).all()  # no two cells alike


def tokens_of(network: BTTR, tree: Expression) -> tuple[int, ...]:
    steps = write("bttr", tree)[:-1]
    return tuple(network.vocabulary.number(step.target) for step in steps)


@pytest.mark.parametrize("reverse", [False, True])
def test_both_directions_are_trained_as_they_are_read(
    bttr: BTTR, images: Images, trees: list[Expression], reverse: bool
) -> None:
    """The losses, the scores of whole strings and those of single steps are one."""
    batch = lay_out(bttr, images, trees)
    with torch.no_grad():
        forward, backward = bttr(batch)
        losses = bttr.losses(batch, forward, backward)
    reader = BTTRReader(bttr)
    memory = reader.encode(images)
    engine = Direction(reader, reverse)
    total = 0.0
    for image, tree in enumerate(trees):
        tokens = tokens_of(bttr, tree)
        (whole,) = reader.score(memory, image, [tokens], reverse)
        token, state = engine.begin(memory)
        state, score = engine.choose(state, np.array([image])), 0.0
        for wanted in (*(tokens[::-1] if reverse else tokens), EMPTY_TARGET):
            scores, state = engine.extend(memory, np.array([image]), state, np.array([token]))
            score, token = score + log_softmax(scores)[0, wanted], wanted
        assert whole == pytest.approx(score, abs=1e-3)
        total -= score
    of_direction = losses.reversed_symbol if reverse else losses.symbol
    mean = total / float(batch.weight.sum())
    assert 2 * of_direction.item() == pytest.approx(mean, rel=1e-4)


def test_strings_of_a_beam_are_rated_by_both_directions(bttr: BTTR, images: Images) -> None:
    reader = BTTRReader(bttr)
    memory = reader.encode(images)
    forward = decode_strings(Direction(reader, False), memory, len(images), 8, 3)
    back = decode_strings(Direction(reader, True), memory, len(images), 8, 3)
    for image in range(len(images)):
        rated = reader._rated(memory, image, forward[image], back[image])
        candidates = {string.tokens for string in forward[image]}
        candidates |= {string.tokens[::-1] for string in back[image]}
        assert {string.tokens for string in rated} == candidates
        for string in rated:
            scores = [reader.score(memory, image, [string.tokens], way)[0] for way in (False, True)]
            assert string.score == pytest.approx(sum(scores) / 2, abs=1e-3)
        assert [s.merit for s in rated] == sorted((s.merit for s in rated), reverse=True)
    best = reader.read(memory, DecodingLimits(steps=8), 3)
    assert all(len(readings) <= 6 for readings in best)


def test_it_can_be_trained_in_bf16(
    vocabulary: Vocabulary, images: Images, trees: list[Expression]
) -> None:
    """As on a GPU: weights and features in bf16, norms in float32."""
    exact, half = build("bttr", vocabulary), build("bttr", vocabulary)
    half.load_state_dict(exact.state_dict())
    batch = lay_out(exact, images, trees)
    with torch.no_grad():
        features = exact.encoder(batch.images, batch.mask)
    FlatParameters(half, torch.bfloat16)
    found = []
    for network, given in ((exact, features), (half, features.bfloat16())):
        leaf = given.detach().requires_grad_()
        losses = network.losses(batch, *network.run(leaf, None, batch))
        decoder = [*network.decoder.parameters()]
        gradients = torch.autograd.grad(losses.total(), [leaf, *decoder])
        found.append((losses.total().item(), gradients))
    assert found[1][0] == pytest.approx(found[0][0], rel=0.03)
    for mine, other in zip(found[0][1], found[1][1], strict=True):
        assert torch.isfinite(other).all()
        assert (mine - other.float()).norm() < 0.2 * mine.norm() + 1e-2
