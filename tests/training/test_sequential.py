"""SAN-GS in training: it learns, and what it learnt is read along the traversal."""

import dataclasses
import json
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
import torch

from san.decoding.stack import decode_by_stack, decode_stacks
from san.errors import SanError
from san.model.torch.engine import TorchEngine
from san.model.torch.weights import load_weights
from san.training.config import Config
from san.training.dataset import SampleSizes
from san.training.loop import TrainingRun
from san.training.sample_stream import SampleStream
from san.training.validate import read_dataset, score_steps
from tests.training.makers import VOCABULARY, Alphabet
from tests.training.test_loop import SMALL, config, corpus, quiet

WALKING = dataclasses.replace(SMALL, kind="san-gs", reversed=False)


def walking(**changes: object) -> Config:
    return dataclasses.replace(config(**changes), network=WALKING)


@pytest.mark.slow
def test_the_loss_falls(tmp_path: Path) -> None:
    own = corpus()
    settings = walking(epochs=12, optimiser="adamw", learning_rate=1e-2, partner_noise=0.1)
    TrainingRun(settings, own, own, tmp_path, say=quiet).go()
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines[-1]["symbol"] < 0.8 * lines[0]["symbol"]
    network = load_weights(tmp_path / "weights.safetensors")
    assert network.config.kind == "san-gs"
    assert score_steps(network, own).right == pytest.approx(lines[-1]["steps"], abs=6.0)


@pytest.mark.slow
def test_a_corpus_is_read_along_the_traversal(tmp_path: Path) -> None:
    own = corpus()
    run = TrainingRun(
        walking(epochs=6, optimiser="adamw", learning_rate=1e-2), own, None, tmp_path, say=quiet
    )
    run.go()
    network = run.reader()
    engine = TorchEngine(network)
    where = torch.from_numpy(own.image_table(run.learnable, len(own)))
    pictures, _ = own.unpack_images(where, run.buckets[-1])
    images = [
        picture[0, :height, :width].numpy()
        for picture, (height, width) in zip(pictures, own.sizes, strict=True)
    ]
    expected = decode_by_stack(engine, images, coverage="all")
    for found in (decode_stacks(engine, images), read_dataset(network, own)):
        assert [one.expression for one in found] == [one.expression for one in expected]


def test_batches_are_planned_by_steps(tmp_path: Path) -> None:
    own = corpus()
    run = TrainingRun(walking(epochs=1), own, None, tmp_path, say=quiet)
    assert max(run.captured.levels) == own.sample_sizes.steps.max() > own.sample_sizes.depths.max()
    for planned in run.plan(0):
        key = run.captured.shape(planned)
        assert key.slots == run.config.training.batch_size
        assert key.levels in run.captured.levels
        assert key.levels >= own.sample_sizes.steps[planned.samples].max()


def test_a_reversed_decoder_is_refused(tmp_path: Path) -> None:
    both = dataclasses.replace(config(), network=dataclasses.replace(WALKING, reversed=True))
    with pytest.raises(SanError, match=r"network\.reversed: .* must be false"):
        TrainingRun(both, corpus(), None, tmp_path, say=quiet)


@pytest.mark.slow
def test_ink_made_on_the_fly_has_room_for_its_steps(tmp_path: Path) -> None:
    steps = [np.ones(2, np.int64), np.ones(3, np.int64)]
    packed = SampleSizes.of(np.array([[47, 40], [47, 112]]), steps)
    opened = Alphabet(longest=4).open  # of up to five steps, of which the corpus has three
    with closing(SampleStream(opened, VOCABULARY, packed, "cpu", 3, 24, 1, "san-gs")) as stream:
        run = TrainingRun(walking(epochs=2), stream, None, tmp_path, say=quiet)
        assert max(run.captured.levels) == 3
        assert stream.capacity.by_step
        assert stream.remade["remade_too_deep"] > 0
        run.go()
        assert stream.sample_sizes.steps.max() == 3
        assert run.progress.samples == 48
