"""The line before the readers: bounded, and fair between quick requests and slow ones.

- Whoever comes while the readers are busy forms the next batch: a free reader takes its share of
  the quick requests that wait, so that none is idle while another has many.
- A slow request is read alone, and never by all readers at once: where there are several, one of
  them is always left to the quick. Apart from that, first come, first served.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition

from san.reader import Formula, Source
from san.reader.prepared import PreparedImage


@dataclass(eq=False)
class Job:
    """A request to read."""

    source: Callable[[], Source]  # called by the reader: to parse takes time too
    beam: int
    n_best: int
    tell: Callable[[Formula], bytes]  # the answer, made by the reader as well
    answer: "asyncio.Future[bytes]"
    arrived: float = field(default_factory=time.monotonic)
    page: PreparedImage | None = None  # once it is opened
    alone: bool = False  # a batch with it took too long, or failed
    slow: bool = False

    def goes_with(self, other: "Job") -> bool:
        """Whether both can be read at once."""
        same = (self.beam, self.n_best) == (other.beam, other.n_best)
        return same and not (self.alone or other.alone)


class FullError(Exception):
    """One more than may wait."""


class Line:
    """May be used by several threads at once."""

    def __init__(self, most: int, readers: int, batch: int) -> None:
        self._most, self._readers, self._batch = most, readers, batch
        self._quick: deque[Job] = deque()
        self._slow: deque[Job] = deque()
        self._slow_now = 0  # slow ones that are being read
        self._closed = False
        self._changed = Condition()

    def __len__(self) -> int:
        return len(self._quick) + len(self._slow)

    def join(self, job: Job) -> None:
        with self._changed:
            if len(self) >= self._most:
                raise FullError
            self._quick.append(job)
            self._changed.notify()

    def rejoin(self, job: Job) -> None:
        """Back to where it was, or among the slow: it was taken, so there is room for it."""
        with self._changed:
            if job.slow:
                self._slow.append(job)
            else:
                self._quick.appendleft(job)
            self._changed.notify()

    def leave(self, job: Job) -> None:
        """Nobody wants it any more; it may have been taken already."""
        with self._changed:
            for waiting in (self._quick, self._slow):
                if job in waiting:
                    waiting.remove(job)

    def take(self) -> list[Job]:
        """What to read next, as soon as there is something; nothing once the line is closed."""
        with self._changed:
            while not (taken := self._next()):
                if self._closed and not len(self):
                    return []
                self._changed.wait()
            return taken

    def done(self) -> None:
        """A slow one is no longer being read."""
        with self._changed:
            self._slow_now -= 1
            self._changed.notify_all()

    def open(self) -> None:
        self._closed = False

    def close(self) -> None:
        """Nobody comes any more; those who wait are still read."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _next(self) -> list[Job]:
        slow_may = self._slow and self._slow_now < max(1, self._readers - 1)
        if slow_may and not (self._quick and self._quick[0].arrived < self._slow[0].arrived):
            self._slow_now += 1
            return [self._slow.popleft()]
        if not self._quick:
            return []
        share = min(self._batch, math.ceil(len(self._quick) / self._readers))
        taken = [self._quick.popleft()]
        while len(taken) < share and self._quick and taken[0].goes_with(self._quick[0]):
            taken.append(self._quick.popleft())
        return taken
