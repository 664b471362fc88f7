"""One vector on the device that every step fills anew, without waiting for the step before."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

PENDING_COPIES = 16  # to the device, at most


class DeviceVector:
    """int32 numbers at a fixed place, where captured graphs find them."""

    def __init__(self, length: int, device: torch.device) -> None:
        self.values = torch.zeros(length, dtype=torch.int32, device=device)
        self._host: list[Tensor] = []
        self._events: list[Any] = []
        self._turn = 0

    def send(self, vector: NDArray[np.int32]) -> None:
        """Copy a vector, which may be shorter, to the beginning."""
        assert len(vector) <= len(self.values), "room is made for the largest batch"
        if self.values.device.type != "cuda":
            self.values[: len(vector)] = torch.from_numpy(vector)
            return
        turn = self._turn % PENDING_COPIES
        self._turn += 1
        if len(self._events) == PENDING_COPIES:
            self._events[turn].synchronize()
        else:
            self._events.append(torch.cuda.Event())
            self._host.append(torch.zeros(len(self.values), dtype=torch.int32).pin_memory())
        host = self._host[turn][: len(vector)]
        host.numpy()[:] = vector
        self.values[: len(vector)].copy_(host, non_blocking=True)
        self._events[turn].record()
