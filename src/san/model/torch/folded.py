"""The encoders for reading: batch norm folded, channels last, in half precision.

- Outside training batch norm scales and shifts each channel: the scale goes into the convolution
  before it, the shift is its bias. A norm behind a sum has no convolution before it: it stays a
  scale and a shift.
- ReLU and the zero outside an image are one clamp: from 0 to a limit that is infinite inside the
  image and 0 outside.
- A dense block has one array, channels last, into which each bottleneck writes its channels: zero
  is concatenated, and a 1x1 convolution is a product with the channels so far.
- Same numbers as `san.model.torch.densenet` and `residual`, but for the precision.
- Half precision has the digits of the weights on disk, and after batch norm no number is large.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.model.spec import NORM_EPSILON, STRIDE
from san.model.torch.densenet import DenseNetEncoder
from san.model.torch.encoder import Encoder
from san.model.torch.masked_norm import Norm, upsample_mask
from san.model.torch.residual import ResidualEncoder


class Folded(NamedTuple):
    """A convolution and the batch norm behind it, where there is one."""

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


class ScaleShift(NamedTuple):
    """A batch norm that no convolution can take in."""

    scale: Tensor
    shift: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        return torch.addcmul(self.shift, x, self.scale)


class DenseBlock(NamedTuple):
    bottlenecks: list[tuple[Folded, Folded]]
    transition: Folded | None


class ResidualStage(NamedTuple):
    transition: Folded
    blocks: list[tuple[ScaleShift, Folded, Folded]]
    norm: ScaleShift


class FoldedDenseNet:
    """Of a network that is not trained any more: later changes of its weights have no effect."""

    def __init__(self, encoder: DenseNetEncoder, kind: torch.dtype = torch.float16) -> None:
        self.kind = kind
        self.stem = _fold(kind, encoder.stem, encoder.stem_norm)
        transitions = [
            _fold(kind, transition.conv, transition.norm)  # type: ignore[arg-type]
            for transition in encoder.transitions
        ]
        self.blocks = [
            DenseBlock(
                [
                    (_fold(kind, b.conv1, b.norm1), _fold(kind, b.conv2, b.norm2))
                    for b in block  # type: ignore[attr-defined]
                ],
                transition,
            )
            for block, transition in zip(encoder.blocks, [*transitions, None], strict=True)
        ]

    def scales(self, images: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """As the encoder's; the finer one stays in half precision."""
        zero, limits = _limits(images, mask, self.kind)
        x = _stem(self.stem, images, zero, limits[2])
        for number, block in enumerate(self.blocks):
            limit = limits[4 << number]
            channels, growth = x.shape[-1], len(block.bottlenecks[0][1].weight)
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


class FoldedResidual:
    """The same of a residual encoder."""

    def __init__(self, encoder: ResidualEncoder, kind: torch.dtype = torch.float16) -> None:
        self.kind = kind
        self.stem = _fold(kind, encoder.stem, encoder.stem_norm)
        self.stages = [
            ResidualStage(
                _fold(kind, transition, None),  # type: ignore[arg-type]
                [
                    (
                        _scale_shift(kind, b.norm1),
                        _fold(kind, b.conv1, b.norm2),
                        _fold(kind, b.conv2, None),
                    )
                    for b in blocks  # type: ignore[attr-defined]
                ],
                _scale_shift(kind, norm),  # type: ignore[arg-type]
            )
            for transition, blocks, norm in zip(
                encoder.transitions, encoder.stages, encoder.stage_norms, strict=True
            )
        ]

    def scales(self, images: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """As the encoder's; the finer one stays in half precision."""
        zero, limits = _limits(images, mask, self.kind)
        x = _stem(self.stem, images, zero, limits[2])
        outputs = []
        for number, stage in enumerate(self.stages):
            limit = limits[4 << number]
            x = stage.transition.conv(x, stride=2 if number else 1)
            for norm1, conv1, conv2 in stage.blocks:
                middle = conv1.conv(norm1(x).clamp_(zero, limit)).clamp_(zero, limit)
                x = x + conv2.conv(middle)
            x = stage.norm(x).clamp_(zero, limit)
            outputs.append(x.permute(0, 3, 1, 2))
        return outputs[-1].float(), outputs[-2]


FoldedEncoder = FoldedDenseNet | FoldedResidual


def fold_encoder(encoder: Encoder, kind: torch.dtype = torch.float16) -> FoldedEncoder:
    if isinstance(encoder, ResidualEncoder):
        return FoldedResidual(encoder, kind)
    return FoldedDenseNet(encoder, kind)


def _scale_shift(kind: torch.dtype, norm: Norm) -> ScaleShift:
    scale = norm.weight * torch.rsqrt(norm.running_var + NORM_EPSILON)
    shift = norm.bias - norm.running_mean * scale
    return ScaleShift(scale.detach().to(kind), shift.detach().to(kind))


def _fold(kind: torch.dtype, convolution: nn.Conv2d, norm: Norm | None) -> Folded:
    """A convolution with the batch norm behind it, where there is one."""
    weight, bias = convolution.weight, convolution.weight.new_zeros(convolution.out_channels)
    if norm is not None:
        scale, bias = _scale_shift(torch.float32, norm)
        weight = weight * scale[:, None, None, None]
    weight = weight.detach().to(kind, copy=True)
    return Folded(weight.contiguous(memory_format=torch.channels_last), bias.to(kind))


def _limits(images: Tensor, mask: Tensor, kind: torch.dtype) -> tuple[Tensor, dict[int, Tensor]]:
    """Zero; and by scale the upper limits of clamps: infinite inside an image, 0 outside."""
    # Made on the device: a number that is sent would wait for all that is queued there.
    infinite = torch.full((), torch.inf, dtype=kind, device=images.device)
    zero = torch.zeros_like(infinite)
    limits = {
        scale: torch.where(upsample_mask(mask, STRIDE // scale), infinite, zero).permute(0, 2, 3, 1)
        for scale in (2, 4, 8, 16)
    }
    return zero, limits


def _stem(stem: Folded, images: Tensor, zero: Tensor, limit: Tensor) -> Tensor:
    x = stem.conv(images.to(stem.weight.dtype).permute(0, 2, 3, 1), stride=2)
    return _pooled(x.clamp_(zero, limit), functional.max_pool2d)


def _pooled(x: Tensor, pool: Callable[[Tensor, int], Tensor]) -> Tensor:
    return pool(x.permute(0, 3, 1, 2), 2).permute(0, 2, 3, 1)
