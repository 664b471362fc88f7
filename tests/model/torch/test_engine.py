import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.decoding import DecodingLimits, Reading, decode
from san.decoding.frontier import decode_memory
from san.decoding.stack import decode_by_stack
from san.errors import SanError
from san.model.torch import SAN
from san.model.torch.attention import Memory as Encoded
from san.model.torch.batch import canvas
from san.model.torch.captured_steps import CapturedSteps, Results, StepTensors
from san.model.torch.engine import OnDevice, TorchEngine
from san.model.torch.weights import load_weights, read_facts, save_weights
from tests.model.torch.conftest import SMALL

Images = list[NDArray[np.float32]]


def noisy(network: SAN, seed: int = 2) -> SAN:
    """Weights of noise that read something, and come to an end."""
    torch.manual_seed(seed)
    for parameter in network.decoder.parameters():
        parameter.data.normal_(0, 0.5)
    network.decoder.symbol_head.bias.data[0] += 3.0
    return network


@pytest.mark.slow
def test_random_weights_read_the_same_both_ways(network: SAN, images: Images) -> None:
    for seed in range(6):
        engine = TorchEngine(noisy(network, seed))
        limits = DecodingLimits(steps=2000, depth=10)  # only the depth may bite: it knows no order
        ours, theirs = decode(engine, images, limits), decode_by_stack(engine, images, limits)
        alone = [decode(engine, [image], limits)[0] for image in images]
        for mine, reference, single in zip(ours, theirs, alone, strict=True):
            assert mine.expression == reference.expression == single.expression


def same(mine: Reading, theirs: Reading) -> bool:
    return mine.expression == theirs.expression and mine.probability == pytest.approx(
        theirs.probability, rel=1e-3
    )


