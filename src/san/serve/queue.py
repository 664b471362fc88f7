"""The queue of requests before the workers: bounded, and fair between quick ones and slow ones.

- Requests that arrive while the workers are busy form the next batch: a free worker takes its share
  of the quick requests that wait, so that none is idle while another has many.
- A slow request is read alone, and never by all workers at once: one of them is always left to the
  quick. Of one core there are two workers, each with a lane of its own, and the system shares the
  core between them. Apart from that, first come, first served.
- Slow requests that wait take half of the room at most: whoever sends a crowd of them is refused,
  and not those with quick ones.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from threading import Condition
from typing import Any

from san.reader import Source
from san.reader.pages.prepared_page import PreparedPage
from san.reader.prepared import PreparedImage
from san.serve.drawing import DrawnPage
from san.serve.share import Count, Share


class Task(Enum):
    """What a request wants of its source."""

    FORMULA = auto()
    PAGE = auto()  # which may have several formulas, and is read alone
    DRAWING = auto()  # nothing is read: a page of a file is shown


class Lane(Enum):
    """What a worker takes, where each has one of them."""

    QUICK = auto()
    SLOW = auto()


@dataclass(eq=False)
class Job:
    """A request."""

    source: Callable[[], Source]  # called by the worker: to parse takes time too
    beam: int
    n_best: int
    serialise: Callable[[Any], bytes]  # makes the response, in the worker as well
    response: "asyncio.Future[bytes]"
    task: Task = Task.FORMULA
    upright: bool = False  # an image lies as it should, its sender says
    arrived: float = field(default_factory=time.monotonic)
    prepared: PreparedImage | PreparedPage | DrawnPage | None = None  # once it is opened
    seconds: float = 0.0  # of computing that its opening took
    alone: bool = False  # a batch with it took too long, or failed
    slow: bool = False

    def goes_with(self, other: "Job") -> bool:
        """Whether both can be read at once."""
        same = (self.beam, self.n_best) == (other.beam, other.n_best)
        return same and not any(job.alone or job.task is not Task.FORMULA for job in (self, other))


SLOW_SHARE = 0.5
"""Of the queue, that slow requests may take."""


class QueueFullError(Exception):
    """As many requests wait as may."""


class RequestQueue:
    """May be used by several threads at once. `max_length` is of all processes of a service."""

    def __init__(
        self, max_length: int, workers: int, max_batch: int, share: Share | None = None
    ) -> None:
        self._max_length, self._workers, self._max_batch = max_length, workers, max_batch
        self._share = share or Share()
        self._quick: deque[Job] = deque()
        self._slow: deque[Job] = deque()
        self._max_slow = max(1, int(SLOW_SHARE * max_length / self._share.processes))
        self._slow_now = 0  # slow ones that are being read
        self._closed = False
        self._changed = Condition()

    def __len__(self) -> int:
        return len(self._quick) + len(self._slow)

    def put(self, job: Job) -> None:
        with self._changed:
            if self._share.total(Count.WAITING) >= self._max_length:
                raise QueueFullError
            self._quick.append(job)
            self._tell()
            self._changed.notify_all()  # not everybody may take it

    def put_back(self, job: Job) -> None:
        """To the front, where there is room since it was taken; or among the slow, if they are not
        too many."""
        with self._changed:
            if job.slow:
                if len(self._slow) >= self._max_slow:
                    raise QueueFullError
                self._slow.append(job)
            else:
                self._quick.appendleft(job)
            self._tell()
            self._changed.notify_all()  # not everybody may take it

    def remove(self, job: Job) -> None:
        """Nobody wants it any more; it may have been taken already."""
        with self._changed:
            for waiting in (self._quick, self._slow):
                if job in waiting:
                    waiting.remove(job)
            self._tell()

    def get(self, only: Lane | None = None) -> list[Job]:
        """What to read next, as soon as there is something; nothing once the queue is closed."""
        with self._changed:
            # Once it is closed everybody takes what is left, and leaves.
            while not (taken := self._next(None if self._closed else only)):
                if self._closed and not len(self):
                    return []
                self._changed.wait()
            self._tell()
            return taken

    def slow_done(self) -> None:
        """A slow one is no longer being read."""
        with self._changed:
            self._slow_now -= 1
            self._changed.notify_all()

    def open(self) -> None:
        self._closed = False

    def close(self) -> None:
        """No request is taken any more; those that wait are still read."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _quick_is_first(self) -> bool:
        return bool(self._quick) and self._quick[0].arrived < self._slow[0].arrived

    def _tell(self) -> None:
        """The other processes, how many wait here."""
        self._share.set(Count.WAITING, len(self))

    def _next(self, only: Lane | None) -> list[Job]:
        slow_may = self._slow and self._slow_now < max(1, self._workers - 1)
        if slow_may and only is not Lane.QUICK and not (only is None and self._quick_is_first()):
            self._slow_now += 1
            return [self._slow.popleft()]
        if not self._quick or only is Lane.SLOW:
            return []
        share = min(self._max_batch, math.ceil(len(self._quick) / self._workers))
        taken = [self._quick.popleft()]
        while len(taken) < share and self._quick and taken[0].goes_with(self._quick[0]):
            taken.append(self._quick.popleft())
        return taken
