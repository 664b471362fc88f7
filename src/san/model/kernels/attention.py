"""Attention of one level's steps (eq. 9 to 11), forward and back. Twin: `model.torch.attention`.

- The window of past attention around a cell is gathered and multiplied by the folded kernel on the
  matrix units. The N x cells x 512 energies are not stored: going back, they are made again.
- What belongs to one image is summed over its steps at the end, for all levels at once.
- A level has as many slots as the widest one. Most are empty in most levels: nothing is computed
  for those, only zeros are written where a later product reads them.
- `sum_sources` moves states and path attention along the tree: a step's sources (its parent, or its
  children) stand side by side in their level, so no atomics are needed and sums are repeatable.
  Nor does `add_rows` need any, by which SAN-GS's states go back: a row's parents all differ.
"""

import triton
import triton.language as tl

from san.model.kernels.gru import tanh


@triton.jit
def _tanh(x, FAST: tl.constexpr):
    """On a GPU one instruction, as exact as bfloat16 needs it; Triton's interpreter has none."""
    if FAST:
        y = tl.inline_asm_elementwise(
            "tanh.approx.f32 $0, $1;", "=f,f", [x], dtype=tl.float32, is_pure=True, pack=1
        )
    else:
        y = tanh(x)
    return y


@triton.jit(do_not_specialize=["size"])
def sum_sources(source, first, count, scale, plus, out, size, PLUS: tl.constexpr, BE: tl.constexpr):
    """out[n] = scale[n] * sum of count[n] rows of source from first[n] on (+ plus[n])."""
    n = tl.program_id(0)
    e = tl.program_id(1) * BE + tl.arange(0, BE)
    inside = e < size
    start = tl.load(first + n)
    total = tl.zeros([BE], tl.float32)
    for row in range(start, start + tl.load(count + n)):
        total += tl.load(source + row * size + e, mask=inside, other=0.0).to(tl.float32)
    total = total * tl.load(scale + n)
    if PLUS:
        total += tl.load(plus + n * size + e, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + n * size + e, total.to(out.dtype.element_ty), mask=inside)


