"""Syntax-aware attention (section 3.3, eq. 9 to 11).

- The score of a cell comes from the query, the cell's key and the past attention around it.
- Past attention passes an 11x11 convolution and a linear map. Nothing stands between the two, so
  they are folded into one convolution before they are used, in training too.
- That convolution has one input channel: it is a product of every cell's window with the kernel.
  Libraries of convolutions plan anew for every number of steps, and a product wants no plan.
- The query's and the past attention's maps have no bias: the key's bias serves all three.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.model.spec import NetworkConfig
from san.model.torch.fine_attention import FineFeatures


class Memory(NamedTuple):
    """What the decoder reads of a batch of images; L is the number of grid cells."""

    features: Tensor  # B x L x C, zero outside an image: E(X)
    keys: Tensor  # B x L x A: W_e E(X)
    mask: Tensor  # B x L, true where a cell exists
    init_state: Tensor  # B x H, the state that the first step receives
    grid: tuple[int, int]  # rows and columns: L of them
    fine: FineFeatures | None = None  # where the network has a fine attention

    def of(self, image: Tensor) -> "Memory":
        """For each of some steps what it reads of its image."""
        return self._replace(
            features=self.features.index_select(0, image),
            keys=self.keys.index_select(0, image),
            mask=self.mask.index_select(0, image),
        )


class Attention(nn.Module):
    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        side = config.coverage_kernel
        self.key = nn.Linear(config.features, config.attention)  # W_e
        self.query = nn.Linear(config.hidden, config.attention, bias=False)  # W_o
        self.coverage_conv = nn.Conv2d(1, config.attention, side, padding=side // 2, bias=False)
        self.coverage_proj = nn.Linear(config.attention, config.attention, bias=False)  # W_alpha
        self.score = nn.Linear(config.attention, 1, bias=False)  # W_w

    def folded_coverage(self) -> Tensor:
        """Convolution and linear map of past attention as one kernel: A x 1 x side x side."""
        convolution = self.coverage_conv.weight
        return (self.coverage_proj.weight @ convolution.flatten(1)).view_as(convolution)

    def forward(
        self, memory: Memory, coverage: Tensor, image: Tensor | None, state: Tensor, past: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The weights xi of eq. 9 (N x L) and the compact feature Omega of eq. 10 (N x C).

        Args:
            memory: the images.
            coverage: `folded_coverage()`.
            image: for each of the N steps which image it reads; None: each its own.
            state: N x H.
            past: N x L, the attention of earlier steps.
        """
        memory = memory if image is None else memory.of(image)
        energy = self._windows(past, memory.grid) @ coverage.flatten(1).T + memory.keys
        score = self.score(torch.tanh(energy + self.query(state)[:, None])).squeeze(-1)
        score = score.masked_fill(~memory.mask, float("-inf"))
        weights = torch.softmax(score, -1)
        return weights, torch.bmm(weights[:, None], memory.features).squeeze(1)

    def _windows(self, past: Tensor, grid: tuple[int, int]) -> Tensor:
        """Past attention around each cell: N x L x side * side."""
        side = self.coverage_conv.kernel_size[0]
        padded = functional.pad(past.view(-1, *grid), (side // 2,) * 4)
        return padded.unfold(1, side, 1).unfold(2, side, 1).reshape(*past.shape, -1)
