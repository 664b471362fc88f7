"""Killed at any moment, a run goes on from what was saved last and ends as if nothing had been."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from safetensors import safe_open

from san.errors import SanError
from san.model.torch.weights import load_weights
from san.training.run_log import drop_lines_after
from tests.training.drive import tiny
from tests.training.test_distributed import ROOT

EPOCHS = 4


@pytest.mark.slow
def test_killed_in_mid_epoch(tmp_path: Path) -> None:
    whole = tiny(tmp_path / "whole", EPOCHS)
    whole.go()
    batches = len(whole.plan(0))
    folder = tmp_path / "cut"
    hang = batches + 2  # two batches into the second epoch
    own = subprocess.Popen(
        [sys.executable, "-m", "tests.training.drive", str(folder), "--hang", str(hang)], cwd=ROOT
    )
    try:
        until = time.monotonic() + 60
        while not (folder / "hangs").exists():
            assert own.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < until
            time.sleep(0.05)
    finally:
        os.kill(own.pid, signal.SIGKILL)
        own.wait()
    state = folder / "state.safetensors"
    with safe_open(state, "pt") as file:
        progress = json.loads(file.metadata()["progress"])
    assert (progress["epoch"], progress["batch"]) == (1, 2)
    # As if it had been killed while it wrote: files, and a line of the log.
    for name in ("state.safetensors", "weights.safetensors"):
        (folder / f"{name}.partial").write_bytes(state.read_bytes()[:1000])
    with (folder / "log.jsonl").open("a") as log:
        log.write(json.dumps({"epoch": 2, "step": hang + 3}) + '\n{"epoch": 2, "st')
    again = tiny(folder, EPOCHS, resume=True)
    again.go()
    assert again.progress.step == whole.progress.step
    torch.testing.assert_close(again.captured.flat.master, whole.captured.flat.master)
    torch.testing.assert_close(again.captured.optimiser.average, whole.captured.optimiser.average)
    torch.testing.assert_close(again.captured.running, whole.captured.running)
    texts = [(tmp_path / name / "log.jsonl").read_text() for name in ("whole", "cut")]
    lines, others = ([json.loads(line) for line in text.splitlines()] for text in texts)
    assert [line["step"] for line in lines] == [line["step"] for line in others]
    assert lines[-1]["symbol"] == pytest.approx(others[-1]["symbol"], abs=1e-3)
    load_weights(folder / "weights.safetensors")
    assert not list(folder.glob("*.partial"))


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tiny(tmp_path, 1)
    run.save()
    names = ("state.safetensors", "weights.safetensors")
    good = [(tmp_path / name).read_bytes() for name in names]

    def full(_: int) -> None:
        raise OSError("no space left")

    run.captured.flat.master.add_(1.0)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SanError, match="cannot be written"):
        run.save()
    assert [(tmp_path / name).read_bytes() for name in names] == good
    monkeypatch.undo()
    run.save()
    assert (tmp_path / names[0]).read_bytes() != good[0]


def test_nothing_bad_is_saved_in_mid_epoch(tmp_path: Path) -> None:
    run = tiny(tmp_path, 3)
    run.save()
    good = (tmp_path / "state.safetensors").read_bytes()
    run.captured.losses[0] = float("nan")
    with pytest.raises(SanError, match="no number"):
        run.go()
    assert run.progress.step == 0  # long before the epoch's end
    assert (tmp_path / "state.safetensors").read_bytes() == good


def test_a_log_forgets_what_will_be_told_again(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    drop_lines_after(log, 3)  # there may be none
    log.write_text('{"epoch": 3}\n{"epoch": 6}\n{"ep')
    drop_lines_after(log, 3)
    assert log.read_text() == '{"epoch": 3}\n'
