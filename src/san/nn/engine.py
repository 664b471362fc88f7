"""The network as an engine for `san.decoding`: torch inside, numpy outside."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.decoding.engine import Floats, Memory, Outcome
from san.grammar.vocabulary import Vocabulary
from san.nn.batch import canvas
from san.nn.network import SAN


class TorchEngine:
    """Wraps a network; it is put into evaluation mode and asked without gradients."""

    def __init__(self, network: SAN, device: torch.device | str = "cpu") -> None:
        self.network = network.to(device).eval()
        self.device = torch.device(device)
        with torch.no_grad():
            self.kernel = network.decoder.attention.past_kernel()

    @property
    def vocabulary(self) -> Vocabulary:
        return self.network.vocabulary

    def encode(
        self, images: Sequence[NDArray[np.generic]], size: tuple[int, int] = (0, 0)
    ) -> Memory:
        """Images of any size, ink 1 on 0, on one canvas of at least `size` pixels."""
        pixels, mask = canvas(images, size)
        return self.encode_canvas(torch.from_numpy(pixels), torch.from_numpy(mask))

    @torch.no_grad()
    def encode_canvas(self, pixels: Tensor, mask: Tensor) -> Memory:
        """Images that lie on one canvas already: B x 1 x H x W, and the cells that each owns."""
        content = self.network.encode(pixels.to(self.device), mask.to(self.device))
        path = np.zeros((len(pixels), *content.grid), np.float32)
        return Memory(content, content.first.cpu().numpy(), path)

    @torch.no_grad()
    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        def there(array: NDArray[np.generic]) -> Tensor:
            return torch.from_numpy(array).to(self.device)

        decoder = self.network.decoder
        past = there(path).flatten(1)
        embedded = decoder.embedding(there(partner))
        taken = decoder.step(
            memory.content, self.kernel, there(image), there(hidden), past, embedded
        )
        symbols, relations = decoder.heads(embedded, taken.state, taken.context)
        paths = (past + taken.weights).view(path.shape)
        return Outcome(*(t.cpu().numpy() for t in (symbols, relations, taken.state, paths)))
