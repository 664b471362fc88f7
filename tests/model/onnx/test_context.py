"""A network with a context transformer reads without torch as it reads with it."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load, save

torch = pytest.importorskip("torch")

from san.decoding import DecodingLimits, decode  # noqa: E402
from san.errors import SanError  # noqa: E402
from san.model.checksum import CHECKSUM  # noqa: E402
from san.model.onnx import OnnxEngine  # noqa: E402
from san.model.onnx.models import build_models, load_models, write_models  # noqa: E402
from san.model.torch.engine import TorchEngine  # noqa: E402
from san.model.torch.weights import load_weights  # noqa: E402
from tests.model.encoders import ENCODERS, EncoderName  # noqa: E402
from tests.model.onnx.small import facts as facts_of  # noqa: E402
from tests.model.onnx.small import pictures, write  # noqa: E402

LIMITS = DecodingLimits(depth=10)


@pytest.fixture(scope="module")
def images() -> list[NDArray[np.float32]]:
    return pictures()


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.slow
def test_numbers_and_trees_are_those_of_torch(
    seed: int, encoder: EncoderName, images: list[NDArray[np.float32]], tmp_path: Path
) -> None:
    path = write(tmp_path / "small.safetensors", seed, 0.3, context=64, encoder=encoder)
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
    content = write(tmp_path / "with.safetensors", 1, 0.3, context=64).read_bytes()
    arrays, facts = dict(load(content)), facts_of(content)
    del facts[CHECKSUM]  # the numbers are changed on purpose
    arrays["decoder.context.proj_out.weight"][:] = 0
    with_it = OnnxEngine(save(arrays, facts), threads=1)
    without = {name: a for name, a in arrays.items() if ".context." not in name}
    sizes = json.loads(facts["network"]) | {"context": 0}
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
    path = write(tmp_path / "small.safetensors", 3, 0.3, context=64)
    write_models(build_models(path), tmp_path / "onnx")
    again = OnnxEngine(load_models(tmp_path / "onnx"), 1)
    expected = [reading.expression for reading in decode(OnnxEngine(path, 1), images, LIMITS)]
    assert [reading.expression for reading in decode(again, images, LIMITS)] == expected


def test_what_does_not_fit_is_one_line(tmp_path: Path) -> None:
    content = write(tmp_path / "small.safetensors", 1, 0.3, context=64).read_bytes()
    facts = facts_of(content)
    for size, why in (
        (0, "has no place"),
        (32, "not 32 x"),
        (-1, "metadata cannot be read"),
        (48, "no multiple"),
    ):
        network = json.dumps({**json.loads(facts["network"]), "context": size})
        with pytest.raises(SanError, match=why):
            OnnxEngine(save(load(content), {**facts, "network": network}), threads=1)
