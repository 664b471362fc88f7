"""A context starts as nothing, brings what is far away, and minds its own image."""

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
from san.model.spec import POSITION_BASE
from san.model.torch import SAN, NetworkConfig
from san.model.torch.batch import DecoderOutput, collate, levels
from san.model.torch.context import ContextTransformer, position_waves
from san.model.torch.engine import TorchEngine
from san.model.torch.network import decode_by_level
from tests.model.torch.conftest import SMALL

Images = list[NDArray[np.float32]]
WITH_CONTEXT = dataclasses.replace(SMALL, context=64)


def given_a_survey(network: SAN, vocabulary: Vocabulary, learnt: bool) -> SAN:
    own = SAN(WITH_CONTEXT, vocabulary)
    missing, unknown = own.load_state_dict(network.state_dict(), strict=False)
    assert not unknown
    assert all(name.startswith("decoder.context.") for name in missing)
    assert own.decoder.context is not None
    if learnt:
        torch.nn.init.normal_(own.decoder.context.proj_out.weight)
    return own.eval()


@pytest.fixture
def with_context(network: SAN, vocabulary: Vocabulary) -> SAN:
    return given_a_survey(network, vocabulary, learnt=True)


def run(network: SAN, images: Images, trees: list[Expression]) -> DecoderOutput:
    known = network.vocabulary
    batch = collate(images, [levels(unfold(tree), known) for tree in trees], known)
    with torch.no_grad():
        return decode_by_level(network.decoder, network.encode(batch.images, batch.mask), batch)


def test_a_new_survey_changes_nothing(
    network: SAN, images: Images, trees: list[Expression], vocabulary: Vocabulary
) -> None:
    own = given_a_survey(network, vocabulary, learnt=False)
    for mine, other in zip(run(own, images, trees), run(network, images, trees), strict=True):
        assert torch.equal(mine, other)


def test_one_that_has_learnt_moves_the_attention_too(
    network: SAN, with_context: SAN, images: Images, trees: list[Expression]
) -> None:
    mine, other = run(with_context, images, trees), run(network, images, trees)
    assert not torch.allclose(mine.symbols, other.symbols, atol=0.1)
    assert not torch.allclose(mine.weights, other.weights, atol=0.01)
    assert with_context.reversed is not None
    assert with_context.reversed.context is None


def test_what_is_far_away_is_known_everywhere() -> None:
    context = ContextTransformer(WITH_CONTEXT).eval()
    torch.nn.init.normal_(context.proj_out.weight)
    mask = torch.ones(1, 3, 40, dtype=torch.bool)
    one = torch.randn(1, 3, 40, WITH_CONTEXT.features)
    other = one.clone()
    other[0, 0, 0] += 1.0
    gap = (context(one, mask) - context(other, mask)).detach()
    assert (gap.abs().amax(-1) > 1e-4).all()


def test_where_a_cell_lies_is_known() -> None:
    """The same everywhere, and yet no two cells find the same."""
    context = ContextTransformer(WITH_CONTEXT).eval()
    torch.nn.init.normal_(context.proj_out.weight)
    found = context(torch.ones(1, 3, 5, WITH_CONTEXT.features), torch.ones(1, 3, 5) > 0)
    flat = found.detach().flatten(0, 2)
    apart = torch.cdist(flat, flat) + torch.eye(15) * 9
    assert apart.min() > 0.01


def test_waves_turn_once_in_a_few_cells_to_once_in_many() -> None:
    down, right, begin = position_waves(64)
    assert down.max() == right.max() == 1.0
    assert float(down[down > 0].min()) == pytest.approx(1 / POSITION_BASE)
    assert not (down * right).any()  # each number turns with one of the two
    assert (begin > 0).sum() == 32  # half are cosines


@pytest.mark.slow
def test_neither_canvas_nor_company_matters(with_context: SAN, images: Images) -> None:
    engine = TorchEngine(with_context)
    together = engine.encode(images, size=(160, 192)).content
    for number, image in enumerate(images):
        alone = engine.encode([image]).content
        rows, columns = alone.grid
        here = together.features[number].unflatten(0, together.grid)
        torch.testing.assert_close(
            here[:rows, :columns].flatten(0, 1), alone.features[0], rtol=1e-4, atol=1e-4
        )
        assert not here[rows:].any()
        assert not here[:, columns:].any()
        torch.testing.assert_close(
            together.init_state[number], alone.init_state[0], rtol=1e-4, atol=1e-4
        )


def test_an_image_without_cells_harms_nobody() -> None:
    context = ContextTransformer(WITH_CONTEXT)
    torch.nn.init.normal_(context.proj_out.weight)
    mask = torch.tensor([[[True, True]], [[False, False]]])
    features = (torch.randn(2, 1, 2, WITH_CONTEXT.features) * mask[..., None]).requires_grad_()
    found = context(features, mask)
    assert not found[1].any()
    found.square().sum().backward()
    for parameter in (features, *context.parameters()):
        assert parameter.grad is not None
        assert parameter.grad.isfinite().all()


def test_both_decodings_agree(with_context: SAN, images: Images) -> None:
    engine, limits = TorchEngine(with_context), DecodingLimits(depth=8)
    for mine, other in zip(
        decode(engine, images, limits), decode_by_stack(engine, images, limits), strict=True
    ):
        assert mine.expression == other.expression


def test_what_cannot_be_is_one_line() -> None:
    for size in (-32, 48):
        with pytest.raises(SanError, match="multiple of 32"):
            NetworkConfig(context=size)
