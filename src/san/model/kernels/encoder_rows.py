"""What both encoders' training steps share: maps as rows of pixels, masks, norms and the stem."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from san.model.kernels.batch_norm import NormRows, NormStore, PixelMask
from san.model.kernels.max_pool import Pool
from san.model.kernels.stem_conv import Stem
from san.model.spec import STRIDE
from san.model.torch.masked_norm import Norm, upsample_mask

Maps = tuple[Tensor, Tensor]
"""Features B x h x w x C, channels last; and finer ones B x 2h x 2w x C'."""


def as_map(rows: Tensor, size: tuple[int, int, int]) -> Tensor:
    """Rows of pixels -> B x C x H x W, channels last; nothing moves."""
    return rows.view(*size, -1).permute(0, 3, 1, 2)


def as_rows(maps: Tensor) -> Tensor:
    return maps.permute(0, 2, 3, 1).reshape(-1, maps.shape[1])


@dataclass(frozen=True)
class EncoderRows:
    """One batch on its way through an encoder."""

    store: NormStore
    mask: Tensor  # B x h x w, true where a cell of the feature grid exists
    count: Tensor  # one float32: how many do
    seed: Tensor  # of dropout

    def size(self, scale: int) -> tuple[int, int, int]:
        """Images, lines and columns of a map at 1/`scale` of the image."""
        batch, rows, columns = self.mask.shape
        return batch, STRIDE // scale * rows, STRIDE // scale * columns

    def pixels(self, scale: int) -> PixelMask:
        factor = STRIDE // scale
        exists = upsample_mask(self.mask, factor).flatten().to(torch.float32)
        return PixelMask(exists, self.count, float(factor * factor))

    def norm(self, x: Tensor, norm: Norm, pixels: PixelMask) -> Tensor:
        """Batch norm, ReLU and dropout."""
        parts = self.store.of(norm)
        y: Tensor = NormRows.apply(x, norm.weight, norm.bias, parts, pixels, self.seed)
        return y

    def stem(self, images: Tensor, stem: nn.Conv2d, norm: Norm) -> Tensor:
        """The first convolution, its norm, and max-pooling."""
        x = self.norm(Stem.apply(images, stem.weight), norm, self.pixels(2))
        y: Tensor = Pool.apply(x, self.size(2)[2])
        return y

    def maps(self, features: Tensor, fine: Tensor) -> Maps:
        return features.view(*self.size(16), -1), fine.view(*self.size(8), -1)
