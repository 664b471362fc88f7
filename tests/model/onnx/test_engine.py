"""The torch-free engine says what the torch engine says, number for number and tree for tree."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch")

from san.data.corpus import open_corpus  # noqa: E402
from san.decoding import DecodingLimits, Engine, decode  # noqa: E402
from san.decoding.engine import Floats  # noqa: E402
from san.decoding.frontier import decode_memory  # noqa: E402
from san.grammar import Expression, parse  # noqa: E402
from san.grammar.vocabulary import Vocabulary  # noqa: E402
from san.ink import Box, Sheet, draw  # noqa: E402
from san.ink.alphabet import SHAPES, compose  # noqa: E402
from san.model.onnx import OnnxEngine  # noqa: E402
from san.model.torch import SAN, NetworkConfig  # noqa: E402
from san.model.torch.engine import TorchEngine  # noqa: E402
from san.model.torch.weights import load_weights, save_weights  # noqa: E402
from tests.conftest import REPOSITORY  # noqa: E402
from tests.ink.formulas import fraction, quadratic  # noqa: E402

WEIGHTS = REPOSITORY / "src" / "san" / "models" / "san.safetensors"
Picture = NDArray[np.float32]


@pytest.fixture(scope="module")
def ours() -> OnnxEngine:
    return OnnxEngine(WEIGHTS, threads=1)


@pytest.fixture(scope="module")
def theirs() -> TorchEngine:
    torch.set_num_threads(1)
    return TorchEngine(load_weights(WEIGHTS))


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    """Two formulas, and symbols thrown together for readings of every kind."""
    random = np.random.default_rng(11)
    names = sorted(name for name in SHAPES if name not in (r"\frac", r"\sqrt"))
    sheets: list[Sheet] = [fraction(), quadratic()]
    for _ in range(10):
        boxes = []
        for place in range(int(random.integers(1, 8))):
            top, size = int(random.integers(-40, 40)), int(random.integers(20, 60))
            box = Box(55 * place, top, 55 * place + 0.7 * size, top + size)
            boxes.append((str(random.choice(names)), box))
        sheets.append(compose(boxes))
    return [draw(sheet.ink).astype(np.float32) / 255 for sheet in sheets]


def _trees(engine: Engine, images: list[Picture], limits: DecodingLimits) -> list[Expression]:
    return [reading.expression for reading in decode(engine, images, limits)]


def _small(seed: int) -> SAN:
    """A network of random numbers, odd sizes among them."""
    torch.manual_seed(seed)
    config = NetworkConfig(
        stem=6, growth=5, layers=2, hidden=9, embedding=7, attention=11, coverage_kernel=5, merge=8
    )
    network = SAN(config, Vocabulary(("+", "1", "x", r"\frac", r"\sqrt", r"\sum")))
    for name, buffer in network.named_buffers():
        buffer.uniform_(0.5, 1.5) if "running_var" in name else buffer.normal_()
    for parameter in network.decoder.parameters():
        parameter.data.normal_(0, 0.5)
    network.decoder.symbol_head.bias.data[0] += 3.0  # else noise never ends
    return network


def test_reads_our_own_hand(ours: OnnxEngine) -> None:
    for sheet in (fraction(), quadratic()):
        assert sheet.truth is not None
        picture = draw(sheet.ink).astype(np.float32) / 255
        assert decode(ours, [picture])[0].expression == parse(sheet.truth)


@pytest.mark.slow
def test_trees_are_those_of_torch(
    ours: OnnxEngine, theirs: TorchEngine, pictures: list[Picture]
) -> None:
    together = decode(ours, pictures)
    for picture, shared in zip(pictures, together, strict=True):
        alone, reference = decode(ours, [picture])[0], decode(theirs, [picture])[0]
        assert alone.expression == reference.expression == shared.expression
        assert alone.probability == pytest.approx(reference.probability, abs=1e-3)


@pytest.mark.slow
def test_numbers_are_those_of_torch(
    ours: OnnxEngine, theirs: TorchEngine, pictures: list[Picture]
) -> None:
    """Two images at once, steps in no order, and path attention that is not zero any more."""
    images = [pictures[1], pictures[2]]
    mine, reference = ours.encode(images), theirs.encode(images)
    np.testing.assert_allclose(mine.hidden, reference.hidden, atol=1e-4)
    image = np.array([1, 0, 1])
    hidden, path = np.asarray(reference.hidden)[image], np.asarray(reference.path)[image]
    assert mine.path[image].shape == path.shape
    for partner in ([0, 1, 2], [110, 40, 7], [3, 109, 3]):
        numbers = np.array(partner)
        here = ours.step(mine, image, hidden, path, numbers)
        there = theirs.step(reference, image, hidden, path, numbers)
        for name, got, expected in zip(here._fields, here, there, strict=True):
            assert np.asarray(got).dtype == np.asarray(expected).dtype == np.float32
            np.testing.assert_allclose(got, expected, atol=1e-3, err_msg=name)
        hidden, path = np.asarray(there.hidden), np.asarray(there.path)


@pytest.mark.slow
def test_a_small_random_network_reads_alike(tmp_path: Path) -> None:
    random = np.random.default_rng(3)
    images = [
        (random.random(size) < 0.2).astype(np.float32)
        for size in ((30, 50), (64, 90), (16, 16), (1, 100))
    ]
    limits = DecodingLimits(depth=10)
    path = tmp_path / "small.safetensors"
    for seed in range(4):
        network = _small(seed)
        save_weights(path, network.state_dict(), network.config, network.vocabulary)
        expected = _trees(TorchEngine(load_weights(path)), images, limits)
        assert _trees(OnnxEngine(path, threads=1), images, limits) == expected
        assert _trees(OnnxEngine(path.read_bytes(), threads=2), images, limits) == expected


def test_wide_trees_on_large_pictures_are_computed_in_several_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the same numbers; one step always fits."""
    network, path = _small(1), tmp_path / "small.safetensors"
    save_weights(path, network.state_dict(), network.config, network.vocabulary)
    engine = OnnxEngine(path, threads=1)
    random = np.random.default_rng(0)
    images = [(random.random(size) < 0.2).astype(np.float32) for size in ((48, 80), (32, 32))]
    memory = engine.encode(images)
    calls: list[int] = []
    session = engine._step

    class Counting:
        def run(self, outputs: Sequence[str], inputs: Mapping[str, Floats]) -> list[Floats]:
            calls.append(len(inputs["partner"]))
            return session.run(outputs, inputs)

    monkeypatch.setattr(engine, "_step", Counting())
    for number in (None, 0):
        seen = memory if number is None else engine.alone(memory, number)
        image = np.arange(12) % len(seen.content)
        rows = seen.hidden[image], seen.path[image], np.arange(12)
        expected = engine.step(seen, image, *rows)
        cells = engine.alone(memory, 0).path.size
        for limit in (3 * cells, 1):
            with monkeypatch.context() as patch:
                patch.setattr("san.model.onnx.engine.MAX_STEP_CELLS", limit)
                calls.clear()
                found = engine.step(seen, image, *rows)
            assert max(calls) <= max(limit // cells, 1) or number is None
            assert sum(calls) == 12
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other, atol=1e-5)


