"""A run on a handful of drawn images: it learns, stops, resumes and refuses nonsense."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.errors import SanError
from san.grammar import parse
from san.model.spec import NetworkConfig
from san.model.torch.weights import load_weights, read_facts
from san.training import loop
from san.training.config import Config, DataConfig, TrainingConfig
from san.training.dataset import ArraySource, PackedDataset
from san.training.loop import TrainingRun
from san.training.validate import read_dataset, score_steps
from tests.model.encoders import EncoderName, with_encoder

SMALL = NetworkConfig(
    stem=8, growth=4, layers=2, hidden=16, embedding=16, attention=16, coverage_kernel=5, merge=12,
    dropout=0.0, head_dropout=0.0,
)  # fmt: skip


def corpus(count: int = 10) -> PackedDataset:
    rng = np.random.default_rng(0)
    labels = (r"x + 1", r"x ^ { 2 }", r"\frac { 1 } { x }", r"x", r"1 + x")
    images: list[NDArray[np.uint8]] = []
    for index in range(count):
        size = (20 + 7 * (index % 3), 30 + 11 * (index % 4))
        images.append((rng.random(size) < 0.2).astype(np.uint8) * np.uint8(255))
    return PackedDataset(ArraySource(images, [parse(labels[i % 5]) for i in range(count)]), "cpu")


def config(**changes: object) -> Config:
    torch.set_num_threads(1)
    own: dict[str, Any] = {
        "batch_size": 4,
        "precision": "fp32",
        "validate_every": 100,
        "save_every": 100,
    }
    training = TrainingConfig(**(own | changes))
    return Config("test", SMALL, DataConfig(buckets=3, depth_buckets=3), training)


def quiet(_: str) -> None:
    pass


def test_bits_come_back_as_pixels() -> None:
    own = corpus(4)
    from san.training.batching import Bucket

    where = torch.from_numpy(own.image_table(np.array([2, 0]), 3))
    images, mask = own.unpack_images(where, Bucket(48, 80))
    for row, place in enumerate((2, 0)):
        height, width = own.sizes[place]
        again = np.random.default_rng(0)
        for index in range(place + 1):
            drawn = again.random((20 + 7 * (index % 3), 30 + 11 * (index % 4))) < 0.2
        np.testing.assert_array_equal(images[row, 0, :height, :width].numpy(), drawn)
        assert images[row].sum() == drawn.sum()
        assert mask[row].sum() == -(-height // 16) * -(-width // 16)
    assert not mask[2].any()


def test_every_sample_is_seen_once_an_epoch(tmp_path: Path) -> None:
    run = TrainingRun(config(epochs=1), corpus(), None, tmp_path, say=quiet)
    for epoch in (0, 1):
        places = np.concatenate([one.samples for one in run.plan(epoch)])
        assert sorted(places) == list(range(10))
    assert len(run.plan(0)) == run.schedule.steps_per_epoch


def epochs_that_are_warped(run: TrainingRun) -> list[bool]:
    """Of each epoch of a run, whether its samples are seen otherwise than they are."""
    step, seen = run.captured.step, dict[int, bool]()

    def watched(*given: Any) -> None:
        seen[run.progress.epoch] = given[-1]
        step(*given)

    run.captured.step = watched  # type: ignore[method-assign]
    run.go()
    return list(seen.values())


def test_a_packed_corpus_is_seen_otherwise_from_its_second_epoch_on(tmp_path: Path) -> None:
    run = TrainingRun(config(epochs=3), corpus(), None, tmp_path, say=quiet)
    assert epochs_that_are_warped(run) == [False, True, True]


def test_random_batches_are_planned_and_trained(tmp_path: Path) -> None:
    settings = config(epochs=1)
    settings = replace(settings, data=replace(settings.data, batches="random"))
    run = TrainingRun(settings, corpus(), None, tmp_path, say=quiet)
    plan = run.plan(0)
    assert len(plan) == run.schedule.steps_per_epoch == 3
    assert sorted(np.concatenate([one.samples for one in plan])) == list(range(10))
    mixed = [len(set(map(tuple, run.train.sizes[one.samples].tolist()))) for one in plan]
    assert max(mixed) > 2
    run.go()
    assert run.progress.samples == 10


@pytest.mark.parametrize(
    ("encoder", "optimiser", "rate"),
    [("densenet", "adadelta", 1.0), ("densenet", "adamw", 1e-2), ("residual", "adamw", 1e-2)],
)
@pytest.mark.slow
def test_the_loss_falls(tmp_path: Path, encoder: EncoderName, optimiser: str, rate: float) -> None:
    own = corpus()
    settings = config(epochs=12, optimiser=optimiser, learning_rate=rate)
    settings = replace(settings, network=with_encoder(SMALL, encoder))
    run = TrainingRun(settings, own, own, tmp_path, say=quiet)
    run.go()
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert len(lines) == 12
    assert lines[-1]["symbol"] < 0.8 * lines[0]["symbol"]
    assert {"exact", "steps", "blank", "cross_entropy"} <= lines[-1].keys()
    network = load_weights(tmp_path / "weights.safetensors")
    assert score_steps(network, own).right == pytest.approx(lines[-1]["steps"], abs=6.0)
    assert len(read_dataset(network, own)) == len(own)


@pytest.mark.parametrize("keep", [True, False])
def test_the_weights_of_the_best_validation_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: bool
) -> None:
    rates = iter((0.0, 30.0, 20.0))
    monkeypatch.setattr(loop, "all_scores", lambda *_: {"exact": next(rates)})
    settings = config(epochs=3, validate_every=1)
    settings = replace(
        settings,
        data=replace(settings.data, validation="given below"),
        training=replace(settings.training, keep_best=keep),
    )
    TrainingRun(settings, corpus(), corpus(), tmp_path, say=quiet).go()
    best, last = tmp_path / "best.safetensors", tmp_path / "weights.safetensors"
    assert best.exists() == keep
    if keep:
        facts = [json.loads(read_facts(file)["facts"]) for file in (best, last)]
        assert [(one["epochs"], one["validation_exact"]) for one in facts] == [(2, 30.0), (3, 20.0)]
        assert not facts[0]["finished"]


@pytest.mark.parametrize("optimiser", ["adadelta", "muon"])  # which has AdamW within it
@pytest.mark.slow
def test_an_interrupted_run_ends_as_an_uninterrupted_one(tmp_path: Path, optimiser: str) -> None:
    own = config(epochs=4, optimiser=optimiser, learning_rate=0.1)
    whole = TrainingRun(own, corpus(), None, tmp_path / "whole", say=quiet)
    whole.go()
    first = TrainingRun(own, corpus(), None, tmp_path / "cut", say=quiet)
    for one in first.plan(0):
        first.captured.step(
            one,
            first.progress.step,
            first.schedule.learning_rate(first.progress.step, 0),
            first.progress.step + 1,
        )
        first.progress.step += 1
    first.progress.epoch = 1
    for one in first.plan(1)[:1]:  # and one batch of the second
        first.captured.step(
            one,
            first.progress.step,
            first.schedule.learning_rate(first.progress.step, 0),
            first.progress.step + 1,
        )
        first.progress.step += 1
        first.progress.batch = 1
    first.save()
    state = tmp_path / "cut" / "state.safetensors"
    again = TrainingRun(own, corpus(), None, tmp_path / "cut", resume=state, say=quiet)
    again.go()
    assert again.progress.step == whole.progress.step
    torch.testing.assert_close(again.captured.flat.master, whole.captured.flat.master)
    torch.testing.assert_close(again.captured.optimiser.average, whole.captured.optimiser.average)


def dropping(**changes: object) -> Config:
    settings = config(optimiser="adamw", learning_rate=1e-2, **changes)
    return replace(settings, network=replace(SMALL, head_dropout=0.4))


@pytest.mark.slow
def test_validation_on_both_sides_of_a_stop_changes_nothing(tmp_path: Path) -> None:
    own = dropping(epochs=6, validate_every=2, save_every=3, norm_batches=1)
    whole = TrainingRun(own, corpus(), corpus(), tmp_path / "whole", say=quiet)
    whole.go()

    class StoppedError(Exception):
        pass

    def stop(run: TrainingRun) -> None:
        if run.progress.epoch == 4:
            raise StoppedError

    folder = tmp_path / "cut"
    with pytest.raises(StoppedError):
        TrainingRun(own, corpus(), corpus(), folder, say=quiet, watch=stop).go()
    state = folder / "state.safetensors"
    again = TrainingRun(own, corpus(), corpus(), folder, resume=state, say=quiet)
    assert again.progress.epoch == 3
    again.go()
    assert torch.equal(again.captured.flat.master, whole.captured.flat.master)


def test_a_finished_run_stays_as_it_is(tmp_path: Path) -> None:
    own, said = dropping(epochs=2, norm_batches=1), list[str]()
    TrainingRun(own, corpus(), corpus(), tmp_path, say=quiet).go()
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    state = tmp_path / "state.safetensors"
    TrainingRun(own, corpus(), corpus(), tmp_path, resume=state, say=said.append).go()
    assert said[-1].startswith("finished already")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_what_nobody_can_learn_has_no_cross_entropy(tmp_path: Path) -> None:
    images = [np.full((20, 30), 255, np.uint8)]
    strange = PackedDataset(ArraySource(images, [parse("\\omega")]), "cpu", corpus().vocabulary)
    run = TrainingRun(config(epochs=1, validate_every=1), corpus(), strange, tmp_path, say=quiet)
    run.go()
    assert run.line["exact"] == 0.0
    assert "cross_entropy" not in run.line


@pytest.mark.slow
def test_a_slice_stops_in_time(tmp_path: Path) -> None:
    run = TrainingRun(config(epochs=100000), corpus(), None, tmp_path, say=quiet)
    progress = run.go(minutes=0.02)
    assert 0 < progress.seconds < 10
    assert (tmp_path / "state.safetensors").exists()


def test_no_number_ends_the_run(tmp_path: Path) -> None:
    run = TrainingRun(config(epochs=3), corpus(), None, tmp_path, say=quiet)
    run.save()
    good = (tmp_path / "state.safetensors").read_bytes()
    run.captured.flat.master.fill_(float("nan"))
    with pytest.raises(SanError, match="no number"):
        run.go()
    assert (tmp_path / "state.safetensors").read_bytes() == good


def test_a_loss_that_explodes_ends_the_run(tmp_path: Path) -> None:
    run = TrainingRun(config(epochs=3), corpus(), None, tmp_path, say=quiet)
    run.lowest = 0.1  # as if it had been almost done
    with pytest.raises(SanError, match=r"grew from 0\.10 to"):
        run.go()


def test_another_network_s_state_is_refused(tmp_path: Path) -> None:
    run = TrainingRun(config(epochs=1), corpus(), None, tmp_path, say=quiet)
    run.save()
    import dataclasses

    other = dataclasses.replace(config(epochs=1), network=dataclasses.replace(SMALL, hidden=8))
    with pytest.raises(SanError, match="another network"):
        TrainingRun(
            other, corpus(), None, tmp_path, resume=tmp_path / "state.safetensors", say=quiet
        )


def test_an_epoch_without_a_batch_has_no_loss(tmp_path: Path) -> None:
    run = TrainingRun(config(epochs=3), corpus(), corpus(), tmp_path, say=quiet)
    run.go(minutes=1e-9)  # over before the first batch
    assert run.line["images"] == 0
    assert "exact" in run.line
    assert "symbol" not in run.line
    run.progress.batch = 99  # as of smaller batches, or of more samples, than are resumed with
    run.go()
    assert run.done == 1.0
    assert run.line["symbol"] > 0


def test_another_optimiser_s_state_is_refused(tmp_path: Path) -> None:
    """Its moments are no moments of this one: a step would be of any size."""
    run = TrainingRun(config(epochs=1, optimiser="adadelta"), corpus(), None, tmp_path, say=quiet)
    run.save()
    state = tmp_path / "state.safetensors"
    with pytest.raises(SanError, match=r"its run is adadelta's; training\.init_weights"):
        TrainingRun(
            config(epochs=1, optimiser="adamw"), corpus(), None, tmp_path, resume=state, say=quiet
        )


@pytest.mark.slow
def test_photographs_are_validated_on_beside_the_corpus(tmp_path: Path) -> None:
    own = config(epochs=1, validate_every=1)
    photos = {"val-photos": corpus(3), "photos-held": corpus(2)}
    run = TrainingRun(own, corpus(), corpus(5), tmp_path, say=quiet, validation_photos=photos)
    run.go()
    line = json.loads((tmp_path / "log.jsonl").read_text())
    assert {"exact", "exact_val-photos", "exact_photos-held"} <= line.keys()
    stages = json.loads(read_facts(tmp_path / "weights.safetensors")["facts"])["stages"]
    assert stages[0]["validation_exact_photos-held"] == line["exact_photos-held"]
    assert stages[0]["samples"] == 10


def test_label_smoothing_is_part_of_the_loss(tmp_path: Path) -> None:
    lost = []
    for part in (0.0, 0.4):
        own = config(epochs=1, learning_rate=0.0, label_smoothing=part)
        run = TrainingRun(own, corpus(4), None, tmp_path / str(part), say=quiet)
        run.go()
        lost.append(run.line["symbol"])
    assert lost[0] != pytest.approx(lost[1], abs=1e-3)