def test_joined_canvases_read_alike(network: SAN, images: Images) -> None:
    engine, limits = TorchEngine(noisy(network, 0)), DecodingLimits(steps=2000, depth=10)
    apart = [engine.encode([image]) for image in images]
    together = decode_memory(engine, engine.join(apart), limits)
    alone = [decode_memory(engine, memory, limits)[0] for memory in apart]
    assert sum(len(reading.steps) > 3 for reading in alone) > 1
    for shared, own, image in zip(together, alone, images, strict=True):
        assert same(shared, own)
        rows, columns = (-(-side // 16) for side in image.shape)
        for far, near in zip(shared.steps, own.steps, strict=True):
            assert near.attention.shape == (rows, columns)
            assert far.attention[:rows, :columns] == pytest.approx(near.attention, abs=1e-4)
            assert far.attention.sum() == pytest.approx(1, abs=1e-3)


def test_a_wide_frontier_is_asked_in_parts(
    network: SAN, images: Images, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, limits = TorchEngine(noisy(network, 0)), DecodingLimits(steps=2000, depth=10)
    whole = decode(engine, images, limits)
    asked: list[int] = []
    part = TorchEngine._part
    monkeypatch.setattr(
        TorchEngine,
        "_part",
        lambda self, *given: asked.append(len(given[1].image)) or part(self, *given),
    )
    for cells, most in ((1, 1), (100, 4)):  # a grid has 28 cells; at least one slot at a time
        monkeypatch.setattr("san.model.torch.engine.MAX_CELLS", cells)
        asked.clear()
        assert all(map(same, decode(engine, images, limits), whole))
        assert max(asked) <= most


def captured_on_the_host(work: Callable[[], Results]) -> tuple[Callable[[], None], Results]:
    """As a graph behaves: each time it runs, its results lie where they lay."""
    results = tuple(torch.full_like(result, torch.nan) for result in work())

    def replay() -> None:
        for place, result in zip(results, work(), strict=True):
            place.copy_(result)

    return replay, results


def test_captured_steps_read_alike(network: SAN, images: Images) -> None:
    """Memories of one shape take turns at one place; a shape's first is read without a graph."""
    engine, limits = TorchEngine(noisy(network, 0)), DecodingLimits(steps=2000, depth=10)
    batches = [images, images[::-1], images[1:] + images[:1]]
    plain = [decode(engine, batch, limits) for batch in batches]
    asked: list[int] = []

    def part(content: Encoded, given: StepTensors) -> Results:
        asked.append(len(given.image))
        return engine._part(content, given)

    engine.captured = CapturedSteps(part, captured_on_the_host, max_cells=28 * 64)
    for batch, expected in zip(batches, plain, strict=True):
        assert all(map(same, decode(engine, batch, limits), expected))
        assert bool(asked) == (batch is not images)
    assert set(asked) <= {16, 32, 64}
    memories = [engine.encode(batch) for batch in batches]
    steps = [
        engine.step(memory, np.arange(3), memory.hidden[:3], memory.path[:3], np.zeros(3, int))
        for memory in (*memories, *memories)
    ]
    for early, late in zip(steps[:3], steps[3:], strict=True):
        assert (early.symbols == late.symbols).all()
        assert (np.asarray(early.hidden) == np.asarray(late.hidden)).all()


def test_fine_attention_needs_no_answer_from_the_device(
    network: SAN, images: Images, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The engine knows how many steps an image takes; in parts of any size the same is read."""
    with_fine = SAN(dataclasses.replace(SMALL, fine_attention=6), network.vocabulary)
    limits, long = DecodingLimits(steps=2000, depth=8), 0
    monkeypatch.setattr(torch, "bincount", None)
    for seed in range(6):
        engine = TorchEngine(noisy(with_fine, seed))
        with monkeypatch.context() as patch:
            whole = decode(engine, images, limits)
            patch.setattr("san.model.torch.engine.MAX_CELLS", 100)
            assert all(map(same, decode(engine, images, limits), whole))
        long += sum(len(reading.steps) > 9 for reading in whole)
    assert long > 2


def test_bytes_are_pixels_too(network: SAN, images: Images) -> None:
    engine = TorchEngine(network)
    pixels, mask = map(torch.from_numpy, canvas(images))
    plain, small = (engine.encode_canvas(kind, mask) for kind in (pixels, pixels.to(torch.uint8)))
    assert (np.asarray(plain.hidden) == np.asarray(small.hidden)).all()


def test_half_precision_reads_alike(network: SAN, images: Images) -> None:
    exact, half = (TorchEngine(noisy(network), half=half) for half in (False, True))
    limits = DecodingLimits(steps=2000, depth=6)
    for mine, theirs in zip(
        decode(half, images, limits), decode(exact, images, limits), strict=True
    ):
        assert mine.steps[0].probability == pytest.approx(theirs.steps[0].probability, abs=0.02)
    assert np.asarray(half.encode(images).hidden) == pytest.approx(
        np.asarray(exact.encode(images).hidden), abs=0.02
    )


def test_what_stays_on_the_device_can_be_indexed_and_fetched() -> None:
    numbers = np.arange(12, dtype=np.float32).reshape(4, 3)
    rows = OnDevice(torch.from_numpy(numbers.copy()))
    slots = np.array([2, 0, 2])
    assert len(rows) == 4
    assert (np.asarray(rows[slots]) == numbers[slots]).all()
    assert (np.asarray(rows[1]) == numbers[1]).all()
    assert np.asarray(rows[None]).shape == (1, 4, 3)
    assert (
        np.asarray(rows[slots] - rows[np.array([0, 0, 0])]) == numbers[slots] - numbers[0]
    ).all()
    assert (np.asarray(rows[:2]) == numbers[:2]).all()
    joined = np.concatenate([rows, rows[slots]])
    assert isinstance(joined, OnDevice)  # nothing is fetched for that
    assert (np.asarray(joined) == np.concatenate([numbers, numbers[slots]])).all()
    with pytest.raises(TypeError):
        np.concatenate([rows, rows], axis=1)
    np.array(rows)[:] = 0  # a copy is a copy
    assert (np.asarray(rows) == numbers).all()
    assert np.asarray(rows, np.float64).dtype == np.float64


def test_states_may_come_as_numpy_too(network: SAN, images: Images) -> None:
    engine = TorchEngine(noisy(network))
    memory = engine.encode(images)
    image, partner = np.array([3, 1]), np.array([network.start] * 2)
    given = memory.hidden[image], memory.path[image]
    kept = engine.step(memory, image, *given, partner)
    fetched = engine.step(memory, image, *map(np.asarray, given), partner)
    for one, other in zip(kept, fetched, strict=True):
        assert (np.asarray(one) == np.asarray(other)).all()


@pytest.mark.slow
def test_weights_survive_the_file(network: SAN, images: Images, tmp_path: Path) -> None:
    path = tmp_path / "small.safetensors"
    save_weights(path, network.state_dict(), network.config, network.vocabulary, {"epochs": 3})
    again = load_weights(path)
    assert again.vocabulary == network.vocabulary
    assert again.reversed is None
    assert '"epochs": 3' in read_facts(path)["facts"]
    rounded = {name: tensor.half().float() for name, tensor in network.state_dict().items()}
    for name, tensor in again.state_dict().items():
        expected = network.state_dict()[name] if "norm" in name else rounded[name]
        torch.testing.assert_close(tensor, expected)


def test_a_file_that_does_not_fit_is_one_clear_line(network: SAN, tmp_path: Path) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(b"nonsense")
    with pytest.raises(SanError, match="no weights can be read"):
        load_weights(path)
    tensors = {k: v for k, v in network.state_dict().items() if "gru" not in k}
    save_weights(path, tensors, network.config, network.vocabulary)
    with pytest.raises(SanError, match="do not fit") as caught:
        load_weights(path)
    assert "\n" not in str(caught.value)