@triton.jit(do_not_specialize=["size"])
def add_rows(source, at, out, size, BE: tl.constexpr):
    """out[at[n]] += source[n]; no two rows go to the same place."""
    n = tl.program_id(0)
    e = tl.program_id(1) * BE + tl.arange(0, BE)
    inside = e < size
    to = out + tl.load(at + n) * size + e
    total = tl.load(to, mask=inside, other=0.0).to(tl.float32)
    total += tl.load(source + n * size + e, mask=inside, other=0.0).to(tl.float32)
    tl.store(to, total.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _window(past, p, cells, rows, columns, WINDOW: tl.constexpr, BW: tl.constexpr):
    """Past attention around some cells: one row a cell, one column a place in the window."""
    k = tl.arange(0, BW)
    y = (p // columns)[:, None] + (k // WINDOW)[None, :] - WINDOW // 2
    x = (p % columns)[:, None] + (k % WINDOW)[None, :] - WINDOW // 2
    ok = (p < cells)[:, None] & (k < WINDOW * WINDOW)[None, :]
    ok = ok & (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
    return tl.load(past + y * columns + x, mask=ok, other=0.0)


@triton.jit(do_not_specialize=["cells", "rows", "columns"])
def scores(
    keys, past, kernel, query, weight, image, used, mask, windows, out, cells, rows, columns,
    query_gap,
    A: tl.constexpr, WINDOW: tl.constexpr, BW: tl.constexpr, BP: tl.constexpr, BA: tl.constexpr,
    EXACT: tl.constexpr, FAST: tl.constexpr, SAVE: tl.constexpr,
):  # fmt: skip
    n = tl.program_id(0)
    p = tl.program_id(1) * BP + tl.arange(0, BP)
    inside = p < cells
    k = tl.arange(0, BW)
    # Saved for the way back, where many programs read the same window.
    saved = windows + (n * cells + p)[:, None] * BW + k[None, :]
    if tl.load(used + n) == 0:
        if SAVE:
            tl.store(saved, tl.zeros([BP, BW], windows.dtype.element_ty), mask=inside[:, None])
        tl.store(out + n * cells + p, tl.zeros([BP], tl.float32), mask=inside)
    else:
        b = tl.load(image + n)
        seen = _window(past + n * cells, p, cells, rows, columns, WINDOW, BW).to(
            kernel.dtype.element_ty
        )
        if SAVE:
            tl.store(saved, seen, mask=inside[:, None])
        total = tl.zeros([BP], tl.float32)
        for start in range(0, A, BA):
            a = start + tl.arange(0, BA)
            turned = tl.load(kernel + a[None, :] * BW + k[:, None])
            energy = tl.dot(seen, turned, input_precision="ieee" if EXACT else "tf32")
            at = keys + (b * cells + p)[:, None] * A + a[None, :]
            energy += tl.load(at, mask=inside[:, None], other=0.0).to(tl.float32)
            energy += tl.load(query + n * query_gap + a).to(tl.float32)[None, :]
            score_weight = tl.load(weight + a).to(tl.float32)
            total += tl.sum(_tanh(energy, FAST) * score_weight[None, :], 1)
        ok = tl.load(mask + b * cells + p, mask=inside, other=0) != 0
        tl.store(out + n * cells + p, tl.where(ok, total, -1e9), mask=inside)


@triton.jit(do_not_specialize=["cells"])
def softmax_rows(score, past, weights, path, cells, BP: tl.constexpr):
    """Softmax of each row, and the path's attention with it added."""
    n = tl.program_id(0)
    p = tl.arange(0, BP)
    inside = p < cells
    v = tl.load(score + n * cells + p, mask=inside, other=-float("inf"))
    v = tl.exp(v - tl.max(v, 0))
    v = v / tl.sum(v, 0)
    tl.store(weights + n * cells + p, v, mask=inside)
    v += tl.load(past + n * cells + p, mask=inside, other=0.0)
    tl.store(path + n * cells + p, v, mask=inside)


@triton.jit(do_not_specialize=["cells", "c4"])
def contexts(weights, features, image, used, out, cells, c4, BP: tl.constexpr, BC: tl.constexpr):
    """Eq. 10."""
    channels = c4 * 4
    n = tl.program_id(0)
    c = tl.program_id(1) * BC + tl.arange(0, BC)
    inside = (c < channels)[None, :]
    b = tl.load(image + n)
    total = tl.zeros([BC], tl.float32)
    end = tl.where(tl.load(used + n) != 0, cells, 0)
    for start in range(0, end, BP):
        p = start + tl.arange(0, BP)
        v = tl.load(weights + n * cells + p, mask=p < cells, other=0.0)
        at = features + (b * cells + p)[:, None] * channels + c[None, :]
        f = tl.load(at, mask=(p < cells)[:, None] & inside, other=0.0).to(tl.float32)
        total += tl.sum(v[:, None] * f, 0)
    tl.store(out + n * channels + c, total.to(out.dtype.element_ty), mask=c < channels)


@triton.jit(do_not_specialize=["cells", "c4"])
def weights_backward(
    dcontext, features, image, used, dpath, dweights, out, cells, c4,
    BP: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    """Gradient of the attention weights: through the context, the path, and the losses."""
    channels = c4 * 4
    n = tl.program_id(0)
    p = tl.program_id(1) * BP + tl.arange(0, BP)
    inside = p < cells
    b = tl.load(image + n)
    total = tl.load(dpath + n * cells + p, mask=inside, other=0.0)
    total += tl.load(dweights + n * cells + p, mask=inside, other=0.0)
    end = tl.where(tl.load(used + n) != 0, channels, 0)
    for start in range(0, end, BC):
        c = start + tl.arange(0, BC)
        d = tl.load(dcontext + n * channels + c, mask=c < channels, other=0.0).to(tl.float32)
        at = features + (b * cells + p)[:, None] * channels + c[None, :]
        f = tl.load(at, mask=inside[:, None] & (c < channels)[None, :], other=0.0)
        total += tl.sum(d[None, :] * f.to(tl.float32), 1)
    tl.store(out + n * cells + p, total, mask=inside)


@triton.jit(do_not_specialize=["cells"])
def softmax_backward(weights, dweights, out, cells, BP: tl.constexpr):
    n = tl.program_id(0)
    p = tl.arange(0, BP)
    inside = p < cells
    v = tl.load(weights + n * cells + p, mask=inside, other=0.0)
    d = tl.load(dweights + n * cells + p, mask=inside, other=0.0)
    tl.store(out + n * cells + p, v * (d - tl.sum(v * d, 0)), mask=inside)


@triton.jit(do_not_specialize=["cells"])
def scores_backward(
    dscore, keys, windows, kernel, query, weight, image, used, denergy, dquery, dweight,
    cells, query_gap, dquery_gap,
    A: tl.constexpr, BW: tl.constexpr, BP: tl.constexpr, BA: tl.constexpr,
    EXACT: tl.constexpr, FAST: tl.constexpr,
):  # fmt: skip
    """Gradients of the energies (stored), of the query, and of the score's weight (added)."""
    n = tl.program_id(0)
    a = tl.program_id(1) * BA + tl.arange(0, BA)
    of_query = tl.zeros([BA], tl.float32)
    if tl.load(used + n) == 0:
        nothing = tl.zeros([BP, BA], denergy.dtype.element_ty)
        for start in range(0, cells, BP):
            p = start + tl.arange(0, BP)
            at = denergy + (n * cells + p)[:, None] * A + a[None, :]
            tl.store(at, nothing, mask=(p < cells)[:, None])
    else:
        b = tl.load(image + n)
        k = tl.arange(0, BW)
        turned = tl.load(kernel + a[None, :] * BW + k[:, None])
        score_weight = tl.load(weight + a).to(tl.float32)
        queries = tl.load(query + n * query_gap + a).to(tl.float32)
        of_weight = tl.zeros([BA], tl.float32)
        for start in range(0, cells, BP):
            p = start + tl.arange(0, BP)
            inside = p < cells
            at = windows + (n * cells + p)[:, None] * BW + k[None, :]
            seen = tl.load(at, mask=inside[:, None], other=0.0)
            energy = tl.dot(seen, turned, input_precision="ieee" if EXACT else "tf32")
            at = (b * cells + p)[:, None] * A + a[None, :]
            energy += tl.load(keys + at, mask=inside[:, None], other=0.0).to(tl.float32)
            activation = _tanh(energy + queries[None, :], FAST)
            d = tl.load(dscore + n * cells + p, mask=inside, other=0.0)
            g = d[:, None] * score_weight[None, :] * (1.0 - activation * activation)
            at = denergy + (n * cells + p)[:, None] * A + a[None, :]
            tl.store(at, g.to(denergy.dtype.element_ty), mask=inside[:, None])
            of_query += tl.sum(g, 0)
            of_weight += tl.sum(d[:, None] * activation, 0)
        at = dweight + n * A + a
        tl.store(at, tl.load(at) + of_weight)
    tl.store(dquery + n * dquery_gap + a, of_query.to(dquery.dtype.element_ty))


@triton.jit(do_not_specialize=["cells", "rows", "columns"])
def windows_backward(
    dwindows, dpath, used, out, cells, rows, columns, WINDOW: tl.constexpr, BW: tl.constexpr,
    BP: tl.constexpr,
):  # fmt: skip
    """Gradient of past attention: from the windows that saw it, and from the path it is part of."""
    n = tl.program_id(0)
    p = tl.program_id(1) * BP + tl.arange(0, BP)
    inside = p < cells
    k = tl.arange(0, BW)
    y = (p // columns)[:, None] - (k // WINDOW)[None, :] + WINDOW // 2
    x = (p % columns)[:, None] - (k % WINDOW)[None, :] + WINDOW // 2
    ok = (inside & (tl.load(used + n) != 0))[:, None] & (k < WINDOW * WINDOW)[None, :]
    ok = ok & (y >= 0) & (y < rows) & (x >= 0) & (x < columns)
    at = dwindows + (n * cells + y * columns + x) * BW + k[None, :]
    total = tl.sum(tl.load(at, mask=ok, other=0.0).to(tl.float32), 1)
    total += tl.load(dpath + n * cells + p, mask=inside, other=0.0)
    tl.store(out + n * cells + p, total, mask=inside)


@triton.jit(do_not_specialize=["size"])
def sum_by_image(rows, order, first, out, size, BE: tl.constexpr):
    """For each image the sum of its steps' rows; `order` lists the steps image by image."""
    b = tl.program_id(0)
    e = tl.program_id(1) * BE + tl.arange(0, BE)
    inside = e < size
    total = tl.zeros([BE], tl.float32)
    for at in range(tl.load(first + b), tl.load(first + b + 1)):
        row = tl.load(order + at).to(tl.int64)
        total += tl.load(rows + row * size + e, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + b * size + e, total.to(out.dtype.element_ty), mask=inside)


@triton.jit(do_not_specialize=["cells", "c4"])
def features_backward(
    weights, dcontext, order, first, out, cells, c4,
    BS: tl.constexpr, BP: tl.constexpr, BC: tl.constexpr, EXACT: tl.constexpr,
):  # fmt: skip
    """Gradient of an image's features: each step's weights times its context's gradient."""
    channels = c4 * 4
    b = tl.program_id(0)
    p = tl.program_id(1) * BP + tl.arange(0, BP)
    c = tl.program_id(2) * BC + tl.arange(0, BC)
    total = tl.zeros([BP, BC], tl.float32)
    end = tl.load(first + b + 1)
    for start in range(tl.load(first + b), end, BS):
        s = start + tl.arange(0, BS)
        row = tl.load(order + s, mask=s < end, other=0)
        ok = (s < end)[:, None] & (c < channels)[None, :]
        d = tl.load(dcontext + row[:, None] * channels + c[None, :], mask=ok, other=0.0)
        ok = (s < end)[None, :] & (p < cells)[:, None]
        v = tl.load(weights + row[None, :] * cells + p[:, None], mask=ok, other=0.0)
        total += tl.dot(v.to(d.dtype), d, input_precision="ieee" if EXACT else "tf32")
    at = out + (b * cells + p)[:, None] * channels + c[None, :]
    tl.store(at, total.to(out.dtype.element_ty), mask=(p < cells)[:, None] & (c < channels)[None])
