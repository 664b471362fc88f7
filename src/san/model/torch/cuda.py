"""Whether there is a GPU to compute on."""

import torch

from san.errors import SanError


def demand_cuda() -> None:
    """SanError with one line where there is none, before anything is opened or written."""
    try:
        torch.zeros(1, device="cuda")
    except (AssertionError, RuntimeError) as error:  # built without it; none there
        reason = str(error).partition("\n")[0]
        raise SanError(f"no CUDA device can be used ({reason})") from None
