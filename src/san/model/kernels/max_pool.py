"""Max-pooling 2 x 2 over rows of pixels, there and back. Plain twin: `max_pool2d`.

- Nothing is stored about where a maximum was: going back, the four are looked at again, which is
  less to read than the library's 64-bit places. Of equals the first is taken, as there.
- The gradient's rows may be apart: those of a dense block are.
"""

import torch
import triton
import triton.language as tl

TILE = 2048


@triton.jit
def corners(x, at, below, both, C: tl.constexpr):
    """The four pixels of each window: two above, two below."""
    upper_left = tl.load(x + at, mask=both, other=0.0).to(tl.float32)
    upper_right = tl.load(x + at + C, mask=both, other=0.0).to(tl.float32)
    lower_left = tl.load(x + below, mask=both, other=0.0).to(tl.float32)
    lower_right = tl.load(x + below + C, mask=both, other=0.0).to(tl.float32)
    return upper_left, upper_right, lower_left, lower_right


@triton.jit(do_not_specialize=["rows", "wide"])
def pool(x, y, rows, wide, C: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr):
    """`wide` is a line of y; in x it is twice as long."""
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.arange(0, BC)
    both = (r < rows)[:, None] & (c < C)[None, :]
    at = (r // wide * (4 * wide) + r % wide * 2)[:, None] * C + c[None, :]
    upper_left, upper_right, lower_left, lower_right = corners(x, at, at + 2 * wide * C, both, C)
    most = tl.maximum(tl.maximum(upper_left, upper_right), tl.maximum(lower_left, lower_right))
    tl.store(y + r[:, None] * C + c[None, :], most.to(y.dtype.element_ty), mask=both)


@triton.jit(do_not_specialize=["rows", "wide"])
def pool_backward(
    dy, x, dx, rows, wide,
    C: tl.constexpr, GAP: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.arange(0, BC)
    both = (r < rows)[:, None] & (c < C)[None, :]
    at = (r // wide * (4 * wide) + r % wide * 2)[:, None] * C + c[None, :]
    below = at + 2 * wide * C
    upper_left, upper_right, lower_left, lower_right = corners(x, at, below, both, C)
    d = tl.load(dy + r[:, None] * GAP + c[None, :], mask=both, other=0.0)
    above = tl.maximum(upper_left, upper_right) >= tl.maximum(lower_left, lower_right)
    tl.store(dx + at, tl.where(above & (upper_left >= upper_right), d, 0.0), mask=both)
    tl.store(dx + at + C, tl.where(above & (upper_left < upper_right), d, 0.0), mask=both)
    tl.store(dx + below, tl.where(above | (lower_left < lower_right), 0.0, d), mask=both)
    tl.store(dx + below + C, tl.where(above | (lower_left >= lower_right), 0.0, d), mask=both)


class Pool(torch.autograd.Function):
    """Rows of maps with lines of `wide` pixels -> rows of maps half as high and wide."""

    @staticmethod
    def forward(ctx, x, wide):
        rows, channels = x.shape
        assert x.is_contiguous()
        assert rows % (2 * wide) == wide % 2 == 0
        assert x.numel() < 2**31
        across = triton.next_power_of_2(channels)
        ctx.sizes = (rows // 4, wide // 2)
        ctx.blocks = {"C": channels, "BR": max(1, TILE // across), "BC": across}
        y = x.new_empty(rows // 4, channels)
        pool[(triton.cdiv(rows // 4, ctx.blocks["BR"]),)](x, y, *ctx.sizes, **ctx.blocks)
        ctx.save_for_backward(x)
        return y

    @staticmethod
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        assert dy.stride(1) == 1
        dx = torch.empty_like(x)
        programs = (triton.cdiv(len(dy), ctx.blocks["BR"]),)
        pool_backward[programs](dy, x, dx, *ctx.sizes, GAP=dy.stride(0), **ctx.blocks)
        return dx, None
