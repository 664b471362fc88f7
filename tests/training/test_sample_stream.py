"""Epochs made by other processes: the same whoever makes them, trained on, gone on with."""

import dataclasses
import itertools
import json
import multiprocessing
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch

from san.errors import SanError
from san.training.batching import PlannedBatch
from san.training.config import Config
from san.training.dataset import SampleSizes
from san.training.loop import TrainingRun
from san.training.sample_stream import SampleStream
from san.training.warp import WarpConfig
from tests.training.makers import VOCABULARY, Alphabet
from tests.training.test_loop import SMALL, config, epochs_that_are_warped, quiet

PLAIN = SampleSizes.of(
    np.array([[47, 40], [47, 112]]), [np.ones(2, np.int64), np.ones(4, np.int64)]
)


@contextmanager
def stream(
    samples: int = 24, workers: int = 1, maker: Alphabet | None = None
) -> Iterator[SampleStream]:
    opened = (maker or Alphabet()).open
    with closing(SampleStream(opened, VOCABULARY, PLAIN, "cpu", 3, samples, workers)) as found:
        yield found


def taken(found: SampleStream, epoch: int, done: float = 0.0) -> list[np.ndarray]:
    found.request(epoch, done)
    found.load_epoch(epoch)
    assert found.requested_for(epoch) == done
    sample_sizes, size = found.sample_sizes, int(found.starts[-1])
    trees = [column for tree in found.levels for column in tree or ()]
    return [
        found.bits[:size].numpy().copy(),
        sample_sizes.sizes,
        sample_sizes.depths,
        found.starts,
        *trees,
    ]


@pytest.mark.slow
def test_it_does_not_matter_who_makes_an_epoch() -> None:
    with stream(150, 1) as one, stream(150, 3) as three:
        for found in (one, three):
            found.begin()
        for epoch in (0, 2, 1):  # nor in which order
            epochs = [taken(found, epoch) for found in (one, three)]
            for mine, other in zip(*epochs, strict=True):
                np.testing.assert_array_equal(mine, other)
        again = taken(one, 3)
        assert len(again[0]) != len(epochs[0][0]) or (again[0] != epochs[0][0]).any()


