"""DenseNet's training step over rows of pixels. Plain twin: `san.model.torch.densenet`.

- A dense block is one buffer: every layer reads what is left of it and writes its own columns. Its
  backward is written by hand, so that gradients too gather in one buffer.
- 1x1 convolutions are matrix products; 3x3 ones are the library's, on channels-last maps, but for
  their weight gradients, which wait until a block's end and then run together.
- Weight gradients of the products have few columns and very many rows: they are cut into slices,
  else two or three multiprocessors would do all the work. One sum joins the slices of all layers.
"""

import torch
from torch import Tensor, nn
from torch.nn import functional

from san.model.kernels.batch_norm import backward_rows, forward_rows
from san.model.kernels.conv_weight_gradients import conv3x3_weight_gradients
from san.model.kernels.encoder_rows import EncoderRows, Maps, as_map, as_rows
from san.model.spec import BLOCKS
from san.model.torch.densenet import Bottleneck, DenseNetEncoder, Transition

SLICES, MIN_SLICE_ROWS = 32, 2048


def slices_of(rows: int) -> int:
    slices = 1
    while slices < SLICES and rows % (2 * slices) == 0 and rows // (2 * slices) >= MIN_SLICE_ROWS:
        slices *= 2
    return slices


def sliced_product(dy: Tensor, x: Tensor, parts: Tensor) -> None:
    """dy^T x of two matrices with very many rows: what each slice of them comes to, a row each."""
    cut = (parts.shape[0], -1)
    products = parts.unflatten(1, (dy.shape[1], x.shape[1]))
    torch.bmm(dy.unflatten(0, cut).transpose(1, 2), x.unflatten(0, cut), out=products)


class Conv1x1(torch.autograd.Function):
    """A 1x1 convolution of rows."""

    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight.t()

    @staticmethod
    def backward(ctx, dy):
        x, weight = ctx.saved_tensors
        parts = dy.new_empty(slices_of(len(dy)), weight.numel())
        sliced_product(dy, x, parts)
        return dy @ weight, parts.sum(0).view_as(weight)


class DenseBlock(torch.autograd.Function):
    """All bottlenecks of one block."""

    @staticmethod
    def forward(ctx, x, layers, store, pixels, seed, size, *parameters: Tensor):
        rows, channels_in = x.shape
        growth = parameters[1].shape[0]
        block = x.new_empty(rows, channels_in + growth * len(layers))
        block[:, :channels_in].copy_(x)
        saved = []
        for index, layer in enumerate(layers):
            wide = channels_in + index * growth
            squeeze, look = (w.detach() for w in parameters[6 * index : 6 * index + 2])
            a = block[:, :wide] @ squeeze.flatten(1).t()
            b = torch.empty_like(a)
            forward_rows(a, b, store.of(layer.norm1), pixels, seed)
            c = as_rows(functional.conv2d(as_map(b, size), look, padding=1))
            new_channels = block[:, wide : wide + growth]
            forward_rows(c, new_channels, store.of(layer.norm2), pixels, seed)
            saved.append((a, b, c))
        ctx.saved, ctx.block, ctx.parameters = saved, block, parameters
        ctx.rest = (layers, store, pixels, size, channels_in, growth)
        return block

    @staticmethod
    def backward(ctx, gradient):
        layers, store, pixels, size, channels_in, growth = ctx.rest
        block, d = ctx.block, gradient.contiguous()
        gradients: list[Tensor | None] = [None] * len(ctx.parameters)
        dcs: list[Tensor] = []
        squeezes = ctx.parameters[0::6]
        sizes = [squeeze.numel() for squeeze in squeezes]
        parts = d.new_empty(slices_of(len(d)), sum(sizes))
        for index in reversed(range(len(layers))):
            layer, (a, b, c) = layers[index], ctx.saved[index]
            wide = channels_in + index * growth
            squeeze, look = (w.detach() for w in ctx.parameters[6 * index : 6 * index + 2])
            new_channels = slice(wide, wide + growth)
            look_parts, squeeze_parts = store.of(layer.norm2), store.of(layer.norm1)
            dc = backward_rows(d[:, new_channels], block[:, new_channels], c, look_parts, pixels)
            db, _, _ = torch.ops.aten.convolution_backward(
                as_map(dc, size), as_map(b, size), look, None, [1, 1], [1, 1], [1, 1],
                False, [0, 0], 1, [True, False, False],
            )  # fmt: skip
            dcs.append(as_map(dc, size))
            da = backward_rows(as_rows(db), b, a, squeeze_parts, pixels)
            d[:, :wide].addmm_(da, squeeze.flatten(1))
            sliced_product(da, block[:, :wide], parts.split(sizes, 1)[index])
            norm_gradients = (*squeeze_parts.gradient.chunk(2), *look_parts.gradient.chunk(2))
            gradients[6 * index : 6 * index + 6] = (None, None, *norm_gradients)
        sums = parts.sum(0).split(sizes)
        gradients[0::6] = [
            total.view_as(squeeze) for total, squeeze in zip(sums, squeezes, strict=True)
        ]
        gradients[1::6] = conv3x3_weight_gradients(
            dcs[::-1], [as_map(b, size) for _, b, _ in ctx.saved]
        )
        ctx.saved = ctx.block = ctx.parameters = None
        return (d[:, :channels_in], None, None, None, None, None, *gradients)


def layer_parameters(layer: Bottleneck) -> tuple[Tensor, ...]:
    first, second = layer.norm1, layer.norm2
    weights = (layer.conv1.weight, layer.conv2.weight)
    return (*weights, first.weight, first.bias, second.weight, second.bias)


def _layers(block: nn.Module) -> list[Bottleneck]:
    return [layer for layer in block.children() if isinstance(layer, Bottleneck)]


def encode_densenet(encoder: DenseNetEncoder, rows: EncoderRows, images: Tensor) -> Maps:
    x = rows.stem(images, encoder.stem, encoder.stem_norm)
    for block, layers in enumerate(encoder.blocks):
        scale = 4 << block
        bottlenecks = _layers(layers)
        parameters = [p for layer in bottlenecks for p in layer_parameters(layer)]
        size, pixels = rows.size(scale), rows.pixels(scale)
        x = DenseBlock.apply(x, bottlenecks, rows.store, pixels, rows.seed, size, *parameters)
        if block + 1 < BLOCKS:
            transition = encoder.transitions[block]
            assert isinstance(transition, Transition)
            x = Conv1x1.apply(x, transition.conv.weight.flatten(1))
            fine = rows.norm(x, transition.norm, pixels)
            # The library's average pooling is slow going back on channels-last maps.
            halves = (size[0], size[1] // 2, 2, size[2] // 2, 2, -1)
            x = fine.view(halves).mean((2, 4)).flatten(0, 2)
    return rows.maps(x, fine)
