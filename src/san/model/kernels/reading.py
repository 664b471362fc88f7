"""Attention of a frontier's steps when a GPU reads: three kernels of the training step.

The plain twin, `san.model.torch.attention.Attention`, gathers keys and features for every step and
stores all energies: at the first depths of a frontier that is most of what reading takes. Numbers
stay in single precision; the product with past attention may take the matrix units' short cut.
"""

import torch
import triton
from torch import Tensor
from torch.nn import functional

from san.model.kernels import attention as kernels
from san.model.kernels.recurrence import SCORE_TILE, part_of
from san.model.torch.attention import Attention, Memory


class FusedAttention:
    """Of a network that is not trained any more: later changes of its weights have no effect."""

    def __init__(self, attention: Attention) -> None:
        with torch.no_grad():
            kernel = attention.folded_coverage().flatten(1)
            wide = triton.next_power_of_2(kernel.shape[1])
            self.kernel = functional.pad(kernel, (0, wide - kernel.shape[1])).contiguous()
        self.query = attention.query
        self.score = attention.score.weight.detach().flatten()
        self.window = attention.coverage_conv.kernel_size[0]
        self.exact = not self.kernel.is_cuda

    def __call__(
        self, memory: Memory, coverage: Tensor, image: Tensor, state: Tensor, past: Tensor
    ) -> tuple[Tensor, Tensor]:
        """As `Attention.forward`; `coverage` is known already."""
        steps, cells = past.shape
        channels = memory.features.shape[2]
        size, wide = self.kernel.shape
        query, past = self.query(state), past.contiguous()
        score, weights, path = torch.empty(3, steps, cells, device=past.device).unbind()
        context = memory.features.new_empty(steps, channels)
        every = torch.ones_like(image)
        kernels.scores[(steps, triton.cdiv(cells, SCORE_TILE))](
            memory.keys, past, self.kernel, query, self.score, image, every,
            memory.mask.view(torch.uint8), past, score, cells, *memory.grid, size, A=size,
            WINDOW=self.window, BW=wide, BP=SCORE_TILE, BA=part_of(size, SCORE_TILE),
            EXACT=self.exact, FAST=False, SAVE=False,
        )  # fmt: skip
        whole = max(16, triton.next_power_of_2(cells))
        kernels.softmax_rows[(steps,)](score, past, weights, path, cells, BP=whole)
        kernels.contexts[(steps, triton.cdiv(channels, 64))](
            weights, memory.features, image, every, context, cells, channels // 4, BP=128, BC=64
        )
        return weights, context
