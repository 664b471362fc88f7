"""Weight gradients of 3x3 convolutions against the library's, image borders and all."""

import pytest
import torch
from torch import Tensor

from san.model.kernels import conv_weight_gradients
from san.model.kernels.conv_weight_gradients import (
    conv3x3_weight_gradients,
    library_weight_gradients,
)
from tests.model.kernels.test_training_step import DEVICE

# The interpreter cannot multiply bf16; the tensor cores are not asked to multiply float32.
KIND = torch.bfloat16 if DEVICE == "cuda" else torch.float32


def maps(layers: int, shape: tuple[int, int, int], channels: int) -> list[Tensor]:
    batch, high, wide = shape
    rows = [torch.randn(batch, high, wide, channels, device=DEVICE) for _ in range(layers)]
    return [own.to(KIND).permute(0, 3, 1, 2) for own in rows]


def compare(dys: list[Tensor], xs: list[Tensor]) -> None:
    mine = conv3x3_weight_gradients(dys, xs)
    expected = library_weight_gradients([dy.float() for dy in dys], [x.float() for x in xs])
    for one, two in zip(mine, expected, strict=True):
        assert one.dtype == KIND
        assert one.is_contiguous(memory_format=torch.channels_last)
        error = (one.float() - two).norm() / two.norm()
        # Sums are float32; in bf16 only what they are written as is rounded.
        assert error < (3e-3 if DEVICE == "cuda" else 1e-5)


@pytest.mark.parametrize(
    ("layers", "shape", "out", "into"),
    [
        (1, (1, 1, 1), 4, 16),  # every tap but one falls outside
        (3, (2, 5, 7), 4, 16),  # a tile of pixels spans many lines and both images
        (2, (3, 3, 90), 8, 24),  # a line spans tiles; input channels are no power of two
        (1, (2, 9, 11), 24, 96),  # as trained
        (1, (1, 4, 6), 36, 144),  # more rows and columns than one captured takes
    ],
)
def test_tap_gradients_are_the_library_s(
    layers: int, shape: tuple[int, int, int], out: int, into: int
) -> None:
    torch.manual_seed(3)
    compare(maps(layers, shape, out), maps(layers, shape, into))


def test_runs_of_many_steps_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few programs, so that each walks over several tiles, past lines and images."""
    monkeypatch.setattr(conv_weight_gradients, "MAX_PROGRAMS", 6)
    torch.manual_seed(3)
    shape = (5, 7, 19)  # 665 pixels: 11 tiles, 3 runs of 4 steps for each layer
    compare(maps(2, shape, 4), maps(2, shape, 16))


def test_the_same_step_gives_the_same_gradient() -> None:
    torch.manual_seed(3)
    dys, xs = maps(2, (2, 9, 13), 4), maps(2, (2, 9, 13), 16)
    for one, two in zip(
        conv3x3_weight_gradients(dys, xs), conv3x3_weight_gradients(dys, xs), strict=True
    ):
        assert torch.equal(one, two)


def test_maps_must_lie_channels_last() -> None:
    dys, xs = maps(1, (1, 4, 5), 4), maps(1, (1, 4, 5), 16)
    with pytest.raises(AssertionError):
        conv3x3_weight_gradients(dys, [xs[0].contiguous()])
