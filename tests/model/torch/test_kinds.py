"""Networks of every kind: teacher-forced they are what they are step by step, and reading ends."""

import dataclasses

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.decoding.engine import DecodingLimits
from san.decoding.strings import ChainEngine, StringEngine
from san.errors import SanError
from san.grammar import Expression
from san.grammar.languages import STRING_KINDS, Kind, write
from san.grammar.vocabulary import Vocabulary
from san.model.torch import Batch, NetworkConfig
from san.model.torch.base import Network
from san.model.torch.batch import canvas, levels
from san.model.torch.bttr_reader import BTTRReader, Direction
from san.model.torch.kinds import build_network
from san.model.torch.readers import NetworkReader, StepReader, open_reader
from tests.model.encoders import randomise
from tests.model.torch.conftest import SMALL

Images = list[NDArray[np.float32]]
OTHERS: tuple[Kind, ...] = ("dwap", "bttr", "dwap-td")


def build(kind: Kind, vocabulary: Vocabulary) -> Network:
    config = dataclasses.replace(
        SMALL, kind=kind, reversed=False, heads=4, feedforward=24, transformer_dropout=0.0
    )
    network = build_network(config, vocabulary)
    randomise(network)
    return network.eval()


def lay_out(network: Network, images: Images, trees: list[Expression]) -> Batch:
    kind, vocabulary = network.config.kind, network.vocabulary
    pixels, mask = canvas(images)
    arrays = network.slots([levels(write(kind, tree), vocabulary) for tree in trees])
    columns = {name: torch.from_numpy(array) for name, array in arrays.items()}
    return Batch(torch.from_numpy(pixels), torch.from_numpy(mask), **columns)


def string_engine(reader: NetworkReader) -> StringEngine:
    if isinstance(reader, BTTRReader):
        return Direction(reader, reverse=False)
    assert isinstance(reader, StepReader)
    return ChainEngine(reader)


@pytest.mark.parametrize("kind", [kind for kind in OTHERS if kind in STRING_KINDS])
def test_teacher_forced_strings_are_those_of_single_steps(
    kind: Kind, vocabulary: Vocabulary, images: Images, trees: list[Expression]
) -> None:
    network = build(kind, vocabulary)
    with torch.no_grad():
        forced, _ = network(lay_out(network, images, trees))
    reader = open_reader(network)
    engine, memory = string_engine(reader), reader.encode(images)
    steps = [write(kind, tree) for tree in trees]
    token, state = engine.begin(memory)
    image, tokens = np.arange(len(images)), np.full(len(images), token)
    for row in range(max(map(len, steps))):
        scores, state = engine.extend(memory, image, state, tokens)
        expected = forced.symbols[row, torch.from_numpy(image)].numpy()
        np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)
        going = np.array([len(steps[at]) > row + 1 for at in image])
        tokens = np.array(
            [network.vocabulary.number(steps[at][row].target) for at in image[going]], np.int64
        )
        image, state = image[going], engine.choose(state, np.flatnonzero(going))


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_weights_reading_ends(
    kind: Kind, seed: int, vocabulary: Vocabulary, images: Images
) -> None:
    network = build(kind, vocabulary)
    torch.manual_seed(seed)
    for parameter in network.decoder.parameters():
        parameter.data.normal_(0, (0.1, 1.0, 30.0)[seed])
    reader = open_reader(network)
    memory = reader.encode(images)
    for beam in (1, 3) if kind in STRING_KINDS else (1,):
        found = reader.read(memory, DecodingLimits(steps=15, depth=15), beam)
        assert len(found) == len(images)
        for readings in found:
            assert 1 <= len(readings) <= 2 * beam
            for reading in readings:
                assert 0 <= reading.probability <= 1
                assert len(reading.steps) >= 1
                assert isinstance(reading.latex, str)
                assert reading.parses or not reading.expression


