"""A network with a survey reads without torch as it reads with it."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load, save

torch = pytest.importorskip("torch")

from san.decoding import Limits, decode  # noqa: E402
from san.errors import SanError  # noqa: E402
from san.grammar.vocabulary import Vocabulary  # noqa: E402
from san.nn import SAN, NetworkConfig, survey  # noqa: E402
from san.nn.engine import TorchEngine  # noqa: E402
from san.nn.weights import load_weights, save_weights  # noqa: E402
from san.runtime import OnnxEngine  # noqa: E402
from san.runtime import survey as ours  # noqa: E402
from san.runtime.models import build_models, load_models, write_models  # noqa: E402

LIMITS = Limits(depth=10)


@pytest.fixture(scope="module")
def images() -> list[NDArray[np.float32]]:
    random = np.random.default_rng(3)
    sizes = ((30, 50), (64, 90), (16, 16), (1, 100))
    return [(random.random(size) < 0.2).astype(np.float32) for size in sizes]


def write(path: Path, seed: int) -> Path:
    torch.manual_seed(seed)
    config = NetworkConfig(
        stem=6, growth=5, layers=2, hidden=9, embedding=7, attention=11, window=5, merge=8,
        survey=64, glance=10,
    )  # fmt: skip
    network = SAN(config, Vocabulary(("+", "1", "x", r"\frac", r"\sqrt", r"\sum")))
    for norm in (module for module in network.modules() if hasattr(module, "variance")):
        norm.variance.uniform_(0.5, 1.5)
        norm.mean.normal_()
    for parameter in network.decoder.parameters():
        parameter.data.normal_(0, 0.3)
    network.decoder.symbol.bias.data[0] += 3.0  # else noise never ends
    save_weights(path, network.state_dict(), network.config, network.vocabulary)
    return path


@pytest.mark.parametrize("seed", range(3))
def test_numbers_and_trees_are_those_of_torch(
    seed: int, images: list[NDArray[np.float32]], tmp_path: Path
) -> None:
    path = write(tmp_path / "small.safetensors", seed)
    mine, theirs = OnnxEngine(path, threads=1), TorchEngine(load_weights(path))
    for image in images:
        here, there = mine.encode([image]), theirs.encode([image])
        expected = there.content.features[0].numpy()
        np.testing.assert_allclose(here.content[0].features, expected, atol=2e-4)
        np.testing.assert_allclose(here.hidden, np.asarray(there.hidden), atol=1e-4)
    for one, other in zip(
        decode(mine, images, LIMITS), decode(theirs, images, LIMITS), strict=True
    ):
        assert one.expression == other.expression
        assert one.probability == pytest.approx(other.probability, abs=1e-3)


def test_one_that_is_nothing_changes_nothing(
    images: list[NDArray[np.float32]], tmp_path: Path
) -> None:
    content = write(tmp_path / "with.safetensors", 1).read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    arrays, facts = dict(load(content)), header["__metadata__"]
    arrays["decoder.survey.back.weight"][:] = 0
    with_it = OnnxEngine(save(arrays, facts), threads=1)
    without = {name: a for name, a in arrays.items() if ".survey." not in name}
    sizes = {k: v for k, v in json.loads(facts["network"]).items() if k != "survey"}  # as of old
    plain = OnnxEngine(save(without, {**facts, "network": json.dumps(sizes)}), threads=1)
    both = (engine.encode(images).content for engine in (with_it, plain))
    for one, two in zip(*both, strict=True):
        np.testing.assert_allclose(one.features, two.features, atol=1e-6)
    readings = (decode(engine, images, LIMITS) for engine in (with_it, plain))
    for mine, other in zip(*readings, strict=True):
        assert mine.expression == other.expression


def test_a_folder_of_models_has_it_in_its_graph(
    images: list[NDArray[np.float32]], tmp_path: Path
) -> None:
    path = write(tmp_path / "small.safetensors", 3)
    write_models(build_models(path), tmp_path / "onnx")
    again = OnnxEngine(load_models(tmp_path / "onnx"), 1)
    expected = [reading.expression for reading in decode(OnnxEngine(path, 1), images, LIMITS)]
    assert [reading.expression for reading in decode(again, images, LIMITS)] == expected


def test_what_does_not_fit_is_one_line(tmp_path: Path) -> None:
    content = write(tmp_path / "small.safetensors", 1).read_bytes()
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    facts = header["__metadata__"]
    for size, why in (
        (0, "has no place"),
        (32, "not 32 x"),
        (-1, "metadata cannot be read"),
        (48, "no multiple"),
    ):
        network = json.dumps({**json.loads(facts["network"]), "survey": size})
        with pytest.raises(SanError, match=why):
            OnnxEngine(save(load(content), {**facts, "network": network}), threads=1)


def test_both_twins_have_the_same_constants() -> None:
    for name in ("HEAD", "ROUNDS", "LONGEST"):
        assert getattr(survey, name) == getattr(ours, name)
