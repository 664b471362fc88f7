"""Trains a tiny network in a process of its own: `python -m tests.training.drive FOLDER ...`.

Tests start it as one of several ranks, or to kill it. Each rank leaves behind what it ended with.
"""

import argparse
import dataclasses
import time
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from safetensors.torch import save_file

from san.training.batching import PlannedBatch
from san.training.config import Config, DataConfig, TrainingConfig
from san.training.distributed import ALONE, Ranks, join_ranks, launched
from san.training.loop import TrainingRun
from san.training.optimiser import Schedule
from tests.training.test_loop import SMALL, corpus, quiet

IMAGES = 10


def tiny(
    folder: Path,
    epochs: int,
    resume: bool = False,
    ranks: Ranks = ALONE,
    optimiser: Literal["adadelta", "adamw", "muon"] = "adadelta",
    dropout: float = 0.1,
) -> TrainingRun:
    """Dropout is on, so that random states count; every step but the first begins with saving."""
    torch.set_num_threads(1)
    network = dataclasses.replace(SMALL, dropout=dropout, state_dropout=dropout)
    training = TrainingConfig(
        epochs=epochs, batch_size=4, precision="fp32",
        validate_every=100, save_every=100, save_minutes=1e-9,
        optimiser=optimiser, learning_rate=1.0 if optimiser == "adadelta" else 0.01,
    )  # fmt: skip
    config = Config("tiny", network, DataConfig(buckets=3, depth_buckets=3), training)
    state = folder / "state.safetensors" if resume else None
    return TrainingRun(config, corpus(IMAGES), None, folder, resume=state, say=quiet, ranks=ranks)


def share_batches(run: TrainingRun) -> None:
    """Two ranks are given the same batch in each step, as many steps as one alone makes."""
    plan = run.plan
    run.plan = lambda epoch: [batch for batch in plan(epoch) for _ in (0, 1)]  # type: ignore[method-assign]
    run.schedule = Schedule(run.config.training, len(plan(0)))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--optimiser", default="adadelta")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--same", action="store_true", help="both ranks, and without dropout")
    parser.add_argument("--hang", type=int, default=-1, help="after so many steps wait for the end")
    asked = parser.parse_args()
    ranks = join_ranks(cpu=True) if launched() else ALONE
    dropout = 0.0 if asked.same else 0.1
    run = tiny(asked.folder, asked.epochs, asked.resume, ranks, asked.optimiser, dropout)
    if asked.same:
        share_batches(run)
    seen: list[np.ndarray] = []  # epoch, place
    step = run.captured.step

    def noted(planned: PlannedBatch | None, *rest: float) -> None:
        if run.progress.step == asked.hang:
            (asked.folder / "hangs").touch()
            time.sleep(600)
        if planned is not None:
            epochs = np.full(len(planned.samples), run.progress.epoch)
            seen.append(np.stack((epochs, planned.samples), 1))
        step(planned, *rest)  # type: ignore[arg-type]

    run.captured.step = noted  # type: ignore[assignment]
    run.go()
    captured = run.captured
    left = {
        "master": captured.flat.master,
        "average": captured.optimiser.average,
        "running": captured.running,
        "running_ema": captured.running_ema,
        "seen": torch.from_numpy(np.concatenate(seen)),
        "step": torch.tensor(run.progress.step),
    }
    save_file(left, asked.folder / f"rank{ranks.rank}.safetensors")
    ranks.leave()


if __name__ == "__main__":
    main()
