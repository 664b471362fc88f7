"""The weight gradients of a dense block's 3x3 convolutions. Plain twin: `library_weight_gradients`.

- Few weights, very many pixels: the library leaves a layer to a handful of multiprocessors. Here
  all layers of a block run at once, and each program sums over its own run of a layer's pixels. A
  second kernel adds up the runs in a fixed order: the same step always gives the same gradient.
- One product serves all taps: its rows are tap and output channel, its columns input channels. The
  narrow side, dy, is what moves from tap to tap; x, four times as wide, is read where it lies.
- A pixel's place in its image is carried along from tile to tile: no division in the loop.
- Any numbers of channels will do; multiples of 8 move 16 bytes at once.
- Tensor cores multiply bf16. Float32 on a GPU is left to the library.
"""

from collections.abc import Sequence

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.nn.grad import conv2d_weight

TAPS = 9
MAX_PROGRAMS = 132  # one for each multiprocessor of an H200
PIXELS, ROWS, COLUMNS = 64, 256, 128  # of a tile, at most: pixels of a step, taps x out, in
WARPS, STAGES = 8, 3
BLOCK = 512  # numbers that a program adds up


@triton.jit
def pick(tensors, index):
    """The pointer at a place that only the running program knows."""
    chosen = tensors[0]
    for place in tl.static_range(1, len(tensors)):
        chosen = tl.where(index == place, tensors[place], chosen)
    return chosen


@triton.jit(do_not_specialize=["pixels", "high", "wide", "steps"])
def sum_taps(
    dys, xs, sums, pixels, high, wide, steps,
    OUT: tl.constexpr, IN: tl.constexpr,
    BP: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    """sums[layer, run, tap, out, in] over the pixels of one run."""
    run = tl.program_id(0)
    across = tl.cdiv(IN, BC)
    layer = tl.program_id(2)
    dy = pick(dys, layer)
    x = pick(xs, layer)
    row = tl.program_id(1) // across * BR + tl.arange(0, BR)
    c = tl.program_id(1) % across * BC + tl.arange(0, BC)
    tap = row // OUT
    down = tap // 3 - 1
    right = tap % 3 - 1
    # The tap that finds x at a pixel belongs to the pixel that lies (down, right) before it.
    back = row % OUT - (down * wide + right) * OUT
    q = run * steps * BP + tl.arange(0, BP)
    h = q // wide % high
    w = q % wide
    total = tl.zeros([BR, BC], tl.float32)
    for _ in range(steps):
        real = q < pixels
        here = real[:, None] & (c < IN)[None, :]
        xv = tl.load(x + q[:, None] * IN + c[None, :], mask=here, other=0.0)
        # As unsigned numbers, those below zero are too large as well.
        above = (h[:, None] - down[None, :]).to(tl.uint32) < high.to(tl.uint32)
        beside = (w[:, None] - right[None, :]).to(tl.uint32) < wide.to(tl.uint32)
        there = above & beside & real[:, None] & (tap < 9)[None, :]
        d = tl.load(dy + q[:, None] * OUT + back[None, :], mask=there, other=0.0)
        total = tl.dot(tl.trans(d), xv, total, input_precision="ieee")
        q += BP
        w += BP % wide
        h += BP // wide % high + (w >= wide).to(tl.int32)
        w = tl.where(w >= wide, w - wide, w)
        h = tl.where(h >= high, h - high, h)
    first = (layer * tl.num_programs(0) + run) * (9 * OUT)
    both = (tap < 9)[:, None] & (c < IN)[None, :]
    tl.store(sums + (first + row[:, None]) * IN + c[None, :], total, mask=both)


@triton.jit(do_not_specialize=["runs"])
def add_runs(sums, gradient, runs, OUT: tl.constexpr, IN: tl.constexpr, BE: tl.constexpr):
    """gradient[layer, out, tap, in]: sums[layer, run, tap, out, in] over the runs."""
    size: tl.constexpr = 9 * OUT * IN
    layer = tl.program_id(1)
    e = tl.program_id(0) * BE + tl.arange(0, BE)
    total = tl.zeros([BE], tl.float32)
    for run in range(runs):
        total += tl.load(sums + (layer * runs + run) * size + e, mask=e < size, other=0.0)
    at = (e // IN % OUT * 9 + e // (OUT * IN)) * IN + e % IN
    result = total.to(gradient.dtype.element_ty)
    tl.store(gradient + layer * size + at, result, mask=e < size)


def conv3x3_weight_gradients(dys: Sequence[Tensor], xs: Sequence[Tensor]) -> list[Tensor]:
    """Of each layer, what `dy` says of its weights: out x in x 3 x 3. All maps channels last."""
    x, dy, layers = xs[0], dys[0], len(xs)
    if x.is_cuda and x.dtype != torch.bfloat16:
        return library_weight_gradients(dys, xs)
    (batch, into, high, wide), out = x.shape, dy.shape[1]
    for layer_maps, shape in ((xs, x.shape), (dys, (batch, out, high, wide))):
        assert len(layer_maps) == layers
        for maps in layer_maps:
            assert maps.shape == shape
            assert maps.dtype == x.dtype
            assert maps.is_contiguous(memory_format=torch.channels_last)
    pixels, rows = batch * high * wide, TAPS * out
    assert pixels * max(into, out) < 2**31
    tall = min(ROWS, triton.next_power_of_2(rows))
    across = max(16, min(COLUMNS, triton.next_power_of_2(into)))  # no product is narrower than 16
    blocks = triton.cdiv(rows, tall) * triton.cdiv(into, across)
    steps = triton.cdiv(pixels, PIXELS * max(1, MAX_PROGRAMS // (layers * blocks)))
    runs = triton.cdiv(pixels, PIXELS * steps)
    sums = torch.empty(layers, runs, rows, into, device=x.device)
    sum_taps[(runs, blocks, layers)](
        tuple(dys), tuple(xs), sums, pixels, high, wide, steps, OUT=out, IN=into,
        BP=PIXELS, BR=tall, BC=across, num_warps=WARPS, num_stages=STAGES,
    )  # fmt: skip
    gradient = torch.empty(layers, out, 3, 3, into, device=x.device, dtype=x.dtype)
    add_runs[(triton.cdiv(rows * into, BLOCK), layers)](
        sums, gradient, runs, OUT=out, IN=into, BE=BLOCK
    )
    return list(gradient.permute(0, 1, 4, 2, 3).unbind())


def library_weight_gradients(dys: Sequence[Tensor], xs: Sequence[Tensor]) -> list[Tensor]:
    """The same by the library, one layer after the other."""
    shape = (dys[0].shape[1], xs[0].shape[1], 3, 3)
    return [conv2d_weight(x, shape, dy, padding=1) for dy, x in zip(dys, xs, strict=True)]
