"""Two processes train one network: they end alike, and share an epoch without rest."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from san.errors import SanError
from san.training.batching import PlannedBatch
from san.training.distributed import Ranks, launched
from san.training.start import start
from tests.training.drive import IMAGES, tiny
from tests.training.test_start import config, packed

ROOT = Path(__file__).parents[2]
EPOCHS = 24


def launch(folder: Path, world: int, *options: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    told = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": str(world)}
    own = [
        subprocess.Popen(
            [
                sys.executable, "-m", "tests.training.drive", str(folder), *options
            ],
            cwd=ROOT,
            env={
                **os.environ, **told, "RANK": str(rank), "LOCAL_RANK": str(rank),
                "OMP_NUM_THREADS": "1",
            },
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(world)
    ]  # fmt: skip
    try:
        for process in own:
            _, complaint = process.communicate(timeout=90)
            assert process.returncode == 0, complaint
    finally:
        for process in own:
            process.kill()


@pytest.mark.parametrize("optimiser", ["adadelta", "muon"])  # which has AdamW within it
@pytest.mark.slow
def test_two_ranks_end_alike_and_see_each_sample_once(
    tmp_path: Path, optimiser: Literal["adadelta", "muon"]
) -> None:
    alone = tiny(tmp_path / "alone", EPOCHS, optimiser=optimiser)
    assert len(alone.plan(0)) % 2, "the last step of an epoch has no batch for the second rank"
    folder = tmp_path / "two"
    launch(folder, 2, "--epochs", str(EPOCHS), "--optimiser", optimiser)
    first, second = (load_file(folder / f"rank{rank}.safetensors") for rank in (0, 1))
    for name in ("master", "average", "running", "running_ema", "step"):
        assert torch.equal(first[name], second[name]), name
    assert not torch.equal(first["master"], alone.captured.flat.master)
    assert first["step"] == EPOCHS * (len(alone.plan(0)) + 1) // 2
    seen = np.concatenate((first["seen"].numpy(), second["seen"].numpy()))
    for epoch in range(EPOCHS):
        assert sorted(seen[seen[:, 0] == epoch, 1]) == list(range(IMAGES))
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == list(range(1, EPOCHS + 1))  # one rank writes
    assert lines[-1]["symbol"] < 0.8 * lines[0]["symbol"]


@pytest.mark.slow
def test_two_ranks_with_the_batches_of_one_end_with_its_weights(tmp_path: Path) -> None:
    """Gradients, statistics and the schedule are those of one process: only rounding differs."""
    alone = tiny(tmp_path / "alone", 6, optimiser="adamw", dropout=0.0)
    before = alone.captured.flat.master.clone()
    alone.go()
    folder = tmp_path / "two"
    launch(folder, 2, "--epochs", "6", "--optimiser", "adamw", "--same")
    two = load_file(folder / "rank0.safetensors")
    captured = alone.captured
    assert two["step"] == alone.progress.step
    learnt = (captured.flat.master - before).norm()
    assert (two["master"] - captured.flat.master).norm() < 1e-3 * learnt
    torch.testing.assert_close(two["average"], captured.optimiser.average, rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(two["running"], captured.running, rtol=1e-3, atol=1e-4)


def test_ranks_weigh_by_their_steps(tmp_path: Path) -> None:
    """Shares are those of one large batch; a rank without a batch has none."""
    asked: list[list[tuple[PlannedBatch | None, float]]] = []
    for rank in (0, 1):
        run = tiny(tmp_path, 1, ranks=Ranks(rank, 2))
        mine: list[tuple[PlannedBatch | None, float]] = []
        run.captured.step = lambda planned, *rest, mine=mine: mine.append((planned, rest[3]))  # type: ignore
        plan = run.plan(0)
        while run.progress.batch < len(plan):
            run._step(plan[run.progress.batch : run.progress.batch + 2], 0.0)
        asked.append(mine)
    pairs = list(zip(*asked, strict=True))
    assert len(pairs) == run.schedule.steps_per_epoch
    for (one, share), (other, rest) in pairs:
        assert one is not None
        assert share + rest == pytest.approx(1.0)
        if other is None:
            assert rest == 0.0
        else:
            assert share / rest == pytest.approx(run._weight(one) / run._weight(other))


def test_other_ranks_go_on_with_a_run(tmp_path: Path) -> None:
    """What was left by one process can be gone on with by two: the epoch's rest is theirs."""
    run = tiny(tmp_path, 2)
    for _ in range(2):
        run._step(run.plan(0)[run.progress.batch :][:1], 0.0)
    run.save()
    again = tiny(tmp_path, 2, resume=True, ranks=Ranks(0, 2))
    left = len(again.plan(0)) - 2
    assert again.progress.batch == 2
    assert again.progress.step == again.schedule.steps_per_epoch - (left + 1) // 2


def test_half_an_environment_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else every process would think itself the first, and all write the same files."""
    state = type("State", (), {"num_processes": 1})
    monkeypatch.setattr("accelerate.PartialState", lambda **_: state)
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert launched()
    with pytest.raises(SanError, match="LOCAL_RANK"):
        start(config(packed(tmp_path)), tmp_path / "run", device="cpu")
