"""All parameters of a network in one vector, so that an optimiser's step is a few kernels.

- `master` is float32 and is what training changes. The network computes with `working`: bf16 copies
  of it, or the master itself where the precision is float32.
- Batch norm's weights always stay float32.
- 3x3 kernels lie channels last, as the library wants them.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class FlatParameters:
    def __init__(self, network: nn.Module, precision: torch.dtype = torch.float32) -> None:
        named = list(network.named_parameters())
        # Those in working precision first: one cast serves them all.
        named.sort(key=lambda item: "norm" in item[0])
        self.names = [name for name, _ in named]
        device = named[0][1].device
        starts, size, low = [], 0, 0
        for name, parameter in named:
            starts.append(size)
            size += -(-parameter.numel() // 8) * 8  # so that each starts on 16 bytes
            low = low if "norm" in name else size
        self.master = torch.zeros(size, device=device)
        self.gradient = torch.zeros(size, device=device)
        self.decayed = torch.zeros(size, device=device)  # 1 where AdamW decays weights
        self.low = low if precision != torch.float32 else 0
        self.working = torch.zeros(self.low, device=device, dtype=precision)
        self.parameters: list[nn.Parameter] = []
        self.gradients: list[Tensor] = []
        self._views: dict[str, tuple[int, torch.Size, bool]] = {}
        for start, (name, parameter) in zip(starts, named, strict=True):
            last = parameter.dim() == 4 and parameter.shape[2] > 1 and parameter.shape[1] > 1
            self._views[name] = (start, parameter.shape, last)
            self._view(self.master, name).copy_(parameter.data)
            source = self.working if start < self.low else self.master
            parameter.data = self._view(source, name)
            self._view(self.decayed, name).fill_(float(parameter.dim() > 1))
            self.parameters.append(parameter)
            self.gradients.append(self._view(self.gradient, name))
        self.refresh()

    def _view(self, vector: Tensor, name: str) -> Tensor:
        start, shape, channels_last = self._views[name]
        flat = vector[start : start + shape.numel()]
        if not channels_last:
            return flat.view(shape)
        out, inner, high, wide = shape
        return flat.view(out, high, wide, inner).permute(0, 3, 1, 2)

    def refresh(self) -> None:
        """Working copies follow the master."""
        if self.low:
            self.working.copy_(self.master[: self.low])

    def collect(self, names: Sequence[str], gradients: Sequence[Tensor]) -> None:
        """Gradients of some parameters into the flat vector; in two calls, whatever their types."""
        place = {name: index for index, name in enumerate(self.names)}
        for kind in (torch.float32, torch.bfloat16):
            chosen = [
                (self.gradients[place[name]], own)
                for name, own in zip(names, gradients, strict=True)
                if own.dtype == kind
            ]
            if chosen:
                torch._foreach_copy_([to for to, _ in chosen], [own for _, own in chosen])

    def tensors(self, vector: Tensor) -> dict[str, Tensor]:
        """A flat vector (the master, an average) as named tensors."""
        return {name: self._view(vector, name) for name in self.names}
