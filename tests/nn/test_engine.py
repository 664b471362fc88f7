from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.decoding import Limits, decode
from san.decoding.stack import decode_by_stack
from san.errors import SanError
from san.nn import SAN
from san.nn.engine import TorchEngine
from san.nn.weights import load_weights, read_facts, save_weights

Images = list[NDArray[np.float32]]


def test_random_weights_read_the_same_both_ways(network: SAN, images: Images) -> None:
    for seed in range(6):
        torch.manual_seed(seed)
        for parameter in network.decoder.parameters():
            parameter.data.normal_(0, 0.5)
        engine = TorchEngine(network)
        network.decoder.symbol.bias.data[0] += 3.0  # else noise never ends
        limits = Limits(steps=2000, depth=10)  # only the depth may bite: it knows no order
        ours, theirs = decode(engine, images, limits), decode_by_stack(engine, images, limits)
        alone = [decode(engine, [image], limits)[0] for image in images]
        for mine, reference, single in zip(ours, theirs, alone, strict=True):
            assert mine.expression == reference.expression == single.expression


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
