"""A survey in the fused training step against its plain twin."""

import dataclasses

import numpy as np
import torch

from tests.training.test_fused import DEVICE, SMALL, boxes, close

# isort: split
# What is above sees to it that kernels are interpreted where there is no GPU.
from san.grammar import parse
from san.grammar.productions import unfold
from san.nn import SAN
from san.nn.batch import levels
from san.training.buckets import Bucket, Planned
from san.training.config import TrainingConfig
from san.training.corpus import Corpus, Held
from san.training.program import Program

SURVEYING = dataclasses.replace(SMALL, survey=32, glance=8)


def test_a_fused_step_is_a_plain_step() -> None:
    """With blanks in the batch; three times, for a survey's way back begins at zero."""
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
        network = SAN(SURVEYING, corpus.vocabulary)
        before = {n: p.detach().clone() for n, p in network.named_parameters()}
        program = Program(network, corpus, config, [4], torch.device(DEVICE), False, fused)
        program.reserve(program.key(planned).slots)
        for count in (1, 2, 3):
            program.step(planned, 0, 1e-3, count, eyes=0.4)
        changed = {n for n, p in network.named_parameters() if not torch.equal(p.cpu(), before[n])}
        assert {name for name in before if ".survey." in name} <= changed
        found.append([p.cpu() for p in (program.losses, program.running, program.flat.master)])
    for plain, other in zip(*found, strict=True):
        close(other, plain)
