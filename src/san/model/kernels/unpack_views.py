"""Pictures from bits, each in a view of its own. Plain twin: `san.training.dataset`."""

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 1024


@triton.jit
def _bit(bits, start, pitch, x, y, height, width, inside):
    ok = inside & (x >= 0) & (x < width) & (y >= 0) & (y < height)
    byte = tl.load(bits + start + y * pitch + (x >> 3), mask=ok, other=0).to(tl.int32)
    return ((byte >> (7 - (x & 7))) & 1).to(tl.float32)


@triton.jit
def _between(bits, start, pitch, u, v, height, width, inside):
    """What lies between the four pixels around a place."""
    left = tl.floor(u)
    top = tl.floor(v)
    right = u - left
    below = v - top
    x = left.to(tl.int32)
    y = top.to(tl.int32)
    value = _bit(bits, start, pitch, x, y, height, width, inside) * (1 - right) * (1 - below)
    value += _bit(bits, start, pitch, x + 1, y, height, width, inside) * right * (1 - below)
    value += _bit(bits, start, pitch, x, y + 1, height, width, inside) * (1 - right) * below
    value += _bit(bits, start, pitch, x + 1, y + 1, height, width, inside) * right * below
    return value


@triton.jit(do_not_specialize=["images", "high", "wide"])
def unpack(bits, table, warp, out, images, high, wide, BE: tl.constexpr):
    b = tl.program_id(0)
    e = tl.program_id(1) * BE + tl.arange(0, BE)
    start = tl.load(table + b)
    height = tl.load(table + images + b)
    width = tl.load(table + 2 * images + b)
    y = e // wide
    x = e % wide
    inside = (y < height) & (x < width)
    fx = x.to(tl.float32)
    fy = y.to(tl.float32)
    u = tl.load(warp + b) * fx + tl.load(warp + images + b) * fy + tl.load(warp + 2 * images + b)
    wave = tl.load(warp + 4 * images + b) * fy + tl.load(warp + 5 * images + b)
    u += tl.load(warp + 3 * images + b) * tl.sin(wave)
    v = tl.load(warp + 6 * images + b) * fy + tl.load(warp + 7 * images + b)
    wave = tl.load(warp + 9 * images + b) * fx + tl.load(warp + 10 * images + b)
    v += tl.load(warp + 8 * images + b) * tl.sin(wave)
    pitch = (width + 7) >> 3
    radius = tl.load(warp + 12 * images + b)
    value = _between(bits, start, pitch, u, v, height, width, inside)
    if radius > 0:
        for side in tl.static_range(4):
            du = (side == 0) * radius - (side == 1) * radius
            dv = (side == 2) * radius - (side == 3) * radius
            beside = _between(bits, start, pitch, u + du, v + dv, height, width, inside)
            value = tl.maximum(value, beside)
    ink = tl.where(value > tl.load(warp + 11 * images + b), 1.0, 0.0)
    at = out + b * high * wide + e
    tl.store(at, ink.to(out.dtype.element_ty), mask=e < high * wide)


def unpack_views(
    bits: Tensor, table: Tensor, warp: Tensor, size: tuple[int, int], kind: torch.dtype
) -> Tensor:
    """B x 1 x H x W with ink 1; `table` and `warp` are as `Dataset.unpack_images` has them."""
    images, (high, wide) = table.shape[1], size
    out = torch.empty(images, 1, high, wide, device=table.device, dtype=kind)
    unpack[(images, triton.cdiv(high * wide, BLOCK))](
        bits, table, warp, out, images, high, wide, BE=BLOCK
    )
    return out
