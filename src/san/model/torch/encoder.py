"""DenseNet encoder: a grey image 1 x H x W -> features 684 x H/16 x W/16 (section 3.1).

- Stem 7x7/2 and max-pool 2, then three dense blocks of bottlenecks (1x1, 3x3), with transitions
  between them that halve the channels and average-pool 2. Each convolution is followed by batch
  norm, ReLU and dropout.
- Padding does not exist. An image has the grid cells that it touches; whatever lies outside them
  in its bucket is set to zero after every convolution, as if the image ended there, and is not
  counted by batch norm. So features do not depend on the bucket, nor on who else is in it.
- Sizes are multiples of 16: no pooling window straddles an image's end.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.model.spec import (
    BLOCKS,
    BOTTLENECK,
    NORM_EPSILON,
    NORM_MOMENTUM,
    STEM_KERNEL,
    STRIDE,
    NetworkConfig,
)


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


class Bottleneck(nn.Module):
    """1x1 then 3x3; the new channels are concatenated to those that came in."""

    def __init__(self, channels: int, growth: int, dropout: float) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, BOTTLENECK * growth, 1, bias=False)
        self.norm1 = Norm(BOTTLENECK * growth, dropout)
        self.conv2 = nn.Conv2d(BOTTLENECK * growth, growth, 3, padding=1, bias=False)
        self.norm2 = Norm(growth, dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        new = self.norm1(self.conv1(x), mask)
        new = self.norm2(self.conv2(new), mask)
        return torch.cat((x, new), 1)


class Transition(nn.Module):
    """Half the channels; `Encoder` pools, for the fine attention reads what is not yet pooled."""

    def __init__(self, channels: int, dropout: float) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels // 2, 1, bias=False)
        self.norm = Norm(channels // 2, dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        output: Tensor = self.norm(self.conv(x), mask)
        return output


class Encoder(nn.Module):
    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.stem = nn.Conv2d(
            1, config.stem, STEM_KERNEL, stride=2, padding=STEM_KERNEL // 2, bias=False
        )
        self.stem_norm = Norm(config.stem, 0.0)
        self.blocks = nn.ModuleList()
        self.transitions = nn.ModuleList()
        channels = config.stem
        for block in range(BLOCKS):
            layers = nn.ModuleList()
            for _ in range(config.layers):
                layers.append(Bottleneck(channels, config.growth, config.dropout))
                channels += config.growth
            self.blocks.append(layers)
            if block + 1 < BLOCKS:
                self.transitions.append(Transition(channels, config.dropout))
                channels //= 2

    def forward(self, images: Tensor, mask: Tensor) -> Tensor:
        """`images` B x 1 x H x W, ink 1 on 0; `mask` B x H/16 x W/16, true where a cell exists."""
        return self.scales(images, mask)[0]

    def scales(self, images: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The features, and what they came from before the last pooling: B x C' x H/8 x W/8."""
        masks = {
            scale: upsample_mask(mask, STRIDE // scale).to(images.dtype) for scale in (2, 4, 8, 16)
        }
        x: Tensor = self.stem_norm(self.stem(images), masks[2])
        x = functional.max_pool2d(x, 2)
        for block, layers in enumerate(self.blocks):
            for layer in layers:  # type: ignore[attr-defined]
                x = layer(x, masks[4 << block])
            if block + 1 < BLOCKS:
                fine = self.transitions[block](x, masks[4 << block])
                x = functional.avg_pool2d(fine, 2)
        return x, fine


def upsample_mask(mask: Tensor, factor: int) -> Tensor:
    """A grid's mask for maps that are `factor` times as fine: B x h x w -> B x 1 x fh x fw."""
    wide = mask.repeat_interleave(factor, 2) if factor > 1 else mask
    return (wide.repeat_interleave(factor, 1) if factor > 1 else wide)[:, None]
