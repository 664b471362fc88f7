"""What the processes of a Ray cluster on this machine compute and hold, by `/proc`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")
DRIVER, READER, RAY = "driver", "reader", "Ray"
"""Kinds of processes: who asks, who reads, and all that Ray runs beside them."""


class Process(NamedTuple):
    kind: str
    seconds: float  # of computing
    private_mb: float
    shared_mb: float  # of the object store, as far as this process has touched it


def processes(driver: int) -> dict[int, Process]:
    """A driver, and all that was started by it."""
    parents: dict[int, int] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has just ended
        parents[int(place.name)] = int(fields[1])
    found = {}
    for pid in parents:
        ancestor = pid
        while ancestor not in (0, driver):
            ancestor = parents.get(ancestor, 0)
        if ancestor and (process := _look(pid, driver)):
            found[pid] = process
    return found


def _look(pid: int, driver: int) -> Process | None:
    place = Path(f"/proc/{pid}")
    try:
        command = (place / "cmdline").read_bytes()
        fields = (place / "stat").read_text().rpartition(")")[2].split()
        status = dict(
            line.split(":", 1) for line in (place / "status").read_text().splitlines()
        )  # fmt: skip
    except OSError:
        return None
    kind = DRIVER if pid == driver else READER if b"BatchReader" in command else RAY
    private, shared = (
        int(status.get(name, "0").split()[0]) / 1024 for name in ("RssAnon", "RssShmem")
    )
    return Process(kind, (int(fields[11]) + int(fields[12])) / TICKS, private, shared)


class Computing:
    """Seconds of computing since this was made; look often, since what has ended cannot be asked
    any more."""

    def __init__(self, driver: int, cores: int) -> None:
        """Of the machine's cores the first so many are looked at."""
        self._driver, self._cores = driver, cores
        self._before = self._now = processes(driver)
        self._busy = busy_seconds(cores)

    def look(self) -> None:
        self._now = self._now | processes(self._driver)

    def seconds(self, *kinds: str) -> float:
        """Of processes of some kinds."""
        return sum(
            process.seconds - (self._before[pid].seconds if pid in self._before else 0.0)
            for pid, process in self._now.items()
            if process.kind in kinds
        )

    def others(self) -> float:
        """Of all else on these cores, and of what the machine's host withheld."""
        busy = busy_seconds(self._cores) - self._busy
        return max(busy - self.seconds(DRIVER, READER, RAY), 0.0)


def busy_seconds(cores: int) -> float:
    """Of the first so many cores, since the machine was started."""
    total = 0
    for line in Path("/proc/stat").read_text().splitlines()[1 : cores + 1]:
        user, nice, system, _idle, _wait, irq, soft, steal, *_ = map(int, line.split()[1:])
        total += user + nice + system + irq + soft + steal
    return total / TICKS


@contextmanager
def pinned(core: int) -> Iterator[None]:
    """What is started meanwhile runs on this core alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
