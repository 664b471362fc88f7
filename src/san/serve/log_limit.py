"""Bounds what reaches the log: a fault that strangers can cause as often as they like would fill a
disk with its tracebacks."""

import logging
import time
from collections.abc import Callable

RECORDS_A_MINUTE = 60
LIMITED = ("asyncio", "uvicorn.error")
"""Loggers of all that happens in the server."""


class LogLimit(logging.Filter):
    """Lets so many records of a minute through; the first of the next minute says how many more
    there were."""

    def __init__(
        self, per_minute: int = RECORDS_A_MINUTE, clock: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._per_minute, self._clock = per_minute, clock
        self._minute, self._count = clock(), 0

    def filter(self, record: logging.LogRecord) -> bool:
        now = self._clock()
        if now - self._minute >= 60:
            dropped = self._count - self._per_minute
            self._minute, self._count = now, 0
            if dropped > 0:
                record.msg = f"({dropped:,} lines like these were left out) {record.msg}"
        self._count += 1
        return self._count <= self._per_minute


def limit_logs() -> None:
    """Once for the process, however many servers it has."""
    for name in LIMITED:
        logger = logging.getLogger(name)
        if not any(isinstance(known, LogLimit) for known in logger.filters):
            logger.addFilter(LogLimit())
