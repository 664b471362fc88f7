"""Throughput by the clock on a machine that others use: only windows in which they are still count.

A window is a few seconds long. Of each it is known how many pictures were read, what the readers,
the driver and Ray computed meanwhile, and what all others did.
"""

import os
import time
from typing import NamedTuple

from ray_processes import DRIVER, RAY, READER, Computing

SECONDS = 5.0
"""Of a window, at least."""
QUIET = 0.15
"""Of a core that others may take, of those that read, in a window that counts."""


class Window(NamedTuple):
    read: int
    seconds: float
    readers: float  # seconds of computing, as below
    beside: float
    others: float


class Summary(NamedTuple):
    """Of the windows that count."""

    rate: float  # pictures a second
    readers: float  # pictures for a second of the readers' computing
    all: float  # the same with all that is computed beside them
    beside: float  # cores
    others: float  # cores
    windows: str  # how many count, and of how many

    def cells(self) -> str:
        rates = f"{self.rate:.1f} | {self.readers:.1f} | {self.all:.1f}"
        return f"{rates} | {self.beside:.2f} | {self.others:.2f} | {self.windows}"


class Windows:
    """Told now and then how many pictures have been read."""

    def __init__(self, read: int, cores: int, reading: str = READER) -> None:
        """Processes of the kind `reading` read, on the first so many cores."""
        self._cores, self._reading = cores, reading
        self._done: list[Window] = []
        self._begin(read)

    def _begin(self, read: int) -> None:
        self._began, self._read = time.monotonic(), read
        self._computing = Computing(os.getpid(), self._cores)

    def tell(self, read: int) -> None:
        seconds = time.monotonic() - self._began
        if seconds < SECONDS:
            return
        self._computing.look()
        readers = self._computing.seconds(self._reading)
        beside = self._computing.seconds(DRIVER, READER, RAY) - readers
        others = self._computing.others()
        self._done.append(Window(read - self._read, seconds, readers, beside, others))
        self._begin(read)

    def summary(self) -> Summary:
        """Of the quiet windows; of all where none is."""
        quiet = [one for one in self._done if one.others <= QUIET * one.seconds]
        read, seconds, readers, beside, others = map(sum, zip(*(quiet or self._done), strict=True))
        windows = f"{len(quiet)} of {len(self._done)}"
        return Summary(
            read / seconds,
            read / max(readers, 1e-9),
            read / max(readers + beside, 1e-9),
            beside / seconds,
            others / seconds,
            windows if quiet else f"none of {len(self._done)}: all",
        )
