"""Both attentions of a frontier's steps when a GPU reads: the training step's kernels and one more.

- The plain twin of the first, `san.model.torch.attention.Attention`, gathers keys and features for
  every step and stores all energies: at the first depths of a frontier that is most of what reading
  takes. Numbers stay in single precision; the product with past attention may take the matrix
  units' short cut.
- The plain twin of the second, `san.model.torch.fine_attention.FineAttention`, groups steps by
  image, as many for each as one image has, and goes over the images that have no step left too.
  Here a step reads its image's cells where they lie, and those outside the image not at all.
- Features of an encoder in half precision lie cell by cell; those of others are laid so first.
- Nothing depends on numbers that only the host knows, so a step can be captured. Slots that only
  fill it up are not `used`: they cost next to nothing.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.nn import functional

from san.model.kernels import attention as kernels
from san.model.kernels.recurrence import SCORE_TILE, part_of
from san.model.spec import MIN_ATTENTION
from san.model.torch.attention import Attention, Memory
from san.model.torch.decoder import Decoder, StepOutput
from san.model.torch.fine_attention import MASKED, FineAttention

FINE_TILE = 32  # cells whose four fine ones a program scores


@triton.jit(do_not_specialize=["cells", "columns"])
def fine_scores(
    keys, query, weights, image, used, mask, out, cells, columns, scale, least, masked,
    G: tl.constexpr, BG: tl.constexpr, BP: tl.constexpr,
):  # fmt: skip
    """Scores of the four fine cells of each cell; nothing of what no step uses."""
    n = tl.program_id(0)
    p = tl.program_id(1) * BP + tl.arange(0, BP)
    g = tl.arange(0, BG)
    b = tl.load(image + n)
    live = (p < cells) & (tl.load(used + n) != 0)
    own = live & (tl.load(mask + b * cells + p, mask=live, other=0) != 0)
    prior = tl.log(tl.load(weights + n * cells + p, mask=own, other=1.0) + least)
    q = tl.load(query + n * G + g, mask=g < G, other=0.0) * scale
    corner = p // columns * 4 * columns + p % columns * 2
    for part in tl.static_range(4):
        at = corner + part // 2 * 2 * columns + part % 2
        ok = own[:, None] & (g < G)[None, :]
        k = tl.load(keys + (b * 4 * cells + at)[:, None] * G + g[None, :], mask=ok, other=0.0)
        score = tl.sum(k * q[None, :], 1) + prior
        tl.store(out + n * 4 * cells + at, tl.where(own, score, masked), mask=p < cells)


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
        self,
        memory: Memory,
        coverage: Tensor,
        image: Tensor,
        state: Tensor,
        past: Tensor,
        used: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """As `Attention.forward`; `coverage` is known already; by default all slots are used."""
        steps, cells = past.shape
        channels = memory.features.shape[2]
        size, wide = self.kernel.shape
        query, past = self.query(state), past.contiguous()
        score, weights, path = torch.empty(3, steps, cells, device=past.device).unbind()
        context = memory.features.new_empty(steps, channels)
        used = torch.ones_like(image) if used is None else used
        kernels.scores[(steps, triton.cdiv(cells, SCORE_TILE))](
            memory.keys, past, self.kernel, query, self.score, image, used,
            memory.mask.view(torch.uint8), past, score, cells, *memory.grid, size, A=size,
            WINDOW=self.window, BW=wide, BP=SCORE_TILE, BA=part_of(size, SCORE_TILE),
            EXACT=self.exact, FAST=False, SAVE=False,
        )  # fmt: skip
        whole = max(16, triton.next_power_of_2(cells))
        kernels.softmax_rows[(steps,)](score, past, weights, path, cells, BP=whole)
        kernels.contexts[(steps, triton.cdiv(channels, 64))](
            weights, memory.features.contiguous(), image, used, context, cells, channels // 4,
            BP=128, BC=64,
        )  # fmt: skip
        return weights, context


class FusedFineAttention:
    def __init__(self, attention: FineAttention) -> None:
        self.query = attention.query

    def __call__(
        self, memory: Memory, image: Tensor, output: StepOutput, used: Tensor | None = None
    ) -> Tensor:
        """The steps' fine contexts, as `Decoder.fine_context`."""
        fine = memory.fine
        assert fine is not None, "the fine attention needs the finer features"
        steps, cells = output.weights.shape
        size, channels = fine.keys.shape[2], fine.features.shape[2]
        used = torch.ones_like(image) if used is None else used
        score = torch.empty(steps, 4 * cells, device=image.device)
        fine_scores[(steps, triton.cdiv(cells, FINE_TILE))](
            fine.keys, self.query(output.state), output.weights, image, used,
            memory.mask.view(torch.uint8), score, cells, memory.grid[1], size**-0.5,
            MIN_ATTENTION, MASKED, G=size, BG=triton.next_power_of_2(size), BP=FINE_TILE,
        )  # fmt: skip
        weights = torch.softmax(score, -1)
        context = fine.features.new_empty(steps, channels)
        kernels.contexts[(steps, triton.cdiv(channels, 32))](
            weights, fine.features.contiguous(), image, used, context, 4 * cells, channels // 4,
            BP=128, BC=32,
        )  # fmt: skip
        return context


class FusedAttentions:
    """Both of a decoder; the second is None where it has none."""

    def __init__(self, decoder: Decoder) -> None:
        self.attention = FusedAttention(decoder.attention)
        fine = decoder.fine_attention
        self._fine = None if fine is None else FusedFineAttention(fine)

    def fine_context(
        self, memory: Memory, image: Tensor, output: StepOutput, used: Tensor
    ) -> Tensor | None:
        return None if self._fine is None else self._fine(memory, image, output, used)
