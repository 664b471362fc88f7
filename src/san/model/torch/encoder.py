"""The encoder that a configuration asks for."""

from san.model.spec import NetworkConfig
from san.model.torch.densenet import DenseNetEncoder
from san.model.torch.residual import ResidualEncoder

Encoder = DenseNetEncoder | ResidualEncoder


def build_encoder(config: NetworkConfig) -> Encoder:
    """Both have `scales`: features at 1/16 of the image, and what lies before them at 1/8."""
    return ResidualEncoder(config) if config.encoder == "residual" else DenseNetEncoder(config)
