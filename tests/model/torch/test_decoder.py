"""The MLP before the heads starts as nothing, and is the same level by level and step by step."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.decoding import DecodingLimits, decode
from san.decoding.stack import decode_by_stack
from san.grammar import Expression
from san.grammar.languages import Kind
from san.grammar.productions import unfold
from san.grammar.vocabulary import Vocabulary
from san.model.torch import SAN, Batch
from san.model.torch.batch import DecoderOutput, canvas, levels
from san.model.torch.engine import TorchEngine
from san.model.torch.traversal import traverse
from san.model.torch.weights import init_from, load_weights, save_weights
from tests.model.encoders import randomise
from tests.model.torch.conftest import SMALL

Images = list[NDArray[np.float32]]
PLAIN: list[tuple[Kind, int]] = [("san", 0), ("san", 6), ("san-gs", 0)]
"""Kinds that may have an MLP, with sizes of the fine attention."""


@pytest.fixture(params=PLAIN, ids=str)
def plain(request: pytest.FixtureRequest, vocabulary: Vocabulary) -> SAN:
    """A trained network without an MLP."""
    kind, fine = request.param
    config = dataclasses.replace(SMALL, kind=kind, fine_attention=fine, reversed=kind == "san")
    own = SAN(config, vocabulary)
    randomise(own)
    if own.decoder.fine_attention is not None:
        torch.nn.init.normal_(own.decoder.fine_attention.proj.weight)
    return own.eval()


def given_an_mlp(plain: SAN, learnt: bool) -> SAN:
    own = SAN(dataclasses.replace(plain.config, head_hidden=10), plain.vocabulary)
    missing, unknown = own.load_state_dict(plain.state_dict(), strict=False)
    assert not unknown
    assert {name.removeprefix("decoder.") for name in missing} == {
        "head_in.weight", "head_in.bias", "head_out.weight"
    }  # fmt: skip
    assert own.decoder.head_out is not None
    assert not own.decoder.head_out.weight.any()
    if learnt:
        torch.nn.init.normal_(own.decoder.head_out.weight)
    return own.eval()


def lay_out(network: SAN, images: Images, trees: list[Expression]) -> Batch:
    pixels, mask = canvas(images)
    arrays = network.slots([levels(unfold(tree), network.vocabulary) for tree in trees])
    columns = {name: torch.from_numpy(array) for name, array in arrays.items()}
    return Batch(torch.from_numpy(pixels), torch.from_numpy(mask), **columns)


def run(network: SAN, batch: Batch) -> DecoderOutput:
    with torch.no_grad():
        return network.decode(network.encode(batch.images, batch.mask), batch)


def test_a_new_mlp_changes_nothing(plain: SAN, images: Images, trees: list[Expression]) -> None:
    batch = lay_out(plain, images, trees)
    own = given_an_mlp(plain, learnt=False)
    for mine, other in zip(run(own, batch), run(plain, batch), strict=True):
        assert torch.equal(mine, other)


def test_one_that_has_learnt_reaches_the_heads_alone(
    plain: SAN, images: Images, trees: list[Expression]
) -> None:
    batch = lay_out(plain, images, trees)
    own = given_an_mlp(plain, learnt=True)
    mine, other = run(own, batch), run(plain, batch)
    assert not torch.allclose(mine.symbols, other.symbols, atol=0.1)
    assert not torch.allclose(mine.relations, other.relations, atol=0.1)
    assert torch.equal(mine.weights, other.weights)
    assert own.reversed is None or own.reversed.head_in is None


def test_what_is_merged_is_what_the_formula_says(plain: SAN) -> None:
    own = given_an_mlp(plain, learnt=True).decoder
    assert own.head_in is not None
    assert own.head_out is not None
    partner, state = torch.randn(3, SMALL.embedding), torch.randn(3, SMALL.hidden)
    context, fine = torch.randn(3, SMALL.features), None
    parts = [state, context]
    if own.fine_attention is not None:
        fine = torch.randn(3, SMALL.fine)
        parts.append(own.fine_attention.proj(fine))
    hidden = (torch.cat(parts, 1) @ own.head_in.weight.T + own.head_in.bias).clamp(min=0)
    expected = plain.decoder.merge(partner, state, context, fine) + hidden @ own.head_out.weight.T
    torch.testing.assert_close(own.merge(partner, state, context, fine), expected)


def test_teacher_forced_steps_are_those_of_the_stack(
    plain: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    own = given_an_mlp(plain, learnt=True)
    batch = lay_out(own, images, trees)
    found = run(own, batch)
    with torch.no_grad():
        memory = own.encode(batch.images, batch.mask)
        for index, tree in enumerate(trees):
            walked = traverse(own.decoder, memory, index, unfold(tree), vocabulary)
            here = (batch.image == index) & (batch.weight > 0)
            # Both ways have the same rows, by level in another order.
            for mine, theirs in (
                (found.symbols[here], walked.symbols),
                (found.relations[here], walked.relations),
            ):
                torch.testing.assert_close(mine.sum(0), theirs.sum(0), rtol=1e-4, atol=1e-3)
                torch.testing.assert_close(mine.amax(0), theirs.amax(0), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("fine", [0, 6])
def test_the_engine_reads_the_same_both_ways(
    fine: int, images: Images, vocabulary: Vocabulary
) -> None:
    own = SAN(dataclasses.replace(SMALL, fine_attention=fine, head_hidden=10), vocabulary)
    for parameter in own.decoder.parameters():
        parameter.data.normal_(0, 0.5)
    own.decoder.symbol_head.bias.data[0] += 4.0  # else noise never ends
    engine, limits = TorchEngine(own), DecodingLimits(steps=2000, depth=8)
    ours, theirs = decode(engine, images, limits), decode_by_stack(engine, images, limits)
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.expression == other.expression


def test_weights_without_it_grow_and_every_part_learns(
    plain: SAN, images: Images, trees: list[Expression], tmp_path: Path
) -> None:
    path = tmp_path / "weights.safetensors"
    save_weights(path, plain.state_dict(), plain.config, plain.vocabulary)
    before = load_weights(path)
    assert isinstance(before, SAN)
    assert before.config.head_hidden == 0
    grown = SAN(dataclasses.replace(plain.config, head_hidden=10), plain.vocabulary).eval()
    init_from(grown, path)
    batch = lay_out(grown, images, trees)
    for mine, other in zip(run(grown, batch), run(before, batch), strict=True):
        assert torch.equal(mine, other)
    # The way in is shut until the way out has moved.
    for ways in (["head_out.weight"], ["head_out.weight", "head_in.weight", "head_in.bias"]):
        grown.zero_grad()
        grown.losses(batch, *grown(batch)).total().backward()
        for name in ways:
            parameter = grown.decoder.get_parameter(name)
            assert parameter.grad is not None
            assert parameter.grad.isfinite().all()
            assert parameter.grad.any()
            parameter.data -= 0.1 * parameter.grad


def test_a_file_of_weights_has_it(plain: SAN, tmp_path: Path) -> None:
    own = given_an_mlp(plain, learnt=True)
    path = tmp_path / "weights.safetensors"
    save_weights(path, own.state_dict(), own.config, own.vocabulary)
    again = load_weights(path)
    assert again.config == dataclasses.replace(own.config, reversed=False)
    kept = again.state_dict()
    for part in ("head_in.weight", "head_in.bias", "head_out.weight"):
        name = f"decoder.{part}"
        assert torch.equal(kept[name], own.state_dict()[name].half().float())
