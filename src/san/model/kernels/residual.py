"""The residual encoder's training step over rows. Plain twin: `san.model.torch.residual`.

Convolutions are the library's, on channels-last maps, there and back: wide 3x3 convolutions leave
nothing to gain. Norms, the stem and its pooling are DenseNet's kernels.
"""

from torch import Tensor, nn
from torch.nn import functional

from san.model.kernels.encoder_rows import EncoderRows, Maps, as_map, as_rows
from san.model.torch.masked_norm import Norm
from san.model.torch.residual import ResidualBlock, ResidualEncoder


def encode_residual(encoder: ResidualEncoder, rows: EncoderRows, images: Tensor) -> Maps:
    x = rows.stem(images, encoder.stem, encoder.stem_norm)
    outputs: list[Tensor] = []
    for number, blocks in enumerate(encoder.stages):
        scale = 4 << number
        size, pixels = rows.size(scale), rows.pixels(scale)
        transition, last = encoder.transitions[number], encoder.stage_norms[number]
        assert isinstance(transition, nn.Conv2d)
        assert isinstance(last, Norm)
        x = _conv(x, transition, rows.size(max(scale // 2, 4)))
        for block in blocks.children():
            assert isinstance(block, ResidualBlock)
            new = _conv(rows.norm(x, block.norm1, pixels), block.conv1, size)
            x = x + _conv(rows.norm(new, block.norm2, pixels), block.conv2, size)
        x = rows.norm(x, last, pixels)
        outputs.append(x)
    return rows.maps(outputs[-1], outputs[-2])


def _conv(x: Tensor, convolution: nn.Conv2d, size: tuple[int, int, int]) -> Tensor:
    """A 3x3 convolution of rows; `size` is the map's that comes in."""
    maps = as_map(x, size)
    return as_rows(functional.conv2d(maps, convolution.weight, None, convolution.stride, 1))