def test_no_images_are_no_readings(ours: OnnxEngine) -> None:
    assert decode(ours, []) == []


@pytest.mark.slow
def test_needs_no_torch() -> None:
    """In a fresh process where torch cannot be imported, the runtime reads."""
    program = f"""
import sys
sys.modules["torch"] = sys.modules["onnx"] = None
from pathlib import Path
import numpy as np
from san.decoding import decode
from san.model.onnx import OnnxEngine
engine = OnnxEngine(Path({str(WEIGHTS)!r}), threads=1)
print(len(decode(engine, [np.zeros((32, 48), np.float32)])))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "1\n", done.stderr


@pytest.mark.corpus
def test_trees_are_those_of_torch_on_the_fields_bitmaps(
    ours: OnnxEngine, theirs: TorchEngine, data_root: Path
) -> None:
    """Some of 2014; benchmarks/parity.py compares them all. A tie may fall either way."""
    corpus = list(open_corpus(data_root / "crohme" / "test2014.bitmaps.zip"))
    chosen = np.random.default_rng(8).choice(len(corpus), 40, replace=False)
    differing = []
    for number in chosen:
        picture = corpus[number].picture().astype(np.float32) / 255
        mine, reference = decode(ours, [picture])[0], decode(theirs, [picture])[0]
        if mine.expression != reference.expression:
            differing.append(corpus[number].id)
    assert len(differing) <= 1, differing


@pytest.mark.slow
def test_nobody_waits_for_a_large_image_to_get_the_network_on_one_core() -> None:
    engine = OnnxEngine(WEIGHTS, threads=2)
    with ThreadPoolExecutor() as threads, engine._alone:  # as while one is encoded
        assert threads.submit(engine.on_one_core).result(timeout=20) is not engine


def test_on_one_core_it_reads_alike(pictures: list[Picture]) -> None:
    several = OnnxEngine(WEIGHTS, threads=2)
    single = several.on_one_core()
    assert several.on_one_core() is single  # made once
    mine, its = several.encode(pictures[:2]), single.encode(pictures[:2])
    np.testing.assert_allclose(its.hidden, mine.hidden, atol=1e-5)


@pytest.mark.slow
def test_one_of_several_is_as_if_alone(ours: OnnxEngine, pictures: list[Picture]) -> None:
    memory = ours.encode(pictures[:3])
    for number, picture in enumerate(pictures[:3]):
        own = decode_memory(ours, ours.alone(memory, number))[0]
        alone = decode(ours, [picture])[0]
        assert own.expression == alone.expression
        assert own.probability == pytest.approx(alone.probability)