@pytest.mark.slow
def test_pictures_and_boxes_come_through() -> None:
    with stream(20) as found:
        found.begin()
        maker, rng = Alphabet(), np.random.default_rng((3, 0, 0))
        for place in range(20):
            expected = maker.make(rng, 0.0)
            height, width = expected.picture.shape
            assert tuple(found.sizes[place]) == (height, width)
            start = found.starts[place]
            rows = found.bits[start : start + height * -(-width // 8)].numpy().reshape(height, -1)
            drawn = np.unpackbits(rows, axis=1, count=width) > 0
            np.testing.assert_array_equal(drawn, expected.picture > 0)
            own = found.levels[place]
            assert own is not None
            for left, top, right, bottom in own.box[:-1].tolist():
                assert drawn[top:bottom, left:right].any()


def test_what_is_wanted_changes_with_the_run() -> None:
    with stream() as found:
        found.begin()
        assert found.sample_sizes.depths.max() > 2
        assert set(taken(found, 1, 1.0)[2]) == {2}  # the maker writes but an x at the end


def test_the_address_on_the_device_stays() -> None:
    with stream() as found:
        found.begin()
        where = found.bits.data_ptr()
        taken(found, 1)
        assert found.bits.data_ptr() == where


def test_samples_that_fail_are_made_again_and_told() -> None:
    with stream(maker=Alphabet(trouble="now and then")) as found:
        found.begin()
        assert len(found) == 24
        assert found.remade.total() > 0
        assert found.reason == "ValueError: a blot"


@pytest.mark.parametrize("maker", [Alphabet(trouble="unknown"), Alphabet(longest=9)])
@pytest.mark.slow
def test_nothing_comes_that_has_no_room(maker: Alphabet) -> None:
    with stream(maker=maker) as found:
        found.begin()
        assert found.remade.total() > 0
        assert found.sample_sizes.depths.max() <= 4
        assert found.sizes.max(0).tolist() <= [48, 160]


@pytest.mark.parametrize(
    ("trouble", "complaint"),
    [("opening", "the ink is dry"), ("always", r"50 samples in a row .*ValueError: a blot")],
)
def test_a_maker_that_cannot_is_one_line(trouble: str, complaint: str) -> None:
    with stream(maker=Alphabet(trouble=trouble)) as found, pytest.raises(SanError, match=complaint):
        found.begin()


def test_workers_leave_with_the_stream() -> None:
    before = set(multiprocessing.active_children())
    with stream(workers=2) as found:
        found.begin()
        mine = set(multiprocessing.active_children()) - before
        assert len(mine) == 2
    ended = time.monotonic() + 10
    while any(one.is_alive() for one in mine) and time.monotonic() < ended:
        time.sleep(0.01)
    assert not any(one.is_alive() for one in mine)


def streamed(repeats: float = 1.0, **changes: object) -> Config:
    own = config(
        batch_size=8,
        optimiser="adamw",
        learning_rate=1e-2,
        attention_loss=0.5,
        attention_loss_end=0.1,
        **changes,
    )
    synth = dataclasses.replace(own.synth, repeats=repeats)
    network = dataclasses.replace(SMALL, reversed=False)
    return dataclasses.replace(own, network=network, synth=synth)


@pytest.mark.parametrize(
    ("repeats", "made"), [(2.0, (0, 0, 1, 1)), (1.5, (0, 0, 1, 2)), (3.0, (0, 0, 0, 1))]
)
def test_samples_are_repeated_in_other_batches(
    tmp_path: Path, repeats: float, made: tuple[int, ...]
) -> None:
    seen: list[tuple[list[int], list[PlannedBatch]]] = []

    class Watched(TrainingRun):
        def plan(self, epoch: int) -> list[PlannedBatch]:
            seen.append((self.train.bits.tolist(), super().plan(epoch)))
            return seen[-1][1]

    with stream(24) as found:
        Watched(streamed(repeats=repeats, epochs=4), found, None, tmp_path, say=quiet).go()
    samples = [bits for bits, _ in seen]
    assert len(seen) == 4
    for one, other in itertools.combinations(range(4), 2):
        assert (samples[one] == samples[other]) == (made[one] == made[other])
    batches = [[batch.samples.tolist() for batch in plan] for _, plan in seen]
    assert all(one != other for one, other in itertools.combinations(batches, 2))


@pytest.mark.parametrize(
    ("repeats", "warped"), [(1.0, (0, 0, 0, 0)), (1.5, (0, 1, 0, 0)), (2.0, (0, 1, 0, 1))]
)
def test_samples_that_were_seen_before_are_seen_otherwise(
    tmp_path: Path, repeats: float, warped: tuple[int, ...]
) -> None:
    own = streamed(repeats=repeats, epochs=4)
    own = dataclasses.replace(
        own, training=dataclasses.replace(own.training, warp=WarpConfig(shrink=0.1))
    )
    with stream(24) as found:
        run = TrainingRun(own, found, None, tmp_path, say=quiet)
        assert tuple(epochs_that_are_warped(run)) == warped


@pytest.mark.slow
def test_streamed_training_lowers_the_loss(tmp_path: Path) -> None:
    with stream(48) as found:
        run = TrainingRun(streamed(epochs=10), found, None, tmp_path, say=quiet)
        run.go()
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines[-1]["symbol"] < 0.8 * lines[0]["symbol"]
    assert 0 < lines[-1]["attention"] < lines[0]["attention"]
    assert {"waited", "remade"} <= lines[-1].keys()


@pytest.mark.parametrize(
    ("steps", "repeats"), [(5, 1.0), (6, 1.0), (5, 2.0)]
)  # in mid-epoch, and between two
@pytest.mark.slow
def test_a_stream_is_gone_on_with(tmp_path: Path, steps: int, repeats: float) -> None:
    own = streamed(repeats, epochs=4)
    with stream(24) as found:
        whole = TrainingRun(own, found, None, tmp_path / "whole", say=quiet)
        whole.go()
    with stream(24) as found:
        first = TrainingRun(own, found, None, tmp_path / "cut", say=quiet)
        step, seen = first._step, list[float]()

        def until(together: list[PlannedBatch], seconds: float) -> None:
            if len(seen) == steps:
                raise KeyboardInterrupt
            seen.append(seconds)
            step(together, seconds)

        first._step = until  # type: ignore[method-assign]
        with pytest.raises(KeyboardInterrupt):
            first.go()
        assert first.progress.epoch == steps // 3
        first.save()
    with stream(24, 2) as found:
        state = tmp_path / "cut" / "state.safetensors"
        again = TrainingRun(own, found, None, tmp_path / "cut", resume=state, say=quiet)
        again.go()
    assert again.progress.step == whole.progress.step
    torch.testing.assert_close(again.captured.flat.master, whole.captured.flat.master)
