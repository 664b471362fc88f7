"""Batch norm over the pixels that exist: what both encoders are made of.

Padding does not exist. An image has the grid cells that it touches; whatever lies outside them in
its bucket is set to zero, as if the image ended there, and is not counted by batch norm. So
features do not depend on the bucket, nor on who else is in it.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.model.spec import NORM_EPSILON, NORM_MOMENTUM, STRIDE


class Norm(nn.Module):
    """Batch norm over the pixels that exist, then ReLU, dropout, and zero where nothing exists."""

    def __init__(self, channels: int, dropout: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.running_mean: Tensor
        self.running_var: Tensor
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        self.dropout = dropout

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """`x` is B x C x H x W, `mask` B x 1 x H x W of the same type: 1 where a pixel exists."""
        mean, variance = (
            self._measure(x, mask) if self.training else (self.running_mean, self.running_var)
        )
        scale = self.weight * torch.rsqrt(variance + NORM_EPSILON)
        shift = self.bias - mean * scale
        y = functional.relu(x * scale[:, None, None] + shift[:, None, None])
        return functional.dropout(y, self.dropout, self.training) * mask

    def _measure(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        count = mask.sum()
        mean = (x * mask).sum((0, 2, 3)) / count
        variance = ((x - mean[:, None, None]).square() * mask).sum((0, 2, 3)) / count
        with torch.no_grad():
            self.running_mean.lerp_(mean, NORM_MOMENTUM)
            self.running_var.lerp_(variance * count / (count - 1).clamp(min=1), NORM_MOMENTUM)
        return mean, variance


def scale_masks(mask: Tensor, dtype: torch.dtype) -> dict[int, Tensor]:
    """A grid's mask for maps at 1/2, 1/4, 1/8 and 1/16 of the image, by scale."""
    return {scale: upsample_mask(mask, STRIDE // scale).to(dtype) for scale in (2, 4, 8, 16)}


def upsample_mask(mask: Tensor, factor: int) -> Tensor:
    """A grid's mask for maps that are `factor` times as fine: B x h x w -> B x 1 x fh x fw."""
    wide = mask.repeat_interleave(factor, 2) if factor > 1 else mask
    return (wide.repeat_interleave(factor, 1) if factor > 1 else wide)[:, None]


def join_running(norms: list[Norm]) -> Tensor:
    """Running means and variances of all norms in one vector; the modules keep views of it."""
    joined = torch.cat([part for norm in norms for part in (norm.running_mean, norm.running_var)])
    start = 0
    for norm in norms:
        size = norm.running_mean.numel()
        norm.running_mean = joined[start : start + size]
        norm.running_var = joined[start + size : start + 2 * size]
        start += 2 * size
    return joined
