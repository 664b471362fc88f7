"""Several processes train one network: who we are among them, and what is settled together.

- A launcher (`accelerate launch`, `torchrun`) starts the processes and names them in the
  environment. accelerate reads that, joins them and gives each its device.
- Each rank takes every world-th batch of an epoch. All make the same steps: one for whom no batch
  is left brings nothing to the sum, but is there for it.
- A single process never comes here: nothing is imported, nothing is waited for.
"""

import os
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import Tensor

from san.errors import SanError

# The first rank validates and writes while the others wait for it.
PATIENCE = timedelta(hours=1)


@dataclass(frozen=True)
class Ranks:
    """One process among `world`."""

    rank: int = 0
    world: int = 1
    device: torch.device | None = None  # for what is settled together; None: the CPU

    @property
    def first(self) -> bool:
        """Whether this one speaks, validates and writes."""
        return self.rank == 0

    def add(self, tensor: Tensor) -> Tensor:
        """The sum over all ranks, in place; to the bit the same for all."""
        if self.world > 1:
            torch.distributed.all_reduce(tensor)
        return tensor

    def agree(self, value: float) -> float:
        """The first rank's value: clocks differ, and what hangs on them must not."""
        if self.world == 1:
            return value
        told = torch.tensor([value], dtype=torch.float64, device=self.device)
        torch.distributed.broadcast(told, 0)
        return told.item()

    def leave(self) -> None:
        if self.world > 1:
            torch.distributed.destroy_process_group()


ALONE = Ranks()


def launched() -> bool:
    """Whether a launcher started this process as one of several."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


def join(cpu: bool) -> Ranks:
    """Meet the other processes of the launcher."""
    from accelerate import PartialState  # type: ignore[import-untyped]

    if cpu:
        state = PartialState(cpu=True, backend="gloo", timeout=PATIENCE)
    else:
        state = PartialState(timeout=PATIENCE)
    if state.num_processes == 1:  # else each would think itself the first
        raise SanError("WORLD_SIZE is set, but no LOCAL_RANK: use accelerate launch or torchrun")
    return Ranks(state.process_index, state.num_processes, state.device)
