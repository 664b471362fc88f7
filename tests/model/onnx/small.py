"""Small pictures, and weights of random numbers for networks with some part."""

import json
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from san.grammar.vocabulary import Vocabulary
from san.model.torch import SAN, NetworkConfig
from san.model.torch.weights import save_weights
from tests.model.encoders import EncoderName, randomise, with_encoder


def pictures() -> list[NDArray[np.float32]]:
    random = np.random.default_rng(3)
    sizes = ((30, 50), (64, 90), (16, 16), (1, 100))
    return [(random.random(size) < 0.2).astype(np.float32) for size in sizes]


def write(
    path: Path,
    seed: int,
    spread: float = 0.5,
    fine: int = 10,
    context: int = 0,
    encoder: EncoderName = "densenet",
    head_hidden: int = 0,
) -> Path:
    """Odd sizes are among them."""
    torch.manual_seed(seed)
    config = NetworkConfig(
        stem=6, growth=5, layers=2, hidden=9, embedding=7, attention=11, coverage_kernel=5, merge=8,
        fine_attention=fine, context=context, head_hidden=head_hidden,
    )  # fmt: skip
    config = with_encoder(config, encoder)
    network = SAN(config, Vocabulary(("+", "1", "x", r"\frac", r"\sqrt", r"\sum")))
    randomise(network)
    for parameter in network.decoder.parameters():
        parameter.data.normal_(0, spread)
    network.decoder.symbol_head.bias.data[0] += 3.0  # else noise never ends
    save_weights(path, network.state_dict(), network.config, network.vocabulary)
    return path


def facts(content: bytes) -> dict[str, str]:
    """What a weights file says of itself."""
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    found: dict[str, str] = header["__metadata__"]
    return found
