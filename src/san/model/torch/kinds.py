"""The network of a configuration's kind."""

from san.grammar.vocabulary import Vocabulary
from san.model.spec import NetworkConfig
from san.model.torch.base import Network
from san.model.torch.bttr import BTTR
from san.model.torch.dwap_td import DWAPTD
from san.model.torch.network import SAN


def build_network(config: NetworkConfig, vocabulary: Vocabulary) -> Network:
    """With random weights."""
    kinds: dict[str, type[Network]] = {"bttr": BTTR, "dwap-td": DWAPTD}
    return kinds.get(config.kind, SAN)(config, vocabulary)
