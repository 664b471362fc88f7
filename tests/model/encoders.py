"""Small networks with either encoder."""

import dataclasses
from typing import Literal

from torch import nn

from san.model.torch import SAN, NetworkConfig
from san.model.torch.residual import ResidualBlock

EncoderName = Literal["densenet", "residual"]
ENCODERS: tuple[EncoderName, ...] = ("densenet", "residual")


def with_encoder(config: NetworkConfig, encoder: EncoderName) -> NetworkConfig:
    """The same network with this encoder, whose sizes are small."""
    sizes = {"residual_channels": (8, 12, 16), "residual_blocks": (1, 2, 1)}
    return dataclasses.replace(config, encoder=encoder, residual_dropout=config.dropout, **sizes)


def fill_blocks(network: SAN) -> None:
    """Residual blocks begin as nothing; here they are random."""
    for module in network.modules():
        if isinstance(module, ResidualBlock):
            nn.init.kaiming_normal_(module.conv2.weight)


def randomise(network: SAN) -> None:
    """As if it had seen something."""
    fill_blocks(network)
    for name, buffer in network.named_buffers():
        buffer.uniform_(0.5, 1.5) if "running_var" in name else buffer.normal_()
