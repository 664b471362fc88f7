import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.model.torch import SAN
from san.model.torch.batch import canvas
from san.model.torch.folded import fold_encoder

Images = list[NDArray[np.float32]]


@pytest.mark.parametrize(
    ("kind", "off"), [(torch.float32, 1e-6), (torch.float16, 2e-3), (torch.bfloat16, 2e-2)]
)
def test_features_are_those_of_the_encoder(
    either_network: SAN, images: Images, kind: torch.dtype, off: float
) -> None:
    pixels, mask = map(torch.from_numpy, canvas(images, (96, 160)))
    with torch.inference_mode():
        expected, finer = either_network.encoder.scales(pixels, mask)
        found, fine = fold_encoder(either_network.encoder, kind).scales(pixels, mask)
    assert found.dtype == torch.float32
    assert found.shape == expected.shape
    assert (found - expected).norm() < off * expected.norm()
    assert (fine - finer).norm() < off * finer.norm()
    outside = ~mask[:, None].expand_as(found)
    assert outside.any()
    assert not found[outside].any()


def test_later_training_does_not_reach_it(either_network: SAN, images: Images) -> None:
    pixels, mask = map(torch.from_numpy, canvas(images))
    folded = fold_encoder(either_network.encoder, torch.float32)
    before, _ = folded.scales(pixels, mask)
    for parameter in either_network.encoder.parameters():
        parameter.data.zero_()
    torch.testing.assert_close(folded.scales(pixels, mask)[0], before, rtol=0, atol=0)
