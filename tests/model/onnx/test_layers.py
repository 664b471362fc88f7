"""Eight bits come to what single precision comes to, but for what eight bits cannot tell apart."""

from pathlib import Path
from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load

from san.decoding import decode
from san.errors import SanError
from san.ink import draw
from san.model.onnx.encoder import encoder_graph
from san.model.onnx.engine import OnnxEngine
from san.model.onnx.graph import Graph
from san.model.onnx.int8_ranges import Ranges, load_ranges
from san.model.onnx.int8_support import counts_exactly
from san.model.onnx.layers import Activation, Layers
from san.model.onnx.models import Models, build_models
from san.model.onnx.runtime import onnxruntime
from san.model.onnx.weights import Weights
from tests.conftest import REPOSITORY
from tests.ink.formulas import fraction, quadratic

MODELS = REPOSITORY / "src" / "san" / "models"
Floats = NDArray[np.float32]


@pytest.fixture(scope="module", params=["san", "san-densenet"])
def weights(request: pytest.FixtureRequest) -> Path:
    """Of both encoders."""
    return MODELS / f"{request.param}.safetensors"


@pytest.fixture(scope="module")
def ranges(weights: Path) -> Ranges:
    """Those beside the weights, or, while new weights have none yet, wide ones."""
    found = load_ranges(weights)
    if found:
        return found
    arrays = load(weights.read_bytes())
    norms = {
        name.rpartition(".")[0]: a for name, a in arrays.items() if name.endswith(".running_var")
    }
    return {name: np.full(len(array), 12, np.float32) for name, array in norms.items()}


@pytest.fixture(scope="module")
def engines(weights: Path, ranges: Ranges) -> tuple[OnnxEngine, OnnxEngine]:
    exact = build_models(weights)
    fast = exact._replace(encoder=encoder_graph(Weights(weights), ranges))
    return OnnxEngine(exact, 1), OnnxEngine(fast, 1)


@pytest.mark.slow
def test_both_read_our_own_hand(engines: tuple[OnnxEngine, OnnxEngine]) -> None:
    for sheet in (fraction(), quadratic()):
        picture = draw(sheet.ink).astype(np.float32) / 255
        exact, fast = (decode(engine, [picture])[0] for engine in engines)
        assert fast.expression == exact.expression
        assert fast.probability == pytest.approx(exact.probability, abs=0.1)


@pytest.mark.slow
def test_features_are_close(engines: tuple[OnnxEngine, OnnxEngine]) -> None:
    picture = draw(quadratic().ink).astype(np.float32) / 255
    exact, fast = (engine.encode([picture]).content[0].features for engine in engines)
    assert not np.array_equal(exact, fast)  # else it would not be the fast one
    assert np.linalg.norm(fast - exact) < 0.1 * np.linalg.norm(exact)


def test_ranges_that_do_not_fit_are_one_line(weights: Path, ranges: Ranges) -> None:
    layers = list(ranges.items())
    for layer, ends in (layers[0], layers[1], layers[-1]):
        others = {name: own for name, own in ranges.items() if name != layer}
        for given in (others, {**others, layer: ends[:-1]}):
            with pytest.raises(SanError, match=f"lack {len(ends)} of {layer}") as caught:
                encoder_graph(Weights(weights), given)
            assert "\n" not in str(caught.value)


def _norm(channels: int, shift: Floats) -> dict[str, Floats]:
    """A batch norm that adds `shift` and does nothing else."""
    facts = {"weight": np.ones(channels), "running_mean": np.zeros(channels)}
    parts = {**facts, "bias": shift, "running_var": np.full(channels, 1 - 1e-5)}
    return {f"a.{name}": np.asarray(part, np.float32) for name, part in parts.items()}


class _Tensors:
    """In the place of a weights file: one convolution and its norm."""

    def __init__(self, shift: Floats, kernel: Floats) -> None:
        self._tensors = {**_norm(len(shift), shift), "conv.weight": kernel}

    def tensor(self, name: str) -> Floats:
        return self._tensors[name]


def _weights(shift: Floats, kernel: Floats) -> Weights:
    return cast("Weights", _Tensors(shift, kernel))


def _run(graph: Graph, outputs: list[str], x: Floats) -> list[Floats]:
    ends = dict.fromkeys(outputs, (1, "channels", "rows", "columns"))
    model = graph.model({"x": ("float", (1, "in", "height", "width"))}, ends)
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    found: list[Floats] = session.run(outputs, {"x": x})
    return found


@pytest.mark.skipif(not counts_exactly(), reason="this processor's eight bits are not exact")
def test_a_layer_of_channels_that_differ_a_thousandfold() -> None:
    """Scales are each channel's own, in what comes in and in what goes out; odd sizes as well."""
    random = np.random.default_rng(5)
    sizes = np.array([0.01, 1, 30, 0.2, 5], np.float32)
    x = (random.random((1, 5, 9, 14), np.float32) * sizes[:, None, None]).astype(np.float32)
    kernel = random.normal(size=(3, 5, 3, 3)).astype(np.float32) / sizes[:, None, None]
    kernel *= np.array([100, 1, 0], np.float32)[:, None, None, None]  # the last only shifts
    shift = np.array([0.5, -0.5, 0.25], np.float32)

    graph = Graph()
    exact = Layers(graph, _weights(shift, kernel), None).conv(Activation("x"), "conv", "a")
    real = _run(graph, [exact.name], x)[0]
    ends = np.maximum(real.max(axis=(0, 2, 3)), 0.1)

    graph = Graph()
    layers = Layers(graph, _weights(shift, kernel), {"a": ends, "x": sizes})
    counts = layers.quantise(Activation("x"), "x", 5)
    seen = layers.conv(counts, "conv", "a")
    joined = layers.dequantise(layers.concatenate(seen, seen))
    halved = layers.dequantise(layers.pool(seen))
    assert counts.scales is not None
    assert joined.scales is None
    got, half = _run(graph, [joined.name, halved.name], x)
    for channel, end in enumerate(ends):
        for place in (channel, channel + 3):
            assert np.abs(got[0, place] - real[0, channel]).max() < 0.06 * end
        means = real[0, channel, :8].reshape(4, 2, 7, 2).mean(axis=(1, 3))
        assert np.abs(half[0, channel] - means).max() < 0.06 * end
    assert got.min() == 0  # what single precision cuts off at nought, counts do too


def test_what_is_larger_than_its_range_is_cut_off() -> None:
    graph = Graph()
    layers = Layers(
        graph,
        _weights(np.zeros(1, np.float32), np.ones((1, 1, 1, 1), np.float32)),
        {"x": np.array([2], np.float32)},
    )
    there = layers.dequantise(layers.quantise(Activation("x"), "x", 1))
    got = _run(graph, [there.name], np.array([0, 1, 2, 3, -1], np.float32).reshape(1, 1, 1, 5))[0]
    np.testing.assert_allclose(got.ravel(), [0, 1, 2, 2, 0], atol=2 / 255)


@pytest.mark.slow
def test_without_ranges_nothing_is_counted(weights: Path, tmp_path: Path) -> None:
    copy = tmp_path / "mine.safetensors"
    copy.write_bytes(weights.read_bytes())
    exact: Models = build_models(weights)
    assert build_models(copy, exact=False).encoder == exact.encoder
    assert build_models(weights.read_bytes(), exact=False).encoder == exact.encoder
