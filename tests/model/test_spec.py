"""Torch, ONNX and the shipped files have exactly the specification's tensors."""

import dataclasses
import json
from pathlib import Path

import pytest
from safetensors import safe_open

from san.decoding.engine import Floats
from san.errors import SanError
from san.grammar.vocabulary import Vocabulary
from san.model.onnx.encoder import encoder_graph
from san.model.onnx.step import step_graph
from san.model.onnx.weights import Weights
from san.model.spec import (
    ADDED_OPTIONS,
    FORMAT,
    NetworkConfig,
    count_parameters,
    is_float32,
    read_metadata,
    tensor_shapes,
)
from san.models import NETWORK, shipped_models

VOCABULARY = Vocabulary(("+", "1", "x"))
SMALL = NetworkConfig(
    stem=6, growth=5, layers=2, hidden=9, embedding=7, attention=11, coverage_kernel=5, merge=8
)
CONFIGS = [
    SMALL,
    dataclasses.replace(SMALL, fine_attention=10),
    dataclasses.replace(SMALL, context=64),
    dataclasses.replace(SMALL, head_hidden=13),
    dataclasses.replace(SMALL, fine_attention=10, head_hidden=13),
    dataclasses.replace(SMALL, kind="san-gs", head_hidden=13),
    dataclasses.replace(SMALL, kind="san-gs"),
    dataclasses.replace(SMALL, kind="dwap"),
    dataclasses.replace(SMALL, kind="dwap-td"),
    dataclasses.replace(SMALL, kind="bttr", hidden=16, heads=4, feedforward=10),
    dataclasses.replace(
        SMALL,
        encoder="residual",
        residual_channels=(8, 12, 16),
        residual_blocks=(1, 2, 3),
        fine_attention=10,
    ),
    NetworkConfig(encoder="residual", fine_attention=128, context=192),
    NetworkConfig(fine_attention=128, context=192),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_the_torch_network_has_these_tensors(config: NetworkConfig) -> None:
    pytest.importorskip("torch")
    from san.model.torch.kinds import build_network

    network = build_network(config, VOCABULARY)
    shapes = {name: tuple(tensor.shape) for name, tensor in network.state_dict().items()}
    reading = {name: s for name, s in shapes.items() if not name.startswith("reversed.")}
    assert reading == tensor_shapes(config, VOCABULARY)


@pytest.mark.parametrize("path", shipped_models().values(), ids=lambda path: path.stem)
def test_shipped_files_have_these_tensors_in_these_precisions(path: Path) -> None:
    with safe_open(path, "np") as file:
        config, vocabulary = read_metadata(file.metadata(), path.name)
        names = list(file.keys())
        shapes = {name: tuple(file.get_slice(name).get_shape()) for name in names}
        kinds = {name: file.get_slice(name).get_dtype() for name in names}
    assert shapes == tensor_shapes(config, vocabulary)
    assert kinds == {name: "F32" if is_float32(name) else "F16" for name in names}


class _Recorded(Weights):
    """Weights that write down what is asked for."""

    asked: list[str]

    def tensor(self, name: str) -> Floats:
        self.asked.append(name)
        return super().tensor(name)


@pytest.mark.parametrize("path", shipped_models().values(), ids=lambda path: path.stem)
def test_the_onnx_graphs_ask_for_each_of_these_tensors_once(path: Path) -> None:
    _check_asked(path)


@pytest.mark.parametrize("head_hidden", [0, 13])
def test_so_do_those_of_a_residual_network(head_hidden: int, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from tests.model.onnx.small import write

    path = tmp_path / "small.safetensors"
    _check_asked(write(path, 1, encoder="residual", head_hidden=head_hidden))


def _check_asked(path: Path) -> None:
    weights = _Recorded(path)
    weights.asked = []
    encoder_graph(weights)
    step_graph(weights)
    assert sorted(weights.asked) == sorted(tensor_shapes(weights.config, weights.vocabulary))


def test_the_paper_s_channels() -> None:
    config = NetworkConfig()
    assert (config.features, config.fine) == (684, 300)


def test_the_residual_encoder_s_channels() -> None:
    config = NetworkConfig(encoder="residual")
    assert (config.features, config.fine) == (256, 128)


def test_a_file_that_lacks_later_options_has_their_defaults() -> None:
    sizes = dataclasses.asdict(SMALL)
    older = {name: size for name, size in sizes.items() if name not in ADDED_OPTIONS}
    assert len(older) + len(ADDED_OPTIONS) == len(sizes)
    facts = {"format": FORMAT, "vocabulary": VOCABULARY.to_json()}
    config, _ = read_metadata({**facts, "network": json.dumps(older)}, "older")
    assert config == SMALL
    assert (config.encoder, config.head_hidden) == ("densenet", 0)
    del older["growth"]
    with pytest.raises(SanError, match=r"network\.growth is missing"):
        read_metadata({**facts, "network": json.dumps(older)}, "older")


@pytest.mark.parametrize(("coverage", "kind"), [("path", "san"), ("all", "san-gs")])
def test_older_files_call_the_kind_coverage(coverage: str, kind: str) -> None:
    sizes = {k: v for k, v in dataclasses.asdict(SMALL).items() if k != "kind"}
    facts = {"format": FORMAT, "vocabulary": VOCABULARY.to_json()}
    older = json.dumps(sizes | {"coverage": coverage})
    assert read_metadata({**facts, "network": older}, "older")[0].kind == kind


def test_the_card_says_how_many_numbers_are_trained() -> None:
    shipped = Weights(NETWORK)
    count = count_parameters(shipped.config, shipped.vocabulary)
    assert f"{count / 1e6:.1f} million parameters" in NETWORK.with_suffix(".md").read_text("utf-8")
