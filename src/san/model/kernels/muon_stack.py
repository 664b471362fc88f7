"""Weight matrices from flat vectors into a stack, and back. Plain twin: `san.training.muon`.

One pass each way: single operations would read the places of ten million elements six times.
"""

import triton
import triton.language as tl
from torch import Tensor

BLOCK = 1024


@triton.jit(do_not_specialize=["size"])
def gather(
    gradient, momentum, places, slots, stack, size, MOMENTUM: tl.constexpr, BE: tl.constexpr
):  # fmt: skip
    e = tl.program_id(0) * BE + tl.arange(0, BE)
    inside = e < size
    place = tl.load(places + e, mask=inside, other=0)
    slot = tl.load(slots + e, mask=inside, other=0)
    fresh = tl.load(gradient + place, mask=inside, other=0.0)
    kept = tl.load(momentum + place, mask=inside, other=0.0)
    kept += (fresh - kept) * (1 - MOMENTUM)
    tl.store(momentum + place, kept, mask=inside)
    ahead = fresh + (kept - fresh) * MOMENTUM
    tl.store(stack + slot, ahead.to(stack.dtype.element_ty), mask=inside)


@triton.jit(do_not_specialize=["size"])
def scatter(stack, places, slots, gradient, size, BE: tl.constexpr):
    e = tl.program_id(0) * BE + tl.arange(0, BE)
    inside = e < size
    place = tl.load(places + e, mask=inside, other=0)
    slot = tl.load(slots + e, mask=inside, other=0)
    change = tl.load(stack + slot, mask=inside, other=0.0).to(tl.float32)
    tl.store(gradient + place, change, mask=inside)


def gather_matrices(
    gradient: Tensor, momentum: Tensor, places: Tensor, slots: Tensor, stack: Tensor, decay: float
) -> None:
    """The momentum follows the gradient, and the stack gets it as it will be (Nesterov)."""
    gather[(triton.cdiv(len(places), BLOCK),)](
        gradient, momentum, places, slots, stack, len(places), MOMENTUM=decay, BE=BLOCK
    )


def scatter_matrices(stack: Tensor, places: Tensor, slots: Tensor, gradient: Tensor) -> None:
    """The gradient becomes what lies in the stack."""
    scatter[(triton.cdiv(len(places), BLOCK),)](
        stack, places, slots, gradient, len(places), BE=BLOCK
    )
