"""The residual encoder's part of the encoder's graph (`san.model.torch.residual`).

With ranges, all convolutions but the stem compute in eight bits. The sum that goes from block to
block, and the norms that read it, stay in single precision.
"""

from san.model.onnx.layers import Activation, Layers
from san.model.spec import BLOCKS, NetworkConfig


def add_residual(layers: Layers, config: NetworkConfig) -> tuple[str, str]:
    """The features, and those at 1/8 of the image."""
    given = layers.stem(config.stem)
    outputs: list[Activation] = []
    for stage in range(BLOCKS):
        channels = config.residual_channels[stage]
        x = layers.plain_conv(given, f"encoder.transitions.{stage}", stride=2 if stage else 1)
        for block in range(config.residual_blocks[stage]):
            name = f"encoder.stages.{stage}.{block}"
            new = layers.quantise(layers.norm(x, f"{name}.norm1"), f"{name}.norm1", channels)
            new = layers.conv(new, f"{name}.conv1", f"{name}.norm2")
            x = layers.add(x, layers.plain_conv(new, f"{name}.conv2"))
        norm = f"encoder.stage_norms.{stage}"
        outputs.append(layers.norm(x, norm))
        if stage + 1 < BLOCKS:
            given = layers.quantise(outputs[-1], norm, channels)
    return outputs[-1].name, outputs[-2].name


def residual_int8_layers(config: NetworkConfig) -> list[str]:
    """The layers whose ranges eight bits take."""
    names = ["encoder.stem_norm"]
    for stage in range(BLOCKS):
        names.append(f"encoder.transitions.{stage}")
        for block in range(config.residual_blocks[stage]):
            name = f"encoder.stages.{stage}.{block}"
            names += (f"{name}.norm1", f"{name}.norm2", f"{name}.conv2")
        if stage + 1 < BLOCKS:
            names.append(f"encoder.stage_norms.{stage}")
    return names