@pytest.mark.parametrize("kind", OTHERS)
def test_an_image_reads_alike_alone_and_among_others(
    kind: Kind, vocabulary: Vocabulary, images: Images
) -> None:
    reader = open_reader(build(kind, vocabulary))
    limits = DecodingLimits(steps=12)
    together = reader.read(reader.encode(images), limits)
    for image, expected in zip(images, together, strict=True):
        (found,) = reader.read(reader.encode([image]), limits)
        assert found[0].latex == expected[0].latex


@pytest.mark.parametrize("kind", OTHERS)
def test_rows_to_spare_change_no_loss(
    kind: Kind, vocabulary: Vocabulary, images: Images, trees: list[Expression]
) -> None:
    network = build(kind, vocabulary)
    batch = lay_out(network, images, trees)
    arrays = network.slots(
        [levels(write(kind, tree), network.vocabulary) for tree in trees], 40, len(trees)
    )
    columns = {name: torch.from_numpy(array) for name, array in arrays.items()}
    padded = Batch(batch.images, batch.mask, **columns)
    found = [network.losses(each, *network(each)) for each in (batch, padded)]
    for mine, other in zip(*found, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-5, atol=1e-6)
    assert found[0].symbol > 0


@pytest.mark.parametrize("kind", OTHERS)
def test_every_parameter_learns(
    kind: Kind, vocabulary: Vocabulary, images: Images, trees: list[Expression]
) -> None:
    network = build(kind, vocabulary).train()
    batch = lay_out(network, images, trees)
    network.losses(batch, *network(batch)).total().backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None, name
        # A key's bias adds the same to all scores: softmax does not see it.
        assert parameter.grad.abs().sum() > 0 or name.endswith("key.bias"), name


def test_a_beam_is_refused_where_there_is_none(vocabulary: Vocabulary, images: Images) -> None:
    reader = open_reader(build("san-gs", vocabulary))
    with pytest.raises(SanError, match="san-gs takes 1"):
        reader.read(reader.encode(images), beam=2)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"kind": "dwap", "merge": 5}, r"network\.merge: 5 is odd"),
        ({"kind": "bttr", "hidden": 20}, r"network\.hidden: 20 is no multiple"),
        ({"kind": "bttr", "context": 32}, r"network\.context: must be 0"),
        ({"kind": "dwap", "fine_attention": 8}, r"network\.fine_attention: must be 0"),
        ({"kind": "dwap", "head_hidden": 8}, r"network\.head_hidden: must be 0"),
        ({"kind": "bttr", "head_hidden": 8}, r"network\.head_hidden: must be 0"),
        ({"kind": "dwap-td", "head_hidden": 8}, r"network\.head_hidden: must be 0"),
        ({"head_hidden": -1}, r"network\.head_hidden: -1 is less than 0"),
    ],
)
def test_sizes_that_no_network_has(changes: dict[str, object], line: str) -> None:
    with pytest.raises(SanError, match=line) as caught:
        NetworkConfig(**changes)  # type: ignore[arg-type]
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["bttr", "dwap-td"])
def test_a_captured_step_asks_nothing_of_the_device(
    kind: Kind, vocabulary: Vocabulary, images: Images, trees: list[Expression]
) -> None:
    """A graph is captured of what torch launches: nothing may depend on a value on the device.

    Tensors without values find whatever does.
    """
    real = build(kind, vocabulary)
    batch = lay_out(real, images, trees)
    with torch.device("meta"):
        network = build_network(real.config, vocabulary).train()
    features, _ = real.encoder.scales(batch.images, batch.mask)
    given, found = features.detach().to("meta").requires_grad_(), batch.to("meta")
    total = network.losses(found, *network.run(given, None, found)).total(0.0)
    wanted = [given, *network.get_submodule("decoder").parameters()]
    gradients = torch.autograd.grad(total, wanted)
    assert [gradient.shape for gradient in gradients] == [tensor.shape for tensor in wanted]
