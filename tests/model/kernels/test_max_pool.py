"""Max-pooling over rows of pixels against the library's: to the bit, equals included."""

import pytest
import torch
from torch.nn import functional

from san.model.kernels.max_pool import Pool
from tests.model.kernels.test_training_step import DEVICE


@pytest.mark.parametrize(
    ("shape", "channels"), [((1, 2, 2), 4), ((3, 6, 10), 48), ((2, 40, 44), 8)]
)
def test_pooling_is_the_library_s(shape: tuple[int, int, int], channels: int) -> None:
    torch.manual_seed(1)
    batch, high, wide = shape
    # Few different numbers: in most windows some are equal.
    maps = torch.randint(-2, 3, (batch, high, wide, channels), device=DEVICE).bfloat16()
    rows = maps.view(-1, channels).requires_grad_()
    mine = Pool.apply(rows, wide)
    theirs = functional.max_pool2d(rows.view(maps.shape).permute(0, 3, 1, 2), 2)
    expected = theirs.permute(0, 2, 3, 1).reshape(-1, channels)
    assert torch.equal(mine, expected)
    # As from a dense block: the gradient is some columns of a wider matrix.
    pull = torch.randn(len(mine), channels + 12, device=DEVICE).bfloat16()[:, :channels]
    (one,) = torch.autograd.grad([mine], [rows], [pull])
    (two,) = torch.autograd.grad([expected], [rows], [pull])
    assert torch.equal(one, two)
