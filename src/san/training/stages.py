"""Trains the stages of a configuration one after the other, each in a folder of its own.

- A stage begins with the weights of the one before, or of that which its `init` names, and with a
  fresh optimiser: weights are a fifth of a state, and all that has to outlive a machine.
- One that is the mean of others is not trained: their weights in equal parts, with batch norms
  measured anew on fresh samples of its own configuration.
- A stage is finished when its weights say so. Finished ones are passed over, unless their values
  have changed since: then somebody has to decide. One that was interrupted goes on from its state.
"""

import dataclasses
import gc
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from san.errors import SanError
from san.model.torch.weights import save_weights
from san.training.average import fresh_images, mean_network
from san.training.config import Config, Stage
from san.training.distributed import launched, launched_first
from san.training.loop import TrainingRun
from san.training.norm_statistics import measure_norms
from san.training.run_files import (
    BEST,
    LOG,
    STATE,
    WEIGHTS,
    check_values,
    is_finished,
    keep_values,
    stage_facts,
)
from san.training.run_log import stage_record
from san.training.start import open_validation, start
from san.training.validate import all_scores

MEAN_OF = "mean_of"
"""What the weights of a mean say of themselves: the names of the stages."""


def train_stages(
    stages: Sequence[Stage],
    folder: Path,
    minutes: float = 0.0,
    device: str | None = None,
    say: Callable[[str], None] = print,
    watch: Callable[[TrainingRun], None] | None = None,
) -> bool:
    """Train those that are not finished, each in a folder by its name; True if all are then.

    `minutes` ends this slice in time; the next call goes on.
    """
    began, trained = time.monotonic(), False
    if launched() and len(stages) > 1:
        raise SanError("several processes train one stage at a time: name it (--stage)")
    for stage in stages:
        stage_folder = folder / stage.name
        check_values(stage_folder, stage.config)
        if is_finished(stage_folder):
            facts = stage_facts(stage_folder)
            made_of = facts.get(MEAN_OF, [])
            if made_of != list(stage.mean_of):
                raise SanError(f"{stage_folder}: made of {made_of}; move it away to make it anew")
            done = f"{facts.get('minutes', 0)} minutes, {facts.get('samples', 0):,} samples"
            say(f"{stage_folder}: finished, {done}")
            continue
        left = minutes - (time.monotonic() - began) / 60
        if minutes and trained and left <= 0:
            return False
        before = _weights_before(stage, folder)
        if stage.mean_of:
            if launched_first():
                names = ", ".join(stage.mean_of[:-1]) + f" and {stage.mean_of[-1]}"
                say(f"{stage_folder}: the mean of {names}; on a CPU its norms take minutes")
                _make_mean(stage.config, before, stage_folder, device)
            continue
        resume = (stage_folder / STATE).exists()
        config = stage.config
        if before:
            given = dataclasses.replace(config.training, init_weights=str(before[0]))
            config = dataclasses.replace(config, training=given)
        if launched_first():
            keep_values(stage_folder, stage.config)
            if not resume:
                for name in (WEIGHTS, BEST, LOG):  # of a slice whose state is lost
                    (stage_folder / name).unlink(missing_ok=True)
        start(config, stage_folder, max(left, 1e-9) if minutes else 0.0, resume, device, say, watch)
        trained = True
        if launched_first() and not is_finished(stage_folder):
            say(f"{stage_folder}: not finished; the same command goes on")
            return False
        gc.collect()  # its captured graphs, before the next stage captures its own
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
    return True


def _weights_before(stage: Stage, folder: Path) -> list[Path]:
    """The weights that a stage begins with, or is the mean of."""
    for name in stage.origins:
        if not is_finished(folder / name):
            raise SanError(
                f"{folder / name / WEIGHTS}: {stage.name} begins with the weights of {name}, "
                "which is not finished"
            )
    return [folder / name / WEIGHTS for name in stage.origins]


def _make_mean(config: Config, weights: Sequence[Path], folder: Path, device: str | None) -> None:
    """Write the mean of some weights into a folder, with its scores."""
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    network = mean_network(weights).to(device)
    measure_norms(network, fresh_images(config))
    validation, photos = open_validation(config, network.vocabulary, device)
    scores = all_scores(network, validation, photos) if validation else {}
    made = {**stage_record(config, scores), MEAN_OF: [path.parent.name for path in weights]}
    stages: list[object] = []  # of all of them, those that they have in common once
    for path in weights:
        stages += [one for one in stage_facts(path.parent).get("stages", []) if one not in stages]
    stages.append(made)
    keep_values(folder, config)
    save_weights(
        folder / WEIGHTS,
        network.state_dict(),
        network.config,
        network.vocabulary,
        {**made, "finished": True, "stages": stages},
    )
