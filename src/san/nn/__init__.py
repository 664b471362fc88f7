"""The Syntax-Aware Network: encoder, attention, the two decoders, and `SAN` which joins them."""

from san.nn.batch import Batch
from san.nn.config import NetworkConfig
from san.nn.network import SAN

__all__ = ["SAN", "Batch", "NetworkConfig"]
