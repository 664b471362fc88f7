"""A glance in the fused training step against its plain twin."""

import dataclasses

import numpy as np
import pytest
import torch

from tests.training.test_fused import DEVICE, SMALL, boxes, case, close, norms

# isort: split
# What is above sees to it that kernels are interpreted where there is no GPU.
from san.grammar import parse
from san.grammar.productions import unfold
from san.nn import SAN
from san.nn.batch import levels
from san.nn.losses import losses
from san.nn.network import by_level
from san.training.buckets import Bucket, Planned
from san.training.config import TrainingConfig
from san.training.corpus import Corpus, Held
from san.training.fused.encoder import encode_rows
from san.training.fused.network import run_down
from san.training.fused.norm import NormStore
from san.training.fused.tables import unpack
from san.training.program import Program, _rounded

GLANCING = dataclasses.replace(SMALL, glance=8)


@pytest.fixture(autouse=True)
def _exact() -> None:
    torch.manual_seed(7)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False


def learnt(network: SAN) -> SAN:
    assert network.decoder.glance is not None
    torch.nn.init.normal_(network.decoder.glance.into.weight)
    torch.nn.init.normal_(network.decoder.glance.query.weight)
    return network


def test_both_scales_are_the_encoder_s() -> None:
    network, batch, _, _ = case(GLANCING)
    twin, _, _, _ = case(GLANCING)
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


def test_glances_are_the_decoder_s() -> None:
    network, batch, vector, shape = case(GLANCING)
    decoder = learnt(network).decoder
    with torch.no_grad():
        maps = [own.permute(0, 2, 3, 1) for own in network.encoder.scales(batch.images, batch.mask)]
    names = [name for name, _ in network.named_parameters() if name.startswith("decoder.")]
    wanted = [network.get_parameter(name) for name in names]
    mine = [own.contiguous().requires_grad_() for own in maps]
    run = run_down(decoder, mine[0], batch.mask, unpack(vector, shape), mine[1], 16)
    ours = losses(batch, run, None, eyes=True).total(0.7)
    other = [own.permute(0, 3, 1, 2).requires_grad_() for own in maps]
    memory = decoder.remember(other[0], batch.mask, other[1])
    theirs = losses(batch, by_level(decoder, memory, batch), None, eyes=True).total(0.7)
    close(ours, theirs)
    gradients = torch.autograd.grad(ours, [*mine, *wanted])
    expected = list(torch.autograd.grad(theirs, [*other, *wanted]))
    expected[:2] = [own.permute(0, 2, 3, 1) for own in expected[:2]]
    for name, one, two in zip(["features", "fine", *names], gradients, expected, strict=True):
        assert two.any(), name
        close(one, two, name)


def test_a_fused_step_is_a_plain_step() -> None:
    """The whole step, blanks and unused slots in it; twice, for a glance begins at zero."""
    trees = [parse(label) for label in (r"x", r"x _ { 2 }", r"2 x")]
    rng = np.random.default_rng(1)
    sizes = ((16, 30), (12, 16), (16, 20))
    images = [(rng.random(size) < 0.2).astype(np.uint8) * np.uint8(255) for size in sizes]
    config = TrainingConfig(batch=4, precision="fp32", optimiser="adamw", eyes=0.5)
    planned = Planned(Bucket(16, 32), np.arange(3))
    found = []
    for fused in (False, True):
        torch.manual_seed(0)
        corpus = Corpus(Held(images, trees), DEVICE)
        corpus.levels = [levels(unfold(t), corpus.vocabulary, boxes(t)) for t in trees]
        network = SAN(GLANCING, corpus.vocabulary)
        before = {n: p.detach().clone() for n, p in network.named_parameters()}
        program = Program(network, corpus, config, [4], torch.device(DEVICE), False, fused)
        assert program.key(planned).most == 32
        program.reserve(program.key(planned).slots)
        for count in (1, 2):
            program.step(planned, 0, 1e-3, count, eyes=0.4)
        for name, parameter in network.named_parameters():
            if "glance" in name:
                assert not torch.equal(parameter.cpu(), before[name]), name
        parts = (program.losses, program.running, program.flat.master, program.flat.gradient)
        found.append([part.cpu() for part in parts])
    for plain, other in zip(*found, strict=True):
        close(other, plain)


def test_few_lengths_serve_all() -> None:
    rounded = {_rounded(steps) for steps in range(1, 400)}
    assert sorted(rounded) == [32, 64, 128, 256, 512]
    assert all(steps <= _rounded(steps) < 2 * steps + 31 for steps in range(1, 400))
    assert _rounded(0) == 0
