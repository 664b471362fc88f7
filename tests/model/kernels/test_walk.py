"""SAN-GS in training: it learns, and what it learnt is read along the traversal."""

import dataclasses
import json
from pathlib import Path

import pytest
import torch

from san.decoding.stack import decode_by_stack, decode_stacks
from san.errors import SanError
from san.model.torch.engine import TorchEngine
from san.model.torch.weights import load_weights
from san.training.config import Config
from san.training.loop import Run
from san.training.stream import Stream
from san.training.validate import forced, read_corpus
from tests.training.test_loop import SMALL, config, corpus, quiet

WALKING = dataclasses.replace(SMALL, coverage="all", reversed=False)


def walking(**changes: object) -> Config:
    return dataclasses.replace(config(**changes), network=WALKING)


def test_the_loss_falls(tmp_path: Path) -> None:
    own = corpus()
    settings = walking(epochs=12, optimiser="adamw", learning_rate=1e-2, partner_noise=0.1)
    Run(settings, own, own, tmp_path, say=quiet).go()
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines[-1]["symbol"] < 0.8 * lines[0]["symbol"]
    network = load_weights(tmp_path / "weights.safetensors")
    assert network.config.coverage == "all"
    assert forced(network, own) == pytest.approx(lines[-1]["steps"], abs=6.0)


def test_a_corpus_is_read_along_the_traversal(tmp_path: Path) -> None:
    own = corpus()
    run = Run(
        walking(epochs=6, optimiser="adamw", learning_rate=1e-2), own, None, tmp_path, say=quiet
    )
    run.go()
    network = run.reader()
    engine = TorchEngine(network)
    where = torch.from_numpy(own.where(run.learnable, len(own)))
    pictures, _ = own.pixels(where, run.buckets[-1])
    images = [
        picture[0, :height, :width].numpy()
        for picture, (height, width) in zip(pictures, own.sizes, strict=True)
    ]
    expected = decode_by_stack(engine, images, coverage="all")
    for found in (decode_stacks(engine, images), read_corpus(network, own)):
        assert [one.expression for one in found] == [one.expression for one in expected]


def test_batches_are_planned_by_steps(tmp_path: Path) -> None:
    own = corpus()
    run = Run(walking(epochs=1), own, None, tmp_path, say=quiet)
    assert max(run.program.levels) == own.extent.steps.max() > own.extent.depths.max()
    for planned in run.plan(0):
        key = run.program.key(planned)
        assert key.slots == run.config.training.batch_size
        assert key.levels in run.program.levels
        assert key.levels >= own.extent.steps[planned.places].max()


def test_a_reversed_decoder_is_refused(tmp_path: Path) -> None:
    both = dataclasses.replace(config(), network=dataclasses.replace(WALKING, reversed=True))
    with pytest.raises(SanError, match=r"network\.reversed: .* must be false"):
        Run(both, corpus(), None, tmp_path, say=quiet)


def test_ink_made_on_the_fly_is_refused(tmp_path: Path) -> None:
    stream = Stream.__new__(Stream)  # nothing of it is asked for but its symbols
    stream.vocabulary = corpus().vocabulary
    with pytest.raises(SanError, match=r"synth\.samples: .* must be 0"):
        Run(walking(), stream, None, tmp_path, say=quiet)
