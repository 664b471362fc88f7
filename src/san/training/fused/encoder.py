"""The encoder's training step over rows of pixels. Plain twin: `san.nn.encoder.Encoder`.

- A dense block is one buffer: every layer reads what is left of it and writes its own columns. Its
  backward is written by hand, so that gradients too gather in one buffer.
- 1x1 convolutions are matrix products; 3x3 ones are the library's, on channels-last maps.
- Weight gradients of the products have few columns and very many rows: they are cut into slices,
  else two or three multiprocessors would do all the work.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.nn.encoder import Bottleneck, Encoder, Norm, Transition, spread
from san.training.fused.norm import (
    Ground,
    NormRows,
    NormStore,
    backward_rows,
    forward_rows,
)

SLICES, LEAST_ROWS = 32, 2048


def tall_product(dy: Tensor, x: Tensor) -> Tensor:
    """dy^T x of two matrices with very many rows."""
    rows, slices = dy.shape[0], 1
    while slices < SLICES and rows % (2 * slices) == 0 and rows // (2 * slices) >= LEAST_ROWS:
        slices *= 2
    if slices == 1:
        return dy.t() @ x
    cut = (slices, rows // slices)
    return torch.bmm(dy.unflatten(0, cut).transpose(1, 2), x.unflatten(0, cut)).sum(0)


class Squeeze(torch.autograd.Function):
    """A 1x1 convolution of rows."""

    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight.t()

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        return dy @ weight, tall_product(dy, x)


class DenseBlock(torch.autograd.Function):
    """All bottlenecks of one block."""

    @staticmethod
    def forward(ctx, x, layers, store, ground, seed, size, *parameters: Tensor):
        rows, given = x.shape
        growth = parameters[1].shape[0]
        block = x.new_empty(rows, given + growth * len(layers))
        block[:, :given].copy_(x)
        saved = []
        for index, layer in enumerate(layers):
            wide = given + index * growth
            squeeze, look = (w.detach() for w in parameters[6 * index : 6 * index + 2])
            a = block[:, :wide] @ squeeze.flatten(1).t()
            b = torch.empty_like(a)
            forward_rows(a, b, store.of(layer.squeeze_norm), ground, seed)
            c = as_rows(functional.conv2d(as_map(b, size), look, padding=1))
            own = block[:, wide : wide + growth]
            forward_rows(c, own, store.of(layer.look_norm), ground, seed)
            saved.append((a, b, c))
        ctx.saved, ctx.block, ctx.parameters = saved, block, parameters
        ctx.rest = (layers, store, ground, size, given, growth)
        return block

    @staticmethod
    def backward(ctx, gradient):
        layers, store, ground, size, given, growth = ctx.rest
        block, d = ctx.block, gradient.contiguous()
        found: list[Tensor | None] = [None] * len(ctx.parameters)
        for index in reversed(range(len(layers))):
            layer, (a, b, c) = layers[index], ctx.saved[index]
            wide = given + index * growth
            squeeze, look = (w.detach() for w in ctx.parameters[6 * index : 6 * index + 2])
            own = slice(wide, wide + growth)
            look_parts, squeeze_parts = store.of(layer.look_norm), store.of(layer.squeeze_norm)
            dc = backward_rows(d[:, own], block[:, own], c, look_parts, ground)
            db, dlook, _ = torch.ops.aten.convolution_backward(
                as_map(dc, size), as_map(b, size), look, None, [1, 1], [1, 1], [1, 1],
                False, [0, 0], 1, [True, True, False],
            )  # fmt: skip
            da = backward_rows(as_rows(db), b, a, squeeze_parts, ground)
            d[:, :wide].addmm_(da, squeeze.flatten(1))
            dsqueeze = tall_product(da, block[:, :wide]).view_as(squeeze)
            gradients = (*squeeze_parts.gradient.chunk(2), *look_parts.gradient.chunk(2))
            found[6 * index : 6 * index + 6] = (dsqueeze, dlook, *gradients)
        ctx.saved = ctx.block = ctx.parameters = None
        return (d[:, :given], None, None, None, None, None, *found)


def as_map(rows: Tensor, size: tuple[int, int, int]) -> Tensor:
    """Rows of pixels -> B x C x H x W, channels last; nothing moves."""
    return rows.view(*size, -1).permute(0, 3, 1, 2)


def as_rows(maps: Tensor) -> Tensor:
    return maps.permute(0, 2, 3, 1).reshape(-1, maps.shape[1])


def layer_parameters(layer: Bottleneck) -> tuple[Tensor, ...]:
    first, second = layer.squeeze_norm, layer.look_norm
    weights = (layer.squeeze.weight, layer.look.weight)
    return (*weights, first.weight, first.bias, second.weight, second.bias)


def _layers(block: nn.Module) -> list[Bottleneck]:
    return [layer for layer in block.children() if isinstance(layer, Bottleneck)]


def encode_rows(
    encoder: Encoder, store: NormStore, images: Tensor, mask: Tensor, seed: Tensor
) -> Tensor:
    """The encoder in training mode: B x h x w x C, channels last."""
    batch, rows, columns = mask.shape
    count = mask.sum(dtype=torch.float32).view(1)

    def ground(factor: int) -> Ground:
        exists = spread(mask, factor).flatten().to(torch.float32)
        return Ground(exists, count, float(factor * factor))

    def norm(x: Tensor, own: Norm, on: Ground) -> Tensor:
        y: Tensor = NormRows.apply(x, own.weight, own.bias, store.of(own), on, seed)
        return y

    store.reset()
    images = images.contiguous(memory_format=torch.channels_last)
    x = as_rows(functional.conv2d(images, encoder.stem.weight, stride=2, padding=3))
    x = norm(x, encoder.stem_norm, ground(8))
    x = as_rows(functional.max_pool2d(as_map(x, (batch, 8 * rows, 8 * columns)), 2))
    for block, layers in enumerate(encoder.blocks):
        factor = 4 >> block
        size = (batch, factor * rows, factor * columns)
        on = ground(factor)
        bottlenecks = _layers(layers)
        parameters = [p for layer in bottlenecks for p in layer_parameters(layer)]
        x = DenseBlock.apply(x, bottlenecks, store, on, seed, size, *parameters)
        if block < 2:
            transition = encoder.transitions[block]
            assert isinstance(transition, Transition)
            x = Squeeze.apply(x, transition.squeeze.weight.flatten(1))
            x = norm(x, transition.norm, on)
            # The library's average pooling is slow going back on channels-last maps.
            x = x.view(batch, size[1] // 2, 2, size[2] // 2, 2, -1).mean((2, 4)).flatten(0, 2)
    return x.view(batch, rows, columns, -1)
