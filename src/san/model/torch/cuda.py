"""Whether there is a GPU to compute on, and how work on it is captured as graphs."""

from collections.abc import Callable
from typing import TypeVar

import torch

from san.errors import SanError

Result = TypeVar("Result")


def demand_cuda() -> None:
    """SanError with one line where there is none, before anything is opened or written."""
    try:
        torch.zeros(1, device="cuda")
    except (AssertionError, RuntimeError) as error:  # built without it; none there
        reason = str(error).partition("\n")[0]
        raise SanError(f"no CUDA device can be used ({reason})") from None


def stream_with_workspace(device: torch.device | None = None) -> torch.cuda.Stream:
    """A stream to capture on, whose matrix products have their workspace.

    The first product on a stream allocates it, for all that follow. Allocated in a capture it would
    lie in what that graph has free just then: other graphs' products would write over it.
    """
    stream = torch.cuda.Stream(device)
    stream.wait_stream(torch.cuda.current_stream(device))
    with torch.cuda.stream(stream):
        for kind in (torch.float32, torch.bfloat16):
            some = torch.ones(1, 16, 16, dtype=kind, device=stream.device)
            torch.bmm(some, some)
            torch.nn.functional.linear(some[0], some[0], some[0, 0])
    torch.cuda.current_stream(device).wait_stream(stream)
    return stream


class Capturer:
    """Captures work as graphs; what they keep for themselves lies in one pool."""

    def __init__(self, device: torch.device) -> None:
        self._stream = stream_with_workspace(device)
        self._pool = torch.cuda.graph_pool_handle()

    def __call__(self, work: Callable[[], Result]) -> tuple[Callable[[], None], Result]:
        """How it is run again, and where its results then lie."""
        torch.cuda.synchronize(self._stream.device)
        with torch.cuda.stream(self._stream):
            work()  # kernels are compiled and loaded, which no capture may do
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, self._pool, self._stream, capture_error_mode="thread_local"):
            result = work()
        return graph.replay, result
