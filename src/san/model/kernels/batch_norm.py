"""Batch norm over existing pixels + ReLU + dropout, in two kernels forward and two back.

- Maps are rows: one row a pixel, channels side by side, any distance from row to row, so that a
  dense block's layers write next to each other and nothing is ever concatenated.
- `exists` is 1 for a row that lies in an image and 0 for padding; padding is not counted, and is
  written as zero. Plain twin: `san.model.torch.masked_norm.Norm`.
- Sums are taken about the running mean, so one pass gives an exact variance.
- Dropout is a hash of seed, layer and place: nothing is stored, and backward needs only the output,
  which is above zero exactly where a gradient passes. Without dropout (`DROPS`) nothing is hashed,
  and backward computes the output's sign again instead of reading it: it is bound by memory.
- All channel counts are multiples of 4, so that four values move at once.
"""

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from torch import Tensor

from san.model.spec import NORM_EPSILON, NORM_MOMENTUM
from san.model.torch.masked_norm import Norm

TILE = 4096
MAX_PROGRAMS = 528  # four for each multiprocessor of an H200


@triton.jit(do_not_specialize=["rows", "gap4", "c4"])
def sum_rows(x, exists, shift, sums, rows, gap4, c4, BR: tl.constexpr, BC: tl.constexpr):
    gap = gap4 * 4
    channels = c4 * 4
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    inside = c < channels
    about = tl.load(shift + c, mask=inside, other=0.0)
    total = tl.zeros([BR, BC], tl.float32)
    squares = tl.zeros([BR, BC], tl.float32)
    for start in range(tl.program_id(0) * BR, rows, tl.num_programs(0) * BR):
        r = start + tl.arange(0, BR)
        there = tl.load(exists + r, mask=r < rows, other=0.0)
        both = (r < rows)[:, None] & inside[None, :]
        v = tl.load(x + r[:, None] * gap + c[None, :], mask=both, other=0.0).to(tl.float32)
        v = (v - about[None, :]) * there[:, None]
        total += v
        squares += v * v
    tl.atomic_add(sums + c, tl.sum(total, 0), mask=inside, sem="relaxed")
    tl.atomic_add(sums + channels + c, tl.sum(squares, 0), mask=inside, sem="relaxed")


@triton.jit
def random_uniform(index, seed):
    """A number in [0, 1) from a place and a seed."""
    h = index.to(tl.uint32) * 0x9E3779B1 + seed
    h = (h ^ (h >> 16)) * 0x85EBCA6B
    h = (h ^ (h >> 13)) * 0xC2B2AE35
    h = h ^ (h >> 16)
    return (h >> 8).to(tl.float32) * (1.0 / 16777216.0)


