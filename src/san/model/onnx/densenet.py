"""DenseNet's part of the encoder's graph (`san.model.torch.densenet`).

With ranges, the first two blocks and the transitions behind them compute in eight bits: nine tenths
of the arithmetic. The encoder then takes two fifths of the time.
"""

from san.model.onnx.layers import Layers
from san.model.spec import BLOCKS, NetworkConfig

INT8_BLOCKS = 2
"""So many blocks may be computed in eight bits."""


def add_densenet(layers: Layers, config: NetworkConfig) -> tuple[str, str]:
    """The features, and those of the last transition before it is pooled."""
    x = fine = layers.stem(config.stem)
    for block in range(BLOCKS):
        for layer in range(config.layers):
            name = f"encoder.blocks.{block}.{layer}"
            new = layers.conv(x, f"{name}.conv1", f"{name}.norm1")
            new = layers.conv(new, f"{name}.conv2", f"{name}.norm2")
            x = layers.concatenate(x, new)
        if block + 1 < BLOCKS:
            name = f"encoder.transitions.{block}"
            x = layers.conv(x, f"{name}.conv", f"{name}.norm")
            fine = layers.dequantise(x) if block + 1 == INT8_BLOCKS else x
            x = layers.pool(fine)
    return x.name, fine.name


def densenet_int8_layers(config: NetworkConfig) -> list[str]:
    """The layers whose ranges eight bits take."""
    names = ["encoder.stem_norm"]
    for block in range(INT8_BLOCKS):
        for layer in range(config.layers):
            name = f"encoder.blocks.{block}.{layer}"
            names += (f"{name}.norm1", f"{name}.norm2")
        names.append(f"encoder.transitions.{block}.norm")
    return names
