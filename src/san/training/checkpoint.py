"""A run's state on disk: all that `--resume` needs, in safetensors, written whole or not at all.

Weights, the optimiser's moments, averages and running statistics are float32 vectors; the progress
and the random states are JSON in the metadata. Nothing is pickled.
"""

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from san.errors import SanError
from san.grammar.vocabulary import Vocabulary
from san.model.spec import UNREADABLE, with_kind
from san.model.torch.weights import check_tensors, save_whole
from san.training.captured import CapturedStep
from san.training.config import Config, read_config

FORMAT = "san-state-2"


@dataclass
class Progress:
    """How far a run is. An interrupted epoch goes on with the next batch."""

    step: int = 0
    epoch: int = 0
    batch: int = 0  # of this epoch, how many batches are done, by all ranks together
    samples: int = 0  # trained on so far, by all ranks together
    seconds: float = 0.0  # trained so far, over all slices
    samples_for: float = 0.0  # the part of the run for which this epoch's samples were made
    best: float = -1.0  # highest ExpRate on the validation corpus; below 0: none yet
    scores: dict[str, float] = field(default_factory=dict)  # of the last validation


def save_checkpoint(path: Path, captured: CapturedStep, progress: Progress, config: Config) -> None:
    tensors = {**_targets(captured), "random": torch.get_rng_state()}
    if captured.device.type == "cuda":
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    metadata = {
        "format": FORMAT,
        "progress": json.dumps(dataclasses.asdict(progress)),
        "config": json.dumps(dataclasses.asdict(config)),
        "vocabulary": captured.dataset.vocabulary.to_json(),
        "names": json.dumps(captured.flat.names),
    }
    save_whole(path, tensors, metadata)


def load_checkpoint(path: Path, captured: CapturedStep, config: Config) -> Progress:
    """Load a saved state; network and vocabulary must be the same. Whatever is wrong with the file
    is found before anything is changed."""
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise SanError(f"{path}: no state can be read from it ({error})") from None
    if metadata.get("format") != FORMAT:
        raise SanError(f"{path}: this is no state of a training run")
    try:
        _check_run(path, metadata, captured, config)
        progress = _progress(json.loads(metadata["progress"]))
        targets = _targets(captured)
        _check_shapes(tensors, targets)
    except (*UNREADABLE, AttributeError) as error:
        why = " ".join(str(error).split())[:200]
        raise SanError(f"{path}: a damaged state ({type(error).__name__}: {why})") from None
    check_tensors(tensors, metadata, str(path))
    for name, target in targets.items():
        target.copy_(tensors[name])
    captured.flat.refresh()
    torch.set_rng_state(tensors["random"])
    if captured.device.type == "cuda" and "random.cuda" in tensors:
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return progress


def _targets(captured: CapturedStep) -> dict[str, Tensor]:
    """The tensors of a run, by their names in its state."""
    return {
        "master": captured.flat.master,
        "moment.0": captured.optimiser.moments[0],
        "moment.1": captured.optimiser.moments[1],
        "average": captured.optimiser.average,
        "running": captured.running,
        "running_ema": captured.running_ema,
    }


def _check_run(
    path: Path, metadata: Mapping[str, str], captured: CapturedStep, config: Config
) -> None:
    known = Vocabulary.from_json(metadata["vocabulary"])
    if known.symbols != captured.dataset.vocabulary.symbols:
        raise SanError(f"{path}: its run was trained on other symbols")
    try:
        table = json.loads(metadata["config"])
        saved = read_config(table | {"network": with_kind(table["network"])})
    except SanError as error:
        raise ValueError(str(error)) from None
    if saved.network != config.network:
        raise SanError(f"{path}: its run trains another network")
    if saved.training.optimiser != config.training.optimiser:  # moments mean something else
        raise SanError(
            f"{path}: its run is {saved.training.optimiser}'s; "
            "training.init_weights takes its weights"
        )
    if json.loads(metadata["names"]) != captured.flat.names:
        raise SanError(f"{path}: its weights are named otherwise")


def _check_shapes(tensors: Mapping[str, Tensor], targets: Mapping[str, Tensor]) -> None:
    for name, target in {**targets, "random": torch.get_rng_state()}.items():
        if tensors[name].shape != target.shape or tensors[name].dtype != target.dtype:
            raise ValueError(f"{name} does not fit")


def _progress(saved: Any) -> Progress:
    """ValueError or TypeError for what no run can have come to."""
    progress = Progress(**saved)
    for name in ("step", "epoch", "batch"):
        if type(getattr(progress, name)) is not int or getattr(progress, name) < 0:
            raise ValueError(f"{name} is no count")
    numbers = (progress.seconds, progress.samples_for, progress.best, *progress.scores.values())
    if not all(isinstance(number, int | float) and math.isfinite(number) for number in numbers):
        raise ValueError("what it has come to is not told in numbers")
    return progress


def epoch_rng(seed: int, epoch: int) -> np.random.Generator:
    """Random numbers for an epoch's order: the same for the same seed and epoch."""
    return np.random.default_rng((seed, epoch))
