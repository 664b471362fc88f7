"""The Syntax-Aware Network: encoder, attention, the two decoders, and `SAN` which joins them."""

from san.model.spec import NetworkConfig
from san.model.torch.batch import Batch
from san.model.torch.network import SAN

__all__ = ["SAN", "Batch", "NetworkConfig"]
