"""Fine attention, context transformer and MLP of the heads in the fused training step against
their plain twins."""

import dataclasses

import pytest
import torch

from san.model.kernels.batch_norm import NormStore
from san.model.kernels.decoders import decode_forward
from san.model.kernels.encoder import encode_rows
from san.model.kernels.tree_tables import unpack
from san.model.torch import SAN
from san.model.torch.losses import LossOptions, losses
from san.model.torch.network import decode_by_level
from san.training.step_shape import round_steps
from tests.model.kernels.test_training_step import (
    DEVICE,
    PLANNED,
    SMALL,
    captured_step,
    case,
    close,
    norms,
)

WITH_FINE = dataclasses.replace(SMALL, fine_attention=8, head_hidden=12)


@pytest.fixture(autouse=True)
def _exact() -> None:
    torch.manual_seed(7)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def learnt(network: SAN) -> SAN:
    assert network.decoder.fine_attention is not None
    torch.nn.init.normal_(network.decoder.fine_attention.proj.weight)
    torch.nn.init.normal_(network.decoder.fine_attention.query.weight)
    assert network.decoder.head_out is not None
    torch.nn.init.normal_(network.decoder.head_out.weight)
    return network


def test_both_scales_are_the_encoder_s() -> None:
    network, batch, _, _ = case(WITH_FINE)
    twin, _, _, _ = case(WITH_FINE)
    twin.load_state_dict(network.state_dict())
    seed = torch.zeros(1, dtype=torch.int32, device=DEVICE)
    store = NormStore(norms(network))
    mine = encode_rows(network.encoder, store, batch.images, batch.mask, seed)
    other = [own.permute(0, 2, 3, 1) for own in twin.encoder.scales(batch.images, batch.mask)]
    pulls = [torch.randn_like(own) for own in other]
    for one, two in zip(mine, other, strict=True):
        close(one, two)
    wanted, theirs = list(network.encoder.parameters()), list(twin.encoder.parameters())
    found = torch.autograd.grad(mine, wanted, pulls)
    expected = torch.autograd.grad(other, theirs, pulls)
    for one, two in zip(found, expected, strict=True):
        close(one, two)


def test_fine_attention_is_the_decoder_s() -> None:
    network, batch, vector, shape = case(WITH_FINE)
    decoder = learnt(network).decoder
    with torch.no_grad():
        maps = [own.permute(0, 2, 3, 1) for own in network.encoder.scales(batch.images, batch.mask)]
    names = [name for name, _ in network.named_parameters() if name.startswith("decoder.")]
    wanted = [network.get_parameter(name) for name in names]
    mine = [own.contiguous().requires_grad_() for own in maps]
    run = decode_forward(decoder, mine[0], batch.mask, unpack(vector, shape), mine[1], 16)
    ours = losses(batch, run, None, LossOptions(with_attention=True)).total(0.7)
    other = [own.permute(0, 3, 1, 2).requires_grad_() for own in maps]
    memory = decoder.memory(other[0], batch.mask, other[1])
    theirs = losses(
        batch, decode_by_level(decoder, memory, batch), None, LossOptions(with_attention=True)
    ).total(0.7)
    close(ours, theirs)
    gradients = torch.autograd.grad(ours, [*mine, *wanted])
    expected = list(torch.autograd.grad(theirs, [*other, *wanted]))
    expected[:2] = [own.permute(0, 2, 3, 1) for own in expected[:2]]
    for name, one, two in zip(["features", "fine", *names], gradients, expected, strict=True):
        assert two.any(), name
        close(one, two, name)


def test_a_fused_step_is_a_plain_step() -> None:
    """The whole step, blanks and unused slots in it; thrice, for all three begin at zero."""
    found = []
    for fused in (False, True):
        captured = captured_step(dataclasses.replace(WITH_FINE, context=32), fused)
        assert captured.shape(PLANNED).max_steps == 32
        named = dict(captured.network.named_parameters())
        new = {
            part: [name for name in named if name.startswith(f"decoder.{part}.")]
            for part in ("fine_attention", "context", "head_in", "head_out")
        }
        assert all(new.values())
        before = {name: named[name].detach().clone() for names in new.values() for name in names}
        for count in (1, 2, 3):
            captured.step(PLANNED, 0, 1e-3, count, attention_weight=0.4)
        for name, own in before.items():
            assert not torch.equal(named[name], own), name
        parts = (captured.losses, captured.running, captured.flat.master, captured.flat.gradient)
        found.append([part.cpu() for part in parts])
    for plain, other in zip(*found, strict=True):
        close(other, plain)


def test_few_lengths_serve_all() -> None:
    rounded = {round_steps(steps) for steps in range(1, 400)}
    assert sorted(rounded) == [32, 64, 128, 256, 512]
    assert all(steps <= round_steps(steps) < 2 * steps + 31 for steps in range(1, 400))
    assert round_steps(0) == 0
