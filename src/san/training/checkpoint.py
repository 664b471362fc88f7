"""A run's state on disk: all that `--resume` needs, in safetensors, written whole or not at all.

Weights, the optimiser's moments, averages and running statistics are float32 vectors; the progress
and the random states are JSON in the metadata. Nothing is pickled.
"""

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open

from san.errors import SanError
from san.grammar.vocabulary import Vocabulary
from san.model.torch.weights import save_whole
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
    best: float = 0.0  # ExpRate on the validation corpus
    scores: dict[str, float] = field(default_factory=dict)  # of the last validation


def save_checkpoint(path: Path, captured: CapturedStep, progress: Progress, config: Config) -> None:
    tensors = {
        "master": captured.flat.master,
        "moment.0": captured.optimiser.moments[0],
        "moment.1": captured.optimiser.moments[1],
        "average": captured.optimiser.average,
        "running": captured.running,
        "running_ema": captured.running_ema,
        "random": torch.get_rng_state(),
    }
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
    """Load a saved state; network and vocabulary must be the same."""
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise SanError(f"{path}: no state can be read from it ({error})") from None
    if metadata.get("format") != FORMAT:
        raise SanError(f"{path}: this is no state of a training run")
    if Vocabulary.from_json(metadata["vocabulary"]) != captured.dataset.vocabulary:
        raise SanError(f"{path}: its run was trained on other symbols")
    saved = read_config(json.loads(metadata["config"]))
    if saved.network != config.network:
        raise SanError(f"{path}: its run trains another network")
    if saved.training.optimiser != config.training.optimiser:  # moments mean something else
        raise SanError(
            f"{path}: its run is {saved.training.optimiser}'s; "
            "training.init_weights takes its weights"
        )
    if json.loads(metadata["names"]) != captured.flat.names:
        raise SanError(f"{path}: its weights are named otherwise")
    captured.flat.master.copy_(tensors["master"])
    captured.flat.refresh()
    for moment, name in zip(captured.optimiser.moments, ("moment.0", "moment.1"), strict=True):
        moment.copy_(tensors[name])
    captured.optimiser.average.copy_(tensors["average"])
    captured.running.copy_(tensors["running"])
    captured.running_ema.copy_(tensors["running_ema"])
    torch.set_rng_state(tensors["random"])
    if captured.device.type == "cuda" and "random.cuda" in tensors:
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return Progress(**json.loads(metadata["progress"]))


def epoch_rng(seed: int, epoch: int) -> np.random.Generator:
    """Random numbers for an epoch's order: the same for the same seed and epoch."""
    return np.random.default_rng((seed, epoch))