@triton.jit(do_not_specialize=["rows", "gap4", "out_gap4", "c4", "layer", "cells", "dropout"])
def normalise(
    x, y, exists, count, sums, shift, running, saved, weight, bias, seed,
    rows, gap4, out_gap4, c4, layer, cells, dropout,
    MOMENTUM: tl.constexpr, EPSILON: tl.constexpr, DROPS: tl.constexpr,
    BR: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    gap = gap4 * 4
    out_gap = out_gap4 * 4
    channels = c4 * 4
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    inside = c < channels
    n = tl.load(count).to(tl.float32) * cells
    offset = tl.load(sums + c, mask=inside, other=0.0) / n
    mean = tl.load(shift + c, mask=inside, other=0.0) + offset
    variance = tl.load(sums + channels + c, mask=inside, other=0.0) / n - offset * offset
    variance = tl.maximum(variance, 0.0)
    inverse = 1.0 / tl.sqrt(variance + EPSILON)
    if tl.program_id(0) == 0:
        tl.store(saved + c, mean, mask=inside)
        tl.store(saved + channels + c, inverse, mask=inside)
        old = tl.load(running + c, mask=inside, other=0.0)
        old_variance = tl.load(running + channels + c, mask=inside, other=0.0)
        fair = variance * n / tl.maximum(n - 1.0, 1.0)
        tl.store(running + c, old + (mean - old) * MOMENTUM, mask=inside)
        moved = old_variance + (fair - old_variance) * MOMENTUM
        tl.store(running + channels + c, moved, mask=inside)
    scale = tl.load(weight + c, mask=inside, other=0.0) * inverse
    start = tl.load(bias + c, mask=inside, other=0.0) - mean * scale
    both = (r < rows)[:, None] & inside[None, :]
    v = tl.load(x + r[:, None] * gap + c[None, :], mask=both, other=0.0).to(tl.float32)
    v = tl.maximum(v * scale[None, :] + start[None, :], 0.0)
    v = v * tl.load(exists + r, mask=r < rows, other=0.0)[:, None]
    if DROPS:
        salt = tl.load(seed).to(tl.uint32) * 0x85EBCA77 + layer.to(tl.uint32) * 0xC2B2AE3D
        u = random_uniform(r[:, None] * channels + c[None, :], salt)
        v = tl.where(u >= dropout, v * (1.0 / (1.0 - dropout)), 0.0)
    tl.store(y + r[:, None] * out_gap + c[None, :], v.to(y.dtype.element_ty), mask=both)


@triton.jit(do_not_specialize=["rows", "dgap4", "ygap4", "xgap4", "c4", "scale"])
def sum_gradients(
    dy, y, x, exists, saved, weight, bias, gradient, rows, dgap4, ygap4, xgap4, c4, scale,
    DROPS: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    """gradient[:C] of the weight, gradient[C:] of the bias."""
    channels = c4 * 4
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    inside = c < channels
    mean = tl.load(saved + c, mask=inside, other=0.0)
    inverse = tl.load(saved + channels + c, mask=inside, other=0.0)
    factor = tl.load(weight + c, mask=inside, other=0.0) * inverse
    first = tl.load(bias + c, mask=inside, other=0.0) - mean * factor
    plain = tl.zeros([BR, BC], tl.float32)
    skewed = tl.zeros([BR, BC], tl.float32)
    for start in range(tl.program_id(0) * BR, rows, tl.num_programs(0) * BR):
        r = start + tl.arange(0, BR)
        both = (r < rows)[:, None] & inside[None, :]
        d = tl.load(dy + r[:, None] * (dgap4 * 4) + c[None, :], mask=both, other=0.0)
        xv = tl.load(x + r[:, None] * (xgap4 * 4) + c[None, :], mask=both, other=0.0)
        xv = xv.to(tl.float32)
        if DROPS:
            yv = tl.load(y + r[:, None] * (ygap4 * 4) + c[None, :], mask=both, other=0.0)
            yv = yv.to(tl.float32)
        else:
            yv = xv * factor[None, :] + first[None, :]
            yv = yv * tl.load(exists + r, mask=r < rows, other=0.0)[:, None]
        g = tl.where(yv > 0.0, d.to(tl.float32), 0.0)
        plain += g
        skewed += g * (xv - mean[None, :])
    tl.atomic_add(gradient + c, tl.sum(skewed, 0) * inverse * scale, mask=inside, sem="relaxed")
    tl.atomic_add(gradient + channels + c, tl.sum(plain, 0) * scale, mask=inside, sem="relaxed")


@triton.jit(do_not_specialize=["rows", "dgap4", "ygap4", "xgap4", "c4", "cells", "scale"])
def gradient_rows(
    dy, y, x, dx, exists, count, saved, weight, bias, gradient, rows, dgap4, ygap4, xgap4, c4,
    cells, scale, DROPS: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    channels = c4 * 4
    r = tl.program_id(0) * BR + tl.arange(0, BR)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    inside = c < channels
    both = (r < rows)[:, None] & inside[None, :]
    n = tl.load(count).to(tl.float32) * cells
    mean = tl.load(saved + c, mask=inside, other=0.0)
    inverse = tl.load(saved + channels + c, mask=inside, other=0.0)
    slope = tl.load(gradient + c, mask=inside, other=0.0) * inverse / n
    level = tl.load(gradient + channels + c, mask=inside, other=0.0) / n
    factor = tl.load(weight + c, mask=inside, other=0.0) * inverse
    d = tl.load(dy + r[:, None] * (dgap4 * 4) + c[None, :], mask=both, other=0.0)
    xv = tl.load(x + r[:, None] * (xgap4 * 4) + c[None, :], mask=both, other=0.0).to(tl.float32)
    if DROPS:
        yv = tl.load(y + r[:, None] * (ygap4 * 4) + c[None, :], mask=both, other=0.0)
        yv = yv.to(tl.float32)
    else:  # padding is left out below
        first = tl.load(bias + c, mask=inside, other=0.0) - mean * factor
        yv = xv * factor[None, :] + first[None, :]
    g = tl.where(yv > 0.0, d.to(tl.float32) * scale, 0.0)
    o = g - level[None, :] - (xv - mean[None, :]) * slope[None, :]
    o = o * factor[None, :]
    o = o * tl.load(exists + r, mask=r < rows, other=0.0)[:, None]
    tl.store(dx + r[:, None] * channels + c[None, :], o.to(dx.dtype.element_ty), mask=both)


@dataclass(frozen=True)
class PixelMask:
    """The pixels of one scale: which rows exist, how many cells do, and pixels in a cell."""

    exists: Tensor  # rows, float32
    count: Tensor  # one float32: existing grid cells of the batch
    cells: float  # pixels of this scale in one cell


@dataclass(frozen=True)
class NormParts:
    """One layer's slices of the buffers that all layers share; two numbers a channel."""

    norm: Norm
    running: Tensor  # mean, variance
    sums: Tensor  # zero before each step
    shift: Tensor  # the running means before the step
    saved: Tensor  # mean, 1 / deviation
    gradient: Tensor  # of weight, of bias; zero before each step
    layer: int


class NormStore:
    """The buffers of all norms of a network, so that one kernel resets them all."""

    def __init__(self, norms: list[Norm]) -> None:
        device = norms[0].running_mean.device
        size = 2 * sum(norm.running_mean.numel() for norm in norms)
        # running, sums, shift, saved, gradient
        self.buffers = torch.zeros(5, size, device=device)
        self.running = self.buffers[0]
        self.parts: dict[int, NormParts] = {}
        start = 0
        for layer, norm in enumerate(norms):
            channels = norm.running_mean.numel()
            columns = self.buffers[:, start : start + 2 * channels]
            start += 2 * channels
            columns[0, :channels] = norm.running_mean
            columns[0, channels:] = norm.running_var
            # The module's own buffers become views: reading and saving see what training did.
            norm.running_mean, norm.running_var = columns[0, :channels], columns[0, channels:]
            running, sums, shift, saved, gradient = columns
            self.parts[id(norm)] = NormParts(norm, running, sums, shift, saved, gradient, layer)

    def reset(self) -> None:
        """Before each step."""
        self.buffers[2].copy_(self.running)
        self.buffers[1].zero_()
        self.buffers[4].zero_()

    def of(self, norm: Norm) -> NormParts:
        return self.parts[id(norm)]


def _blocks(channels: int) -> tuple[int, int]:
    wide = min(128, triton.next_power_of_2(channels))
    return TILE // wide, wide


def forward_rows(x: Tensor, y: Tensor, parts: NormParts, pixels: PixelMask, seed: Tensor) -> None:
    """y = dropout(relu(norm(x))); rows of both may be apart."""
    rows, channels = x.shape
    tall, wide = _blocks(channels)
    across = triton.cdiv(channels, wide)
    programs = triton.cdiv(rows, tall)
    norm = parts.norm
    sum_rows[(min(programs, MAX_PROGRAMS), across)](
        x, pixels.exists, parts.shift, parts.sums, rows, x.stride(0) // 4, channels // 4,
        BR=tall, BC=wide,
    )  # fmt: skip
    normalise[(programs, across)](
        x, y, pixels.exists, pixels.count, parts.sums, parts.shift, parts.running, parts.saved,
        norm.weight, norm.bias, seed, rows, x.stride(0) // 4, y.stride(0) // 4, channels // 4,
        parts.layer, float(pixels.cells), float(norm.dropout),
        MOMENTUM=NORM_MOMENTUM, EPSILON=NORM_EPSILON, DROPS=norm.dropout > 0, BR=tall, BC=wide,
    )  # fmt: skip


def backward_rows(dy: Tensor, y: Tensor, x: Tensor, parts: NormParts, pixels: PixelMask) -> Tensor:
    """The gradient of x; those of weight and bias are left in `parts.gradient`."""
    rows, channels = x.shape
    tall, wide = _blocks(channels)
    across = triton.cdiv(channels, wide)
    programs = triton.cdiv(rows, tall)
    norm = parts.norm
    scale = 1.0 / (1.0 - norm.dropout)
    gaps = (dy.stride(0) // 4, y.stride(0) // 4, x.stride(0) // 4, channels // 4)
    dx = torch.empty(rows, channels, device=x.device, dtype=x.dtype)
    sum_gradients[(min(programs, MAX_PROGRAMS), across)](
        dy, y, x, pixels.exists, parts.saved, norm.weight, norm.bias, parts.gradient, rows, *gaps,
        scale, DROPS=norm.dropout > 0, BR=tall, BC=wide,
    )  # fmt: skip
    gradient_rows[(programs, across)](
        dy, y, x, dx, pixels.exists, pixels.count, parts.saved, norm.weight, norm.bias,
        parts.gradient, rows, *gaps, float(pixels.cells), scale, DROPS=norm.dropout > 0,
        BR=tall, BC=wide,
    )  # fmt: skip
    return dx


class NormRows(torch.autograd.Function):
    """`forward_rows` for autograd."""

    @staticmethod
    def forward(ctx, x, weight, bias, parts, pixels, seed):
        y = torch.empty_like(x)
        forward_rows(x, y, parts, pixels, seed)
        ctx.save_for_backward(x, y)
        ctx.parts, ctx.pixels = parts, pixels
        return y

    @staticmethod
    def backward(ctx, dy):
        x, y = ctx.saved_tensors
        dx = backward_rows(dy.contiguous(), y, x, ctx.parts, ctx.pixels)
        weight, bias = ctx.parts.gradient.chunk(2)
        return dx, weight, bias, None, None, None
