"""The encoder for reading: batch norm folded, channels last, in half precision.

- Outside training batch norm scales and shifts each channel: the scale goes into the convolution
  before it, the shift is its bias.
- ReLU and the zero outside an image are one clamp: from 0 to a limit that is infinite inside the
  image and 0 outside.
- A block has one array, channels last, into which each bottleneck writes its channels: zero is
  concatenated, and a 1x1 convolution is a product with the channels so far. Same numbers as
  `san.model.torch.encoder`, but for the precision.
- Half precision has the digits of the weights on disk, and after batch norm no number is large.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.model.spec import NORM_EPSILON, STRIDE
from san.model.torch.encoder import Encoder, Norm, upsample_mask


class Folded(NamedTuple):
    """A convolution and the batch norm behind it."""

    weight: Tensor
    bias: Tensor

    def conv(self, x: Tensor, stride: int = 1) -> Tensor:
        """B x H x W x C -> the same."""
        padding = self.weight.shape[-1] // 2
        output = functional.conv2d(x.permute(0, 3, 1, 2), *self, stride, padding)
        return output.permute(0, 2, 3, 1)

    def conv1x1(self, x: Tensor) -> Tensor:
        """A 1x1 convolution as a product."""
        output = torch.addmm(self.bias, x.flatten(0, 2), self.weight.flatten(1).T)
        return output.view(*x.shape[:3], -1)


class Block(NamedTuple):
    bottlenecks: list[tuple[Folded, Folded]]
    transition: Folded | None


class FoldedEncoder:
    """Of a network that is not trained any more: later changes of its weights have no effect."""

    def __init__(self, encoder: Encoder, kind: torch.dtype = torch.float16) -> None:
        def fold(convolution: nn.Conv2d, norm: Norm) -> Folded:
            scale = norm.weight * torch.rsqrt(norm.running_var + NORM_EPSILON)
            weight = (convolution.weight * scale[:, None, None, None]).detach().to(kind)
            bias = (norm.bias - norm.running_mean * scale).detach().to(kind)
            return Folded(weight.contiguous(memory_format=torch.channels_last), bias)

        self.kind = kind
        self.stem = fold(encoder.stem, encoder.stem_norm)
        transitions = [fold(one.conv, one.norm) for one in encoder.transitions]  # type: ignore[arg-type]
        self.blocks = [
            Block(
                [(fold(b.conv1, b.norm1), fold(b.conv2, b.norm2)) for b in block],  # type: ignore[attr-defined]
                transition,
            )
            for block, transition in zip(encoder.blocks, [*transitions, None], strict=True)
        ]

    def __call__(self, images: Tensor, mask: Tensor) -> Tensor:
        """As the encoder's: B x 1 x H x W and B x H/16 x W/16 -> B x C x H/16 x W/16."""
        return self.scales(images, mask)[0]

    def scales(self, images: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """As the encoder's; the finer one stays in half precision."""
        # Made on the device: a number that is sent would wait for all that is queued there.
        infinite = torch.full((), torch.inf, dtype=self.kind, device=images.device)
        zero = torch.zeros_like(infinite)
        limits = {
            scale: torch.where(upsample_mask(mask, STRIDE // scale), infinite, zero).permute(
                0, 2, 3, 1
            )
            for scale in (2, 4, 8, 16)
        }
        x = self.stem.conv(images.to(self.kind).permute(0, 2, 3, 1), stride=2)
        x = _pooled(x.clamp_(zero, limits[2]), functional.max_pool2d)
        for number, block in enumerate(self.blocks):
            limit = limits[4 << number]
            channels, growth = x.shape[-1], len(block.bottlenecks[0][1].bias)
            every = x.new_empty(*x.shape[:3], channels + growth * len(block.bottlenecks))
            every[..., :channels] = x
            for conv1, conv2 in block.bottlenecks:
                middle = conv1.conv1x1(every[..., :channels]).clamp_(zero, limit)
                new = every[..., channels : channels + growth]
                torch.clamp(conv2.conv(middle), zero, limit, out=new)
                channels += growth
            x = every
            if block.transition is not None:
                fine = block.transition.conv1x1(x).clamp_(zero, limit)
                x = _pooled(fine, functional.avg_pool2d)
        return x.permute(0, 3, 1, 2).float(), fine.permute(0, 3, 1, 2)


def _pooled(x: Tensor, pool: Callable[[Tensor, int], Tensor]) -> Tensor:
    return pool(x.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)
