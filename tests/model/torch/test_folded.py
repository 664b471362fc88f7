import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from san.model.torch import SAN
from san.model.torch.batch import canvas
from san.model.torch.folded import FoldedEncoder

Images = list[NDArray[np.float32]]


@pytest.mark.parametrize(
    ("kind", "off"), [(torch.float32, 1e-6), (torch.float16, 2e-3), (torch.bfloat16, 2e-2)]
)
def test_features_are_those_of_the_encoder(
    network: SAN, images: Images, kind: torch.dtype, off: float
) -> None:
    pixels, mask = map(torch.from_numpy, canvas(images, (96, 160)))
    with torch.inference_mode():
        expected = network.encoder(pixels, mask)
        found = FoldedEncoder(network.encoder, kind)(pixels, mask)
    assert found.dtype == torch.float32
    assert found.shape == expected.shape
    assert (found - expected).norm() < off * expected.norm()
    outside = ~mask[:, None].expand_as(found)
    assert outside.any()
    assert not found[outside].any()


def test_later_training_does_not_reach_it(network: SAN, images: Images) -> None:
    pixels, mask = map(torch.from_numpy, canvas(images))
    folded = FoldedEncoder(network.encoder, torch.float32)
    before = folded(pixels, mask)
    for parameter in network.encoder.parameters():
        parameter.data.zero_()
    torch.testing.assert_close(folded(pixels, mask), before, rtol=0, atol=0)
