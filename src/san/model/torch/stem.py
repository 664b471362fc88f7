"""What both encoders begin with: a 7x7/2 convolution, its norm, max-pool 2: 1/4 of the image."""

from torch import Tensor, nn
from torch.nn import functional

from san.model.spec import STEM_KERNEL, NetworkConfig
from san.model.torch.masked_norm import Norm


class StemEncoder(nn.Module):
    """An encoder up to what is its own: `scales`, of which the first are the features."""

    def __init__(self, config: NetworkConfig) -> None:
        super().__init__()
        self.stem = nn.Conv2d(
            1, config.stem, STEM_KERNEL, stride=2, padding=STEM_KERNEL // 2, bias=False
        )
        self.stem_norm = Norm(config.stem, 0.0)

    def forward(self, images: Tensor, mask: Tensor) -> Tensor:
        """`images` B x 1 x H x W, ink 1 on 0; `mask` B x H/16 x W/16, true where a cell exists."""
        return self.scales(images, mask)[0]

    def scales(self, images: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The features at 1/16 of the image, and those before them at 1/8."""
        raise NotImplementedError

    def from_stem(self, images: Tensor, half_mask: Tensor) -> Tensor:
        """`half_mask`: of the image at 1/2."""
        return functional.max_pool2d(self.stem_norm(self.stem(images), half_mask), 2)
