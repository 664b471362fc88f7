"""Torch, ONNX and the shipped files have exactly the specification's tensors."""

import dataclasses
from pathlib import Path

import pytest
from safetensors import safe_open

from san.decoding.engine import Floats
from san.grammar.vocabulary import Vocabulary
from san.model.onnx.encoder import encoder_graph
from san.model.onnx.step import step_graph
from san.model.onnx.weights import Weights
from san.model.spec import NetworkConfig, is_float32, read_metadata, tensor_shapes
from san.models import shipped_models

VOCABULARY = Vocabulary(("+", "1", "x"))
SMALL = NetworkConfig(
    stem=6, growth=5, layers=2, hidden=9, embedding=7, attention=11, coverage_kernel=5, merge=8
)
CONFIGS = [
    SMALL,
    dataclasses.replace(SMALL, fine_attention=10),
    dataclasses.replace(SMALL, context=64),
    dataclasses.replace(SMALL, coverage="all"),
    NetworkConfig(fine_attention=128, context=192),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_the_torch_network_has_these_tensors(config: NetworkConfig) -> None:
    pytest.importorskip("torch")
    from san.model.torch import SAN

    network = SAN(config, VOCABULARY)
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
    weights = _Recorded(path)
    weights.asked = []
    encoder_graph(weights)
    step_graph(weights)
    assert sorted(weights.asked) == sorted(tensor_shapes(weights.config, weights.vocabulary))


def test_the_paper_s_channels() -> None:
    config = NetworkConfig()
    assert (config.features, config.fine) == (684, 300)
