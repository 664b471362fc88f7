"""DenseNet encoder: a grey image 1 x H x W -> features 684 x H/16 x W/16 (section 3.1).

- Stem 7x7/2 and max-pool 2, then three dense blocks of bottlenecks (1x1, 3x3), with transitions
  between them that halve the channels and average-pool 2. Each convolution is followed by batch
  norm, ReLU and dropout.
- Padding does not exist (`san.model.torch.masked_norm`): it is zero after every convolution.
- Sizes are multiples of 16: no pooling window straddles an image's end.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.model.spec import BLOCKS, BOTTLENECK, NetworkConfig
from san.model.torch.masked_norm import Norm, scale_masks
from san.model.torch.stem import StemEncoder


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
    """Half the channels; the encoder pools: the fine attention reads what is not yet pooled."""

    def __init__(self, channels: int, dropout: float) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels, channels // 2, 1, bias=False)
        self.norm = Norm(channels // 2, dropout)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        output: Tensor = self.norm(self.conv(x), mask)
        return output


class DenseNetEncoder(StemEncoder):
    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
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

    def scales(self, images: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The features, and what they came from before the last pooling: B x C' x H/8 x W/8."""
        masks = scale_masks(mask, images.dtype)
        x = self.from_stem(images, masks[2])
        for block, layers in enumerate(self.blocks):
            for layer in layers:  # type: ignore[attr-defined]
                x = layer(x, masks[4 << block])
            if block + 1 < BLOCKS:
                fine = self.transitions[block](x, masks[4 << block])
                x = functional.avg_pool2d(fine, 2)
        return x, fine
