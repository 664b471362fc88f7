"""How many processor cores this process may use."""

import os


def usable_cores() -> int:
    """The cores that the system grants this process, where it tells; otherwise all of them."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
