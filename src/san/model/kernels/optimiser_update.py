"""The optimiser's step in one pass over the vectors. Plain twin: `san.training.optimiser`."""

import triton
import triton.language as tl
from torch import Tensor

BLOCK = 2048


@triton.jit(do_not_specialize=["size", "low"])
def update(
    master, gradient, first, second, average, working, kinds, norm, rates, size, low,
    CLIP: tl.constexpr, DECAY: tl.constexpr, RHO: tl.constexpr, EPSILON: tl.constexpr,
    ADADELTA: tl.constexpr, BE: tl.constexpr,
):  # fmt: skip
    e = tl.program_id(0) * BE + tl.arange(0, BE)
    inside = e < size
    rate = tl.load(rates)
    keep = tl.load(rates + 1)
    count = tl.load(rates + 2)
    p = tl.load(master + e, mask=inside, other=0.0)
    g = tl.load(gradient + e, mask=inside, other=0.0)
    a = tl.load(first + e, mask=inside, other=0.0)
    b = tl.load(second + e, mask=inside, other=0.0)
    if CLIP > 0:
        g = g * tl.minimum(CLIP / (tl.load(norm) + 1e-6), 1.0)
    if ADADELTA:
        g = g + DECAY * p
        a = RHO * a + (1 - RHO) * g * g
        change = tl.sqrt(b + EPSILON) / tl.sqrt(a + EPSILON) * g
        b = RHO * b + (1 - RHO) * change * change
        p = p - rate * change
    else:
        kind = tl.load(kinds + e, mask=inside, other=0.0)
        turned = kind > 1  # by Muon: the momentum is up to date, and the gradient is the change
        a = a + (g - a) * tl.where(turned, 0.0, 0.1)
        b = 0.999 * b + 0.001 * g * g
        # The logarithms of 0.999 and 0.9: their powers correct the moments' bias.
        change = a / (tl.sqrt(b / (1 - tl.exp(count * -0.0010005003335835344))) + 1e-8)
        change = tl.where(turned, g, change / (1 - tl.exp(count * -0.10536051565782628)))
        p = p * (1 - rate * DECAY * tl.minimum(kind, 1.0))
        p = p - change * rate
    tl.store(master + e, p, mask=inside)
    tl.store(first + e, a, mask=inside)
    tl.store(second + e, b, mask=inside)
    mean = tl.load(average + e, mask=inside, other=0.0)
    tl.store(average + e, mean + (p - mean) * (1 - keep), mask=inside)
    tl.store(working + e, p.to(working.dtype.element_ty), mask=e < low)


def fused_update(
    vectors: tuple[Tensor, ...],
    norm: Tensor,
    rates: Tensor,
    low: int,
    adadelta: bool,
    clip_norm: float,
    weight_decay: float,
    rho: float,
    epsilon: float,
) -> None:
    """`vectors`: master, gradient, both moments, average, working copies, kinds of elements.

    A `clip_norm` of 0 clips nothing.
    """
    size = vectors[0].numel()
    update[(triton.cdiv(size, BLOCK),)](
        *vectors, norm, rates, size, low, CLIP=clip_norm, DECAY=weight_decay,
        RHO=rho, EPSILON=epsilon, ADADELTA=adadelta, BE=BLOCK,
    )  # fmt: skip
