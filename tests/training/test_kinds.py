"""The other systems of the paper's tables in training: each learns ten formulas by heart."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from san.errors import SanError
from san.grammar import parse
from san.grammar.languages import Kind
from san.grammar.vocabulary import Vocabulary
from san.model.torch.kinds import build_network
from san.model.torch.weights import init_from, load_weights, save_weights
from san.training.config import Config, load_config
from san.training.dataset import ArraySource, PackedDataset
from san.training.loop import TrainingRun
from san.training.validate import exact_rate, validate
from tests.conftest import REPOSITORY
from tests.model.torch.test_kinds import OTHERS
from tests.training.test_loop import SMALL, config, quiet

LABELS = (
    "x + 1", "x ^ { 2 }", r"\frac { 1 } { x }", "x", "1 + x", r"\sqrt { x }", "x _ { 1 } + 1",
    r"\sum _ { x } ^ { 2 } 1", "2 x", r"\frac { x ^ { 2 } } { 1 + x }",
)  # fmt: skip


def ten(kind: Kind) -> PackedDataset:
    rng = np.random.default_rng(0)
    sizes = [(16, 24 + 8 * (index % 2)) for index in range(len(LABELS))]
    images = [(rng.random(size) < 0.2).astype(np.uint8) * np.uint8(255) for size in sizes]
    trees = [parse(label) for label in LABELS]
    return PackedDataset(ArraySource(images, trees), "cpu", kind=kind)


def settings(kind: Kind, **changes: object) -> Config:
    network = dataclasses.replace(
        SMALL, kind=kind, reversed=False, hidden=32, embedding=32, merge=32, heads=4,
        feedforward=64, transformer_layers=2, transformer_dropout=0.0,
    )  # fmt: skip
    return dataclasses.replace(config(**changes), network=network)


PARAMETERS = {
    "san": 5_276_329, "san-gs": 5_276_329, "dwap": 5_432_492, "bttr": 6_377_644,
    "dwap-td": 7_982_355,
}  # fmt: skip


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_systems_of_the_tables_have_their_sizes(name: str) -> None:
    plan = load_config(REPOSITORY / "configs" / "paper" / f"{name}.toml")
    assert plan.network.kind == name
    symbols = Vocabulary(tuple(chr(0x4E00 + place) for place in range(104)))  # as CROHME has
    network = build_network(plan.network, symbols)
    assert sum(parameter.numel() for parameter in network.parameters()) == PARAMETERS[name]


@pytest.mark.slow
@pytest.mark.parametrize("kind", OTHERS)
def test_it_learns_ten_formulas_by_heart(kind: Kind, tmp_path: Path) -> None:
    own = ten(kind)
    plan = settings(kind, epochs=70, batch_size=12, optimiser="adamw", learning_rate=1e-2, ema=0.9)
    TrainingRun(plan, own, own, tmp_path, say=quiet).go()
    network = load_weights(tmp_path / "weights.safetensors")
    assert network.config.kind == kind
    torch.set_num_threads(1)
    assert exact_rate(network, own) == 100.0
    scores = validate(network, own)
    assert scores.steps == 100.0 > scores.blank


@pytest.mark.parametrize("kind", OTHERS)
def test_boxes_and_a_second_decoder_are_refused(kind: Kind, tmp_path: Path) -> None:
    own = ten(kind)
    with pytest.raises(SanError, match=rf"attention_loss: .*{kind}.* must be 0"):
        TrainingRun(settings(kind, attention_loss=0.5), own, None, tmp_path, say=quiet)
    plan = settings(kind)
    both = dataclasses.replace(plan, network=dataclasses.replace(plan.network, reversed=True))
    with pytest.raises(SanError, match=rf"network\.reversed: .*{kind}.* must be false"):
        TrainingRun(both, own, None, tmp_path, say=quiet)


@pytest.mark.parametrize("kind", OTHERS)
def test_weights_begin_where_others_ended(kind: Kind, tmp_path: Path) -> None:
    """Symbols are found by name; weights of another kind are refused."""
    own, plan = ten(kind), settings(kind, epochs=1)
    path = tmp_path / "weights.safetensors"
    fewer = build_network(plan.network, Vocabulary(("+", "1", "x", "z")))
    save_weights(path, fewer.state_dict(), plan.network, fewer.vocabulary)
    network = build_network(plan.network, own.vocabulary)
    assert "3 symbols taken over, 4 are new, 1 dropped" in init_from(network, path)
    numbers = [each.vocabulary.number("x") for each in (network, fewer)]
    rows = [
        each.get_parameter("decoder.symbol_head.weight")[number]
        for each, number in zip((network, fewer), numbers, strict=True)
    ]
    torch.testing.assert_close(rows[0], rows[1], rtol=1e-3, atol=1e-3)
    san = build_network(dataclasses.replace(plan.network, kind="san"), own.vocabulary)
    with pytest.raises(SanError, match="another network"):
        init_from(san, path)
