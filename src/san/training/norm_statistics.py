"""Batch norm's statistics of averaged weights, measured anew.

Running statistics are those of the weights that were trained. The mean of many weights is another
network, in which activations are smaller: what it normalises by has to be its own.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

from san.model.torch.base import Network
from san.model.torch.masked_norm import Norm

Images = tuple[Tensor, Tensor]
"""A batch of them, and the cells that they own."""


class _Pool:
    """Mean and variance over all pixels that a norm has met."""

    def __init__(self) -> None:
        self.count: Tensor | float = 0.0
        self.sum: Tensor | float = 0.0
        self.squares: Tensor | float = 0.0

    def add(self, _: torch.nn.Module, given: tuple[Tensor, Tensor]) -> None:
        x, mask = given
        kept, exact = x.float() * mask, torch.float64
        self.count = self.count + mask.sum(dtype=exact)
        self.sum = self.sum + kept.sum((0, 2, 3), dtype=exact)
        self.squares = self.squares + kept.square().sum((0, 2, 3), dtype=exact)

    def write(self, norm: Norm) -> None:
        assert isinstance(self.count, Tensor)
        mean = self.sum / self.count
        norm.running_mean.copy_(mean)
        norm.running_var.copy_((self.squares / self.count - mean.square()).clamp(min=0))


@torch.no_grad()
def measure_norms(network: Network, batches: Iterable[Images]) -> None:
    """Set the running statistics of a network to those of some images, without dropout.

    As in training each batch is normalised by its own; so what is written does not depend on what
    stood there. The images go to where the network is.
    """
    device = next(network.parameters()).device
    norms = [module for module in network.modules() if isinstance(module, Norm)]
    pools = {norm: _Pool() for norm in norms}
    dropouts = {norm: norm.dropout for norm in norms}
    hooks = [norm.register_forward_pre_hook(pools[norm].add) for norm in norms]
    try:
        for norm in norms:
            norm.dropout = 0.0
            norm.train()
        for images, mask in batches:
            # As training computes on a GPU, and several times as fast as in single precision.
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                network.encoder.scales(images.to(device), mask.to(device))
        for norm, pool in pools.items():
            pool.write(norm)
    finally:
        for hook in hooks:
            hook.remove()
        for norm, dropout in dropouts.items():
            norm.dropout = dropout
            norm.eval()
