"""Training in several processes: this one's rank, and what all of them sum or agree upon.

- A launcher (`accelerate launch`, `torchrun`) starts the processes and names them in the
  environment. accelerate reads that, joins them and gives each its device.
- Each rank takes every world-th batch of an epoch. All make the same number of steps: a rank for
  which no batch is left adds zeros to the sums.
- In a single process none of this runs, and nothing is imported for it.
"""

import os
from dataclasses import dataclass
from datetime import timedelta

import torch
from torch import Tensor

from san.errors import SanError

# The first rank validates and writes while the others wait for it.
TIMEOUT = timedelta(hours=1)


@dataclass(frozen=True)
class Ranks:
    """One process among `world`."""

    rank: int = 0
    world: int = 1
    device: torch.device | None = None  # of tensors that are sent; None: the CPU

    @property
    def first(self) -> bool:
        """Whether this one prints, validates and writes."""
        return self.rank == 0

    def sum(self, tensor: Tensor) -> Tensor:
        """The sum over all ranks, in place; to the bit the same for all."""
        if self.world > 1:
            torch.distributed.all_reduce(tensor)
        return tensor

    def agree(self, value: float) -> float:
        """The first rank's value: clocks differ, and all must decide alike."""
        if self.world == 1:
            return value
        value_there = torch.tensor([value], dtype=torch.float64, device=self.device)
        torch.distributed.broadcast(value_there, 0)
        return value_there.item()

    def leave(self) -> None:
        if self.world > 1:
            torch.distributed.destroy_process_group()


ALONE = Ranks()


def launched() -> bool:
    """Whether a launcher started this process as one of several."""
    return int(os.environ.get("WORLD_SIZE", "1")) > 1


def launched_first() -> bool:
    """Whether this is the first of those that a launcher started, or was started by itself."""
    return os.environ.get("RANK", "0") == "0"


def join_ranks(cpu: bool) -> Ranks:
    """Join the other processes of the launcher."""
    from accelerate import PartialState  # type: ignore[import-untyped]

    if cpu:
        state = PartialState(cpu=True, backend="gloo", timeout=TIMEOUT)
    else:
        state = PartialState(timeout=TIMEOUT)
    if state.num_processes == 1:  # else each would think itself the first
        raise SanError("WORLD_SIZE is set, but no LOCAL_RANK: use accelerate launch or torchrun")
    return Ranks(state.process_index, state.num_processes, state.device)
