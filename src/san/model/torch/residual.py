"""Residual encoder: a grey image 1 x H x W -> features 256 x H/16 x W/16 (ours).

- Stem 7x7/2 and max-pool 2 as in DenseNet, then three stages of residual blocks, at 1/4, 1/8 and
  1/16 of the image. A 3x3 convolution leads into each stage; those of the last two have stride 2.
- A block is norm, ReLU, 3x3, norm, ReLU, 3x3, and is added to what came in (pre-activation). It
  begins as nothing: its last convolution is zero.
- DenseNet spends most of its arithmetic at 1/4 of the image and reads all earlier channels again in
  every layer. The same arithmetic, spread over the scales as plain convolutions, trains twice as
  fast.
- Padding does not exist (`san.model.torch.masked_norm`): what is added up there is never read, for
  it is zero after every norm.
"""

from torch import Tensor, nn

from san.model.spec import BLOCKS, NetworkConfig
from san.model.torch.masked_norm import Norm, scale_masks
from san.model.torch.stem import StemEncoder


class ResidualBlock(nn.Module):
    def __init__(self, channels: int, dropout: float) -> None:
        super().__init__()
        self.norm1 = Norm(channels, 0.0)
        self.conv1 = _conv3x3(channels, channels)
        self.norm2 = Norm(channels, dropout)
        self.conv2 = _conv3x3(channels, channels)
        nn.init.zeros_(self.conv2.weight)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        new = self.conv1(self.norm1(x, mask))
        output: Tensor = x + self.conv2(self.norm2(new, mask))
        return output


class ResidualEncoder(StemEncoder):
    def __init__(self, config: NetworkConfig) -> None:
        super().__init__(config)
        self.transitions, self.stage_norms = nn.ModuleList(), nn.ModuleList()
        self.stages = nn.ModuleList()
        given = config.stem
        for stage in range(BLOCKS):
            channels, blocks = config.residual_channels[stage], config.residual_blocks[stage]
            self.transitions.append(_conv3x3(given, channels, stride=2 if stage else 1))
            self.stages.append(
                nn.ModuleList(
                    ResidualBlock(channels, config.residual_dropout) for _ in range(blocks)
                )
            )
            self.stage_norms.append(Norm(channels, 0.0))
            given = channels

    def scales(self, images: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The features, and those of the stage before: B x C' x H/8 x W/8."""
        masks = scale_masks(mask, images.dtype)
        x = self.from_stem(images, masks[2])
        outputs = []
        for number, blocks in enumerate(self.stages):
            x = self.transitions[number](x)
            for block in blocks:  # type: ignore[attr-defined]
                x = block(x, masks[4 << number])
            x = self.stage_norms[number](x, masks[4 << number])
            outputs.append(x)
        return outputs[-1], outputs[-2]


def _conv3x3(given: int, returned: int, stride: int = 1) -> nn.Conv2d:
    convolution = nn.Conv2d(given, returned, 3, stride=stride, padding=1, bias=False)
    nn.init.kaiming_normal_(convolution.weight, mode="fan_out")
    return convolution
