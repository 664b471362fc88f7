"""Batch norms of averaged weights normalise by statistics of their own."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from san.grammar.vocabulary import Vocabulary
from san.model.spec import NetworkConfig
from san.model.torch.base import Network
from san.model.torch.kinds import build_network
from san.model.torch.masked_norm import Norm
from san.model.torch.weights import load_weights, read_facts
from san.training.loop import TrainingRun
from san.training.norm_statistics import Images, measure_norms
from tests.model.encoders import EncoderName, with_encoder
from tests.training.test_loop import SMALL, config, corpus, quiet

DROPPING = NetworkConfig(**{**vars(SMALL), "dropout": 0.5, "residual_dropout": 0.5})


def network_of(encoder: EncoderName) -> Network:
    torch.manual_seed(0)
    network = build_network(
        replace(with_encoder(DROPPING, encoder), reversed=False), Vocabulary(("x", "1"))
    )
    return network.eval()


def some_images(count: int = 3) -> list[Images]:
    torch.manual_seed(1)
    mask = torch.ones(2, 2, 3, dtype=torch.bool)
    mask[1, :, 2] = False  # a narrower image
    return [((torch.rand(2, 1, 32, 48) < 0.3).float(), mask) for _ in range(count)]


def norms_of(network: Network) -> list[Norm]:
    return [module for module in network.modules() if isinstance(module, Norm)]


@pytest.mark.parametrize("encoder", ["densenet", "residual"])
def test_statistics_are_those_of_the_pixels_that_exist(encoder: EncoderName) -> None:
    network = network_of(encoder)
    first, met = norms_of(network)[0], list[tuple[Tensor, Tensor]]()
    hook = first.register_forward_pre_hook(lambda _, given: met.append(given))
    measure_norms(network, some_images())
    hook.remove()
    pixels = torch.cat([x.movedim(1, -1)[mask[:, 0] > 0] for x, mask in met])
    assert 0 < len(pixels) < sum(x[:, 0].numel() for x, _ in met)
    torch.testing.assert_close(first.running_mean, pixels.mean(0))
    torch.testing.assert_close(first.running_var, pixels.var(0, correction=0))


@pytest.mark.parametrize("encoder", ["densenet", "residual"])
def test_what_stood_there_and_dropout_do_not_matter(encoder: EncoderName) -> None:
    one, other = network_of(encoder), network_of(encoder)
    for norm in norms_of(other):
        norm.running_mean.fill_(7.0)
        norm.running_var.fill_(9.0)
    measure_norms(one, some_images())
    torch.manual_seed(5)
    measure_norms(other, some_images())
    for a, b in zip(norms_of(one), norms_of(other), strict=True):
        torch.testing.assert_close(a.running_mean, b.running_mean)
        torch.testing.assert_close(a.running_var, b.running_var)
    assert not any(norm.training for norm in norms_of(one))
    assert {norm.dropout for norm in norms_of(one)} == {
        norm.dropout for norm in norms_of(network_of(encoder))
    }


def test_a_run_saves_and_validates_what_was_measured(tmp_path: Path) -> None:
    settings = config(epochs=3, optimiser="adamw", learning_rate=1e-2, ema=0.9, norm_batches=2)
    own = corpus()
    run = TrainingRun(settings, own, own, tmp_path, say=quiet)
    run.go()
    saved = load_weights(tmp_path / "weights.safetensors")
    measured, averaged = norms_of(run.reader()), run._average()
    for norm, kept in zip(measured, norms_of(saved), strict=True):
        torch.testing.assert_close(kept.running_var, norm.running_var, atol=1e-2, rtol=1e-2)
    first = next(name for name in averaged if name.endswith("running_var"))
    assert not torch.allclose(averaged[first], measured[0].running_var, rtol=1e-2)
    facts = json.loads(read_facts(tmp_path / "weights.safetensors")["facts"])
    assert np.isfinite(facts["validation_cross_entropy"])


def test_the_reader_follows_the_steps(tmp_path: Path) -> None:
    settings = config(epochs=2, optimiser="adamw", learning_rate=1e-2, ema=0.5, norm_batches=1)
    run = TrainingRun(settings, corpus(), None, tmp_path, say=quiet)
    before = norms_of(run.reader())[0].weight.clone()
    run.go()
    assert not torch.equal(before, norms_of(run.reader())[0].weight)
