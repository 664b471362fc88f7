"""A small network and a few drawn images: all that the tests of the network need."""

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.grammar import Expression, parse
from san.grammar.vocabulary import Vocabulary
from san.model.torch import SAN, NetworkConfig
from tests.model.encoders import ENCODERS, randomise, with_encoder

LABELS = (
    r"x + 1",
    r"\frac { a ^ { 2 } } { b } = c",
    r"\sqrt [ 3 ] { x _ { i } ^ { 2 } } - 1",
    r"\sum _ { i = 1 } ^ { n } x _ { i }",
)

SMALL = NetworkConfig(
    stem=8, growth=4, layers=2, hidden=16, embedding=16, attention=24, coverage_kernel=5, merge=12
)


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(7)
    torch.set_num_threads(1)


@pytest.fixture
def trees() -> list[Expression]:
    return [parse(label) for label in LABELS]


@pytest.fixture
def vocabulary(trees: list[Expression]) -> Vocabulary:
    return Vocabulary.gather(trees)


@pytest.fixture
def network(vocabulary: Vocabulary) -> SAN:
    network = SAN(SMALL, vocabulary)
    randomise(network)
    return network.eval()


@pytest.fixture(params=ENCODERS)
def either_network(request: pytest.FixtureRequest, vocabulary: Vocabulary) -> SAN:
    """With DenseNet, and with the residual encoder."""
    network = SAN(with_encoder(SMALL, request.param), vocabulary)
    randomise(network)
    return network.eval()


@pytest.fixture
def images() -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(3)
    sizes = ((30, 50), (64, 90), (47, 33), (17, 100))
    return [(rng.random(size) < 0.2).astype(np.float32) for size in sizes]
