"""The stem's 7x7/2 convolution of grey images into rows of pixels. Plain twin: `conv2d`.

- One channel comes in: to the library that is a matrix without depth. Here a pixel's 49 neighbours
  are the depth, gathered when they are needed.
- Rows come out, and their gradients go in, as the norm has them: the library would have the
  channels in front, and both maps (the largest of all) would be turned over.
- A tile lies within one line, so a pixel's place takes no division. Programs sequential over tiles.
- Images need no gradient. The weights' gradients of the programs are added up in a fixed order.
"""

import torch
import triton
import triton.language as tl
from torch import Tensor

TAPS, PADDED_TAPS = 49, 64  # columns: the next power of two
PIXELS = 32  # of a tile
MAX_PROGRAMS = 528  # four for each multiprocessor of an H200


@triton.jit
def windows(images, line, w, t, high, wide):
    """What pixels of one line see of the image, which is twice as large; a row for each pixel."""
    y = line % high * 2 + t // 7 - 3
    x = w[:, None] * 2 + (t % 7 - 3)[None, :]
    start = (line // high * high * 2 + y) * wide * 2
    seen = ((y >= 0) & (y < 2 * high) & (t < 49))[None, :] & (w < wide)[:, None]
    seen = seen & (x >= 0) & (x < 2 * wide)
    return tl.load(images + start[None, :] + x, mask=seen, other=0.0)


@triton.jit(do_not_specialize=["tiles", "across", "high", "wide"])
def stem_forward(
    images, weight, rows, tiles, across, high, wide,
    OUT: tl.constexpr, BP: tl.constexpr, BT: tl.constexpr, BO: tl.constexpr,
):  # fmt: skip
    o = tl.arange(0, BO)
    t = tl.arange(0, BT)
    known = (t < 49)[:, None] & (o < OUT)[None, :]
    taps = tl.load(weight + o[None, :] * 49 + t[:, None], mask=known, other=0.0)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        line = tile // across
        w = tile % across * BP + tl.arange(0, BP)
        seen = windows(images, line, w, t, high, wide)
        result = tl.dot(seen, taps, input_precision="ieee").to(rows.dtype.element_ty)
        both = (w < wide)[:, None] & (o < OUT)[None, :]
        tl.store(rows + (line * wide + w)[:, None] * OUT + o[None, :], result, mask=both)


@triton.jit(do_not_specialize=["tiles", "across", "high", "wide"])
def stem_backward(
    images, dy, sums, tiles, across, high, wide,
    OUT: tl.constexpr, BP: tl.constexpr, BT: tl.constexpr, BO: tl.constexpr,
):  # fmt: skip
    """sums[program, out, tap] over the tiles of one program."""
    o = tl.arange(0, BO)
    t = tl.arange(0, BT)
    total = tl.zeros([BO, BT], tl.float32)
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        line = tile // across
        w = tile % across * BP + tl.arange(0, BP)
        both = (w < wide)[:, None] & (o < OUT)[None, :]
        d = tl.load(dy + (line * wide + w)[:, None] * OUT + o[None, :], mask=both, other=0.0)
        seen = windows(images, line, w, t, high, wide)
        total = tl.dot(tl.trans(d), seen, total, input_precision="ieee")
    known = (o < OUT)[:, None] & (t < 49)[None, :]
    tl.store(sums + (tl.program_id(0) * OUT + o[:, None]) * 49 + t[None, :], total, mask=known)


def _tiles(images: Tensor) -> tuple[int, tuple[int, int, int, int]]:
    """Programs; and tiles, tiles in a line, height and width of the map."""
    batch, channels, high, wide = images.shape
    assert channels == 1
    assert high % 2 == wide % 2 == 0
    assert images.is_contiguous()
    across = triton.cdiv(wide // 2, PIXELS)
    tiles = batch * (high // 2) * across
    return min(tiles, MAX_PROGRAMS), (tiles, across, high // 2, wide // 2)


class Stem(torch.autograd.Function):
    """B x 1 x H x W -> rows of pixels of a map half as large."""

    @staticmethod
    def forward(ctx, images, weight):
        out = weight.shape[0]
        assert weight.shape[1:] == (1, 7, 7)
        assert weight.is_contiguous()
        programs, sizes = _tiles(images)
        rows = images.new_empty(images.numel() // 4, out)
        assert rows.numel() < 2**31
        columns = max(16, triton.next_power_of_2(out))  # no product is narrower than 16
        stem_forward[(programs,)](
            images, weight, rows, *sizes, OUT=out, BP=PIXELS, BT=PADDED_TAPS, BO=columns
        )
        ctx.save_for_backward(images, weight)
        return rows

    @staticmethod
    def backward(ctx, dy):
        images, weight = ctx.saved_tensors
        out = weight.shape[0]
        assert dy.is_contiguous()
        programs, sizes = _tiles(images)
        sums = torch.empty(programs, out, TAPS, device=dy.device)
        columns = max(16, triton.next_power_of_2(out))
        stem_backward[(programs,)](
            images, dy, sums, *sizes, OUT=out, BP=PIXELS, BT=PADDED_TAPS, BO=columns
        )
        return None, sums.sum(0).view_as(weight).to(weight.dtype)
