"""A network with fine attention, and with an MLP before its heads, reads without torch as with it,
in eight bits nearly so."""

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
from san.model.onnx.encoder import encoder_graph  # noqa: E402
from san.model.onnx.models import build_models, load_models, write_models  # noqa: E402
from san.model.onnx.weights import Weights  # noqa: E402
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
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.slow
def test_trees_are_those_of_torch(
    seed: int, encoder: EncoderName, images: list[NDArray[np.float32]], tmp_path: Path
) -> None:
    path = write(tmp_path / "small.safetensors", seed, encoder=encoder)
    ours, theirs = OnnxEngine(path, threads=1), TorchEngine(load_weights(path))
    for mine, reference in zip(
        decode(ours, images, LIMITS), decode(theirs, images, LIMITS), strict=True
    ):
        assert mine.expression == reference.expression
        assert mine.probability == pytest.approx(reference.probability, abs=1e-3)


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize(("fine", "head_hidden"), [(10, 0), (10, 13), (0, 13)])
def test_numbers_are_those_of_torch(
    fine: int,
    head_hidden: int,
    encoder: EncoderName,
    images: list[NDArray[np.float32]],
    tmp_path: Path,
) -> None:
    """Several steps of one image, steps of others, and a path that is not empty any more."""
    path = tmp_path / "small.safetensors"
    write(path, 5, fine=fine, encoder=encoder, head_hidden=head_hidden)
    ours, theirs = OnnxEngine(path, threads=1), TorchEngine(load_weights(path))
    mine, reference = ours.encode(images), theirs.encode(images)
    image = np.array([1, 0, 1, 3, 1])
    hidden, past = np.asarray(reference.hidden)[image], np.asarray(reference.path)[image]
    for partner in ([0, 1, 2, 3, 4], [5, 4, 7, 2, 2]):
        numbers = np.array(partner)
        here = ours.step(mine, image, hidden, past, numbers)
        there = theirs.step(reference, image, hidden, past, numbers)
        for name, got, expected in zip(here._fields, here, there, strict=True):
            np.testing.assert_allclose(got, np.asarray(expected), atol=1e-4, err_msg=name)
        hidden, past = np.asarray(there.hidden), np.asarray(there.path)


@pytest.mark.parametrize(
    ("option", "head_hidden", "way", "parts"),
    [
        ("fine_attention", 0, "fine_attention.proj", {"fine_attention"}),
        ("head_hidden", 13, "head_out", {"head_in", "head_out"}),
    ],
)
def test_one_of_zeros_changes_nothing(
    option: str,
    head_hidden: int,
    way: str,
    parts: set[str],
    images: list[NDArray[np.float32]],
    tmp_path: Path,
) -> None:
    content = write(tmp_path / "with.safetensors", 1, head_hidden=head_hidden).read_bytes()
    arrays, facts = dict(load(content)), facts_of(content)
    del facts[CHECKSUM]  # the numbers are changed on purpose
    arrays[f"decoder.{way}.weight"][:] = 0
    with_it = OnnxEngine(save(arrays, facts), threads=1)
    without = {name: a for name, a in arrays.items() if name.split(".")[1] not in parts}
    sizes = json.loads(facts["network"]) | {option: 0}
    plain = OnnxEngine(save(without, {**facts, "network": json.dumps(sizes)}), threads=1)
    for mine, other in zip(
        decode(with_it, images, LIMITS), decode(plain, images, LIMITS), strict=True
    ):
        assert mine.expression == other.expression
        assert mine.probability == pytest.approx(other.probability, abs=1e-5)


def test_eight_bits_see_the_same(images: list[NDArray[np.float32]], tmp_path: Path) -> None:
    path = write(tmp_path / "small.safetensors", 2)
    norms = {n.rpartition(".")[0]: a for n, a in load(path.read_bytes()).items() if "norm" in n}
    exact = build_models(path)
    ends = {name: np.full(len(array), 4, np.float32) for name, array in norms.items()}
    fast = exact._replace(encoder=encoder_graph(Weights(path), ends))
    for one, other in zip(
        *(OnnxEngine(models, 1).encode(images).content for models in (exact, fast)), strict=True
    ):
        assert one.fine.keys() == other.fine.keys() == {"fine", "fine_keys"}
        for name, array in one.fine.items():
            gap = np.linalg.norm(array - other.fine[name])
            assert 0 < gap < 0.15 * np.linalg.norm(array), name
    assert len(decode(OnnxEngine(fast, 1), images, LIMITS)) == len(images)


def test_a_folder_of_models_knows_of_it(images: list[NDArray[np.float32]], tmp_path: Path) -> None:
    path = write(tmp_path / "small.safetensors", 3)
    write_models(build_models(path), tmp_path / "onnx")
    again = load_models(tmp_path / "onnx")
    assert again == build_models(path)._replace(folder=tmp_path / "onnx")
    assert again.fine_attention == 10
    expected = [reading.expression for reading in decode(OnnxEngine(path, 1), images, LIMITS)]
    got = [reading.expression for reading in decode(OnnxEngine(again, 1), images, LIMITS)]
    assert got == expected


@pytest.mark.parametrize(
    ("size", "why"),
    [(0, "has no place"), (12, "not 12 x"), (-1, "metadata cannot be read")],
)
def test_what_does_not_fit_is_one_line(size: int, why: str, tmp_path: Path) -> None:
    content = write(tmp_path / "small.safetensors", 0).read_bytes()
    facts = facts_of(content)
    sizes = {**json.loads(facts["network"]), "fine_attention": size}
    with pytest.raises(SanError, match=why) as caught:
        build_models(save(dict(load(content)), {**facts, "network": json.dumps(sizes)}))
    assert "\n" not in str(caught.value)
