"""A run's state on disk: all that `resume` needs, in safetensors, written whole or not at all.

Weights, the optimiser's moments, averages and running statistics are float32 vectors; where the run
stood and its random states are JSON in the metadata. Nothing is pickled.
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
from san.training.captured import Program
from san.training.config import Config, read_config

FORMAT = "san-state-1"


@dataclass
class Progress:
    """Where a run stands. An interrupted epoch is gone on with where it was left."""

    step: int = 0
    epoch: int = 0
    batch: int = 0  # of this epoch, how many batches are done, by all ranks together
    seconds: float = 0.0  # trained so far, over all slices
    mixed: float = 0.0  # the part of the run for which this epoch's samples were made
    best: float = 0.0  # ExpRate on the validation corpus
    scores: dict[str, float] = field(default_factory=dict)  # of the last validation


def save_state(path: Path, program: Program, progress: Progress, config: Config) -> None:
    tensors = {
        "master": program.flat.master,
        "moment.0": program.optimiser.moments[0],
        "moment.1": program.optimiser.moments[1],
        "average": program.optimiser.average,
        "running": program.running,
        "running_average": program.running_average,
        "random": torch.get_rng_state(),
    }
    if program.device.type == "cuda":
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    metadata = {
        "format": FORMAT,
        "progress": json.dumps(dataclasses.asdict(progress)),
        "config": json.dumps(dataclasses.asdict(config)),
        "vocabulary": program.corpus.vocabulary.to_json(),
        "names": json.dumps(program.flat.names),
    }
    save_whole(path, tensors, metadata)


def load_state(path: Path, program: Program, config: Config) -> Progress:
    """Put a saved state into a program of the same network and vocabulary."""
    try:
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise SanError(f"{path}: no state can be read from it ({error})") from None
    if metadata.get("format") != FORMAT:
        raise SanError(f"{path}: this is no state of a training run")
    if Vocabulary.from_json(metadata["vocabulary"]) != program.corpus.vocabulary:
        raise SanError(f"{path}: its run was trained on other symbols")
    begun = read_config(json.loads(metadata["config"]))
    if begun.network != config.network:
        raise SanError(f"{path}: its run trains another network")
    if begun.training.optimiser != config.training.optimiser:  # moments mean something else
        raise SanError(
            f"{path}: its run is {begun.training.optimiser}'s; "
            "training.init_weights takes its weights"
        )
    if json.loads(metadata["names"]) != program.flat.names:
        raise SanError(f"{path}: its weights are named otherwise")
    program.flat.master.copy_(tensors["master"])
    program.flat.refresh()
    for moment, name in zip(program.optimiser.moments, ("moment.0", "moment.1"), strict=True):
        moment.copy_(tensors[name])
    program.optimiser.average.copy_(tensors["average"])
    program.running.copy_(tensors["running"])
    program.running_average.copy_(tensors["running_average"])
    torch.set_rng_state(tensors["random"])
    if program.device.type == "cuda" and "random.cuda" in tensors:
        torch.cuda.set_rng_state(tensors["random.cuda"])
    return Progress(**json.loads(metadata["progress"]))


def epoch_rng(seed: int, epoch: int) -> np.random.Generator:
    """The random order of an epoch: the same whenever it is asked for."""
    return np.random.default_rng((seed, epoch))
