"""The stem over rows of pixels against the library's convolution, there and back."""

import pytest
import torch
from torch.nn import functional

from san.model.kernels import stem_conv
from san.model.kernels.stem_conv import Stem
from tests.model.kernels.test_training_step import DEVICE

# The interpreter cannot multiply bf16.
KIND = torch.bfloat16 if DEVICE == "cuda" else torch.float32


def compare(shape: tuple[int, int, int], out: int) -> None:
    torch.manual_seed(5)
    batch, high, wide = shape
    images = torch.randn(batch, 1, high, wide, device=DEVICE).to(KIND)
    weight = torch.randn(out, 1, 7, 7, device=DEVICE).to(KIND).requires_grad_()
    rows = Stem.apply(images, weight)
    pull = torch.randn_like(rows)
    (mine,) = torch.autograd.grad([rows], [weight], [pull])

    same = weight.detach().float().requires_grad_()
    maps = functional.conv2d(images.float(), same, stride=2, padding=3).permute(0, 2, 3, 1)
    expected = maps.reshape(-1, out)
    (theirs,) = torch.autograd.grad([expected], [same], [pull.float()])
    assert rows.shape == (batch * high * wide // 4, out)
    assert mine.dtype == KIND
    for one, two in ((rows, expected), (mine, theirs)):
        error = (one.float() - two).norm() / two.norm()
        assert error < (3e-3 if DEVICE == "cuda" else 1e-5)


@pytest.mark.parametrize(
    ("shape", "out"),
    [
        ((1, 2, 2), 4),  # most of every window lies outside
        ((2, 6, 10), 8),
        ((1, 4, 80), 48),  # a line of 40 pixels: a tile and a part of one
    ],
)
def test_rows_and_gradients_are_the_library_s(shape: tuple[int, int, int], out: int) -> None:
    compare(shape, out)


def test_programs_walk_over_many_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stem_conv, "MAX_PROGRAMS", 2)
    compare((3, 8, 72), 8)
