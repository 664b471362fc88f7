import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import nn

from san.model.torch import SAN, NetworkConfig
from san.model.torch.batch import canvas
from san.model.torch.encoder import build_encoder
from san.model.torch.masked_norm import Norm
from san.model.torch.residual import ResidualBlock
from tests.model.encoders import EncoderName

Images = list[NDArray[np.float32]]


def features(network: SAN, images: Images, size: tuple[int, int] = (0, 0)) -> torch.Tensor:
    pixels, mask = canvas(images, size)
    with torch.no_grad():
        return network.encoder(torch.from_numpy(pixels), torch.from_numpy(mask))


@pytest.mark.parametrize(("encoder", "channels"), [("densenet", 684), ("residual", 256)])
def test_default_sizes(encoder: EncoderName, channels: int) -> None:
    config = NetworkConfig(encoder=encoder)
    images, mask = torch.zeros(1, 1, 32, 48), torch.ones(1, 2, 3, dtype=torch.bool)
    with torch.no_grad():
        found, fine = build_encoder(config).eval().scales(images, mask)
    assert found.shape == (1, channels, 2, 3)
    assert config.features == channels
    assert fine.shape == (1, config.fine, 4, 6)


def test_features_know_neither_neighbours_nor_bucket(either_network: SAN, images: Images) -> None:
    together = features(either_network, images)
    wider = features(either_network, images, (96, 160))
    for index, image in enumerate(images):
        alone = features(either_network, [image])[0]
        rows, columns = alone.shape[1:]
        for other in (together[index], wider[index]):
            torch.testing.assert_close(other[:, :rows, :columns], alone, rtol=1e-4, atol=1e-5)
            rest = other.clone()
            rest[:, :rows, :columns] = 0
            assert not rest.any()


def test_training_features_do_not_know_the_bucket(either_network: SAN, images: Images) -> None:
    either_network.train()
    for module in either_network.modules():
        if isinstance(module, Norm):
            module.dropout = 0.0
    near, far = features(either_network, images), features(either_network, images, (96, 160))
    torch.testing.assert_close(
        far[:, :, : near.shape[2], : near.shape[3]], near, rtol=1e-4, atol=1e-4
    )


def test_a_residual_block_begins_as_nothing() -> None:
    block = ResidualBlock(8, 0.0)
    x = torch.randn(2, 8, 4, 6)
    assert torch.equal(block(x, torch.ones(2, 1, 4, 6)), x)


@pytest.mark.parametrize("training", [True, False])
def test_norm_is_batch_norm_where_everything_exists(training: bool) -> None:
    ours, theirs = Norm(6, 0.0).train(training), nn.BatchNorm2d(6).train(training)
    x = torch.randn(3, 6, 5, 7) * 2 + 1
    found = ours(x, torch.ones(3, 1, 5, 7))
    torch.testing.assert_close(found, theirs(x).relu(), rtol=1e-4, atol=1e-5)
    assert theirs.running_mean is not None
    assert theirs.running_var is not None
    torch.testing.assert_close(ours.running_mean, theirs.running_mean)
    torch.testing.assert_close(ours.running_var, theirs.running_var)
