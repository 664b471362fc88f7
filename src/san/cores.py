"""How many processor cores this process may use."""

import math
import os
from pathlib import Path

QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""What a container is granted: microseconds of computing, and in how many; Linux alone has it."""


def usable_cores() -> int:
    """The cores that the system grants this process, where it tells; otherwise all of them."""
    if hasattr(os, "sched_getaffinity"):
        cores = len(os.sched_getaffinity(0))
    else:
        cores = os.cpu_count() or 1
    return int(max(1, min(cores, _quota())))


def _quota() -> float:
    """Whole cores that the container may use; without end where nothing is said."""
    try:
        granted, period = QUOTA.read_text().split()[:2]
        return math.ceil(int(granted) / int(period))
    except (OSError, ValueError, ZeroDivisionError):  # "max" is no number
        return math.inf
