"""A fused step of the other kinds of networks is their plain step."""

import dataclasses

import numpy as np
import pytest
import torch

from san.grammar import parse
from san.grammar.languages import Kind
from san.model.torch.kinds import build_network
from san.training.captured import CapturedStep
from san.training.config import TrainingConfig
from san.training.dataset import ArraySource, PackedDataset
from tests.model.kernels.test_training_step import DEVICE, PLANNED, SMALL, close
from tests.model.torch.test_kinds import OTHERS

SIZES = ((16, 30), (12, 16), (16, 20))


def one_step(kind: Kind, fused: bool) -> list[torch.Tensor]:
    """Losses, running statistics, gradients and weights of a first step."""
    rng = np.random.default_rng(1)
    images = [(rng.random(size) < 0.2).astype(np.uint8) * np.uint8(255) for size in SIZES]
    trees = [parse(label) for label in ("x", "x _ { 2 }", "2 x")]
    corpus = PackedDataset(ArraySource(images, trees), DEVICE, kind=kind)
    sizes = {"heads": 4, "feedforward": 16, "transformer_dropout": 0.0}
    torch.manual_seed(0)
    config = dataclasses.replace(SMALL, kind=kind, reversed=False, **sizes)
    network = build_network(config, corpus.vocabulary)
    training = TrainingConfig(batch_size=4, precision="fp32", optimiser="adamw")
    step = CapturedStep(network, corpus, training, [7], torch.device(DEVICE), False, fused)
    if fused:
        step.reserve(step.shape(PLANNED).slots)
    step.step(PLANNED, 0, 1e-3, 1)
    found = (step.losses, step.running, step.flat.gradient, step.flat.master)
    return [part.cpu() for part in found]


@pytest.mark.slow
@pytest.mark.parametrize("kind", OTHERS)
def test_a_fused_step_is_a_plain_step(kind: Kind) -> None:
    for plain, fused in zip(one_step(kind, False), one_step(kind, True), strict=True):
        close(fused, plain)
