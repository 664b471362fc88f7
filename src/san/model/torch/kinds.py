"""The network of a configuration's kind."""

from san.grammar.vocabulary import Vocabulary
from san.model.spec import NetworkConfig
from san.model.torch.base import Network
from san.model.torch.bttr import BTTR
from san.model.torch.network import SAN


def build_network(config: NetworkConfig, vocabulary: Vocabulary) -> Network:
    """With random weights."""
    kinds: dict[str, type[Network]] = {"bttr": BTTR}
    return kinds.get(config.kind, SAN)(config, vocabulary)
