"""Networks of every kind as readers: images in, readings out, by the decoder of their language."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.decoding.beam import decode_beam_memory
from san.decoding.engine import DecodingLimits, Memory
from san.decoding.frontier import DEFAULT, decode_memory
from san.decoding.reading import Reading
from san.decoding.stack import decode_stacks_memory
from san.decoding.strings import ChainEngine, read_strings
from san.errors import SanError
from san.model.torch.base import Network
from san.model.torch.bttr import BTTR
from san.model.torch.bttr_reader import BTTRReader
from san.model.torch.dwap_td import DWAPTD
from san.model.torch.dwap_td_reader import DWAPTDReader
from san.model.torch.engine import TorchEngine
from san.model.torch.network import SAN


class NetworkReader(Protocol):
    """A network that is ready to read."""

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        """Images of any size, ink 1 on 0."""
        ...

    def encode_canvas(self, pixels: Tensor, mask: Tensor) -> Memory:
        """Images that lie on one canvas already: B x 1 x H x W, and the cells that each owns."""
        ...

    def read(
        self, memory: Memory, limits: DecodingLimits = DEFAULT, beam: int = 1
    ) -> list[list[Reading]]:
        """For each image its readings, the best first; a beam of 1 is greedy."""
        ...


class StepReader(TorchEngine):
    """SAN, SAN-GS and DWAP."""

    def read(
        self, memory: Memory, limits: DecodingLimits = DEFAULT, beam: int = 1
    ) -> list[list[Reading]]:
        kind = self.network.config.kind
        if kind == "dwap":
            chain = ChainEngine(self)
            return read_strings(chain, memory, len(memory.hidden), limits.steps, beam)
        if beam > 1 and kind == "san-gs":
            raise SanError("a beam searches trees by level: a network of kind san-gs takes 1")
        if beam > 1:
            return decode_beam_memory(self, memory, beam, limits)
        decode = decode_memory if kind == "san" else decode_stacks_memory
        return [[reading] for reading in decode(self, memory, limits)]


def open_reader(network: Network, device: torch.device | str = "cpu") -> NetworkReader:
    """The reader of a network's kind."""
    if isinstance(network, BTTR):
        return BTTRReader(network, device)
    if isinstance(network, DWAPTD):
        return DWAPTDReader(network, device)
    assert isinstance(network, SAN)
    return StepReader(network, device)
