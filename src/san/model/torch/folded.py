"""The encoder for reading: folded, channels last, in half precision. Twin: `model.torch.encoder`.

- Outside training batch norm scales and shifts each channel: the scale goes into the convolution
  before it, the shift is its bias.
- ReLU and the zero outside an image are one pass: what a pixel may hold lies between nought and
  its room, which is endless inside the image and nought outside.
- A block has one array, channels last, into which each bottleneck writes what it finds: nothing is
  joined, and a 1x1 convolution is a product with the channels so far.
- Half precision has the digits of the weights on disk, and after batch norm no number is large.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.model.spec import NORM_EPSILON
from san.model.torch.encoder import Encoder, Norm, spread


class Folded(NamedTuple):
    """A convolution and the batch norm behind it."""

    weight: Tensor
    bias: Tensor

    def look(self, x: Tensor, stride: int = 1) -> Tensor:
        """Over a window, B x H x W x C -> the same."""
        padding = self.weight.shape[-1] // 2
        seen = functional.conv2d(x.permute(0, 3, 1, 2), *self, stride, padding)
        return seen.permute(0, 2, 3, 1)

    def mix(self, x: Tensor) -> Tensor:
        """Over one pixel."""
        mixed = torch.addmm(self.bias, x.flatten(0, 2), self.weight.flatten(1).T)
        return mixed.view(*x.shape[:3], -1)


class Block(NamedTuple):
    bottlenecks: list[tuple[Folded, Folded]]
    transition: Folded | None


class FoldedEncoder:
    """Of a network that is not trained any more: later changes of its weights do not count."""

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
        """As the encoder's; the finer one stays in half precision, for few ask for it."""
        # Made there: a number that is sent there would wait for all that the device has to do.
        endless = torch.full((), torch.inf, dtype=self.kind, device=images.device)
        nothing = torch.zeros_like(endless)
        rooms = {
            scale: torch.where(spread(mask, 16 // scale), endless, nothing).permute(0, 2, 3, 1)
            for scale in (2, 4, 8, 16)
        }
        x = self.stem.look(images.to(self.kind).permute(0, 2, 3, 1), stride=2)
        x = _pooled(x.clamp_(nothing, rooms[2]), functional.max_pool2d)
        for number, block in enumerate(self.blocks):
            room = rooms[4 << number]
            known, growth = x.shape[-1], len(block.bottlenecks[0][1].bias)
            every = x.new_empty(*x.shape[:3], known + growth * len(block.bottlenecks))
            every[..., :known] = x
            for squeeze, look in block.bottlenecks:
                found = squeeze.mix(every[..., :known]).clamp_(nothing, room)
                new = every[..., known : known + growth]
                torch.clamp(look.look(found), nothing, room, out=new)
                known += growth
            x = every
            if block.transition is not None:
                fine = block.transition.mix(x).clamp_(nothing, room)
                x = _pooled(fine, functional.avg_pool2d)
        return x.permute(0, 3, 1, 2).float(), fine.permute(0, 3, 1, 2)


def _pooled(x: Tensor, pool: Callable[[Tensor, int], Tensor]) -> Tensor:
    return pool(x.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)
