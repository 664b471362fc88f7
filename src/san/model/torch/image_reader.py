"""What readers of networks without SAN's steps share: images in, what their decoder keeps of them.

`san.model.torch.engine` does the same for SAN, SAN-GS and DWAP, whose decoders take single steps.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.decoding.engine import Memory
from san.model.torch.base import Network
from san.model.torch.batch import canvas

N = TypeVar("N", bound=Network)


class ImageReader(ABC, Generic[N]):
    """A network in evaluation mode; whoever inherits decodes."""

    def __init__(self, network: N, device: torch.device | str = "cpu") -> None:
        self.network, self.device = network.to(device).eval(), torch.device(device)

    @abstractmethod
    def remember(self, features: Tensor, mask: Tensor) -> Any:
        """What the decoder keeps of the encoder's features, B x C x h x w."""

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        pixels, mask = canvas(images)
        return self.encode_canvas(torch.from_numpy(pixels), torch.from_numpy(mask))

    @torch.inference_mode()
    def encode_canvas(self, pixels: Tensor, mask: Tensor) -> Memory:
        pixels, mask = pixels.to(self.device), mask.to(self.device)
        features, _ = self.network.encoder.scales(pixels.float(), mask)
        none = np.zeros((len(mask), 0), np.float32)
        return Memory(self.remember(features, mask), none, none)
