"""Parts of a network that stay as they are."""

import dataclasses
from pathlib import Path

import pytest
import torch

from san.errors import SanError
from san.model.torch.kinds import build_network
from san.model.torch.weights import init_from, load_weights
from san.models import find_model
from san.training.config import Config, DataConfig, TrainingConfig, load_stages
from san.training.frozen import freeze
from san.training.loop import TrainingRun
from tests.conftest import REPOSITORY
from tests.training.test_loop import SMALL, corpus, quiet

FROZEN = ("encoder.stem", "encoder.stem_norm", "encoder.blocks.0")


def run(folder: Path, frozen: tuple[str, ...]) -> TrainingRun:
    training = TrainingConfig(
        epochs=1, batch_size=4, precision="fp32", optimiser="adamw", learning_rate=0.01,
        weight_decay=0.1, warmup_epochs=0.0, ema=0.0, frozen=frozen,
    )  # fmt: skip
    network = dataclasses.replace(SMALL, dropout=0.1)
    config = Config("tiny", network, DataConfig(buckets=2, depth_buckets=2), training)
    return TrainingRun(config, corpus(8), None, folder, say=quiet)


@pytest.mark.slow
def test_they_do_not_change_and_the_others_do(tmp_path: Path) -> None:
    training = run(tmp_path, FROZEN)
    # As it is saved: half precision.
    before = {
        name: tensor.detach().half().float()
        for name, tensor in training.captured.network.state_dict().items()
    }
    training.go()
    changed = {
        name
        for name, tensor in load_weights(tmp_path / "weights.safetensors").state_dict().items()
        if not torch.equal(tensor.half().float(), before[name])
    }
    assert changed
    assert not [name for name in changed if name.startswith(FROZEN)]
    assert "encoder.blocks.1.0.conv1.weight" in changed


def test_a_part_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SanError, match=r"training.frozen: the network has no 'encoder.blocks.9'"):
        run(tmp_path, ("encoder.blocks.9",))


def test_the_shipped_network_can_be_tuned() -> None:
    """configs/own-hand.toml has the sizes of its weights, and freezes parts that they have."""
    (stage,) = load_stages(REPOSITORY / "configs" / "own-hand.toml")
    weights = find_model(Path(stage.config.training.init_weights))
    network = build_network(stage.config.network, load_weights(weights).vocabulary)
    assert ", 0 are new, 0 dropped" in init_from(network, weights)
    network.train()
    frozen = freeze(network, stage.config.training.frozen)
    trained = {name for name, _ in network.named_parameters()} - frozen
    assert any(name.startswith("encoder.stages.2.") for name in trained)
    assert not any(name.startswith(("encoder.stages.0.", "encoder.stages.1.")) for name in trained)
