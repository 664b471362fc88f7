"""The reading desk: requests wait in one bounded line and are read a few at a time.

- As many readers as cores, each a thread that computes on one core. What waits is read in small
  batches: the steps of several formulas cost less together.
- Nobody waits for ever. After `seconds` a request is given up, and one that was given up, by us or
  by who sent it, is not read any further.
- Nobody is held up for long by another. A picture that is large, or a reading that has taken a
  while, is slow (see `line`), and ends when it has had its seconds of computing: with the first
  reading, if there is one. A batch that takes long, or that fails by an error of ours, is taken
  apart: each request stands for itself.
- Closing the desk finishes what it took.
"""

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Callable

from san.errors import SanError
from san.reader import Formula, Recognizer, Source
from san.reader.cancellable import KeepFirstReading
from san.serve.problems import Problem
from san.serve.queue import FullError, Job, Line
from san.serve.settings import Settings
from san.serve.sources import pixels

LARGE = 1 << 18
"""Pixels of a picture that the network reads slowly: most of a second goes into encoding it."""
HUGE = 13_000_000
"""Pixels of an image that is slow to open: more than most telephones make."""
QUICK = 1.0
"""Seconds of computing after which a reading is a slow one; most take a tenth of that."""
GUESS = 0.1
"""Seconds that a reading takes, until some have been timed."""


class _TooLongError(Exception):
    """Longer than is allowed in the company it is in."""


class _UnwantedError(Exception):
    """Nobody waits for it any more."""


class Desk:
    def __init__(self, recognizer: Recognizer, settings: Settings) -> None:
        self._recognizer, self._settings = recognizer, settings
        self._line = Line(settings.waiting, settings.readers, settings.batch)
        self._readers: list[threading.Thread] = []
        self._pace = GUESS  # seconds a reading, lately
        self.closed = True
        self.on_batch: Callable[[int], None] = lambda size: None

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._line.open()
        self._readers = [
            threading.Thread(target=self._serve, name=f"san-reader-{number}", daemon=True)
            for number in range(self._settings.readers)
        ]
        for reader in self._readers:
            reader.start()
        self.closed = False

    async def close(self) -> None:
        """Take nothing more, finish what is there."""
        self.closed = True
        self._line.close()
        for reader in self._readers:
            await asyncio.to_thread(reader.join)

    @property
    def waiting(self) -> int:
        return len(self._line)

    def take(
        self,
        source: Callable[[], Source],
        tell: Callable[[Formula], bytes],
        beam: int = 1,
        n_best: int = 1,
    ) -> Job:
        """Into the line; a Problem where there is no room."""
        if self.closed:
            raise Problem(503, "the service is stopping", {"Retry-After": "5"})
        job = Job(source, max(beam, n_best), n_best, tell, self._loop.create_future())
        try:
            self._line.join(job)
        except FullError:
            raise Problem(503, "too many requests are waiting", self.later()) from None
        return job

    def drop(self, job: Job) -> None:
        """It is not wanted any more."""
        job.answer.cancel()
        self._line.leave(job)

    def later(self) -> dict[str, str]:
        """When to come again."""
        wait = self.waiting * self._pace / self._settings.readers
        return {"Retry-After": str(max(1, math.ceil(wait)))}

    def _serve(self) -> None:
        """One reader's day."""
        while batch := self._line.take():
            self.on_batch(len(batch))
            began, slow = time.monotonic(), batch[0].slow
            self._read(batch, slow)
            if slow:
                self._line.done()
            self._pace += 0.1 * ((time.monotonic() - began) / len(batch) - self._pace)

    def _read(self, batch: list[Job], slow: bool) -> None:
        quick = []
        for job in filter(self._opens, batch):
            if job.slow and not slow:
                self._line.rejoin(job)
            else:
                quick.append(job)
        if quick:
            self._decode(quick, slow)

    def _opens(self, job: Job) -> bool:
        """Whether there is a page to be read; where there is none, its request has heard why."""
        if job.answer.done():
            return False
        try:
            if job.page is None:
                source = job.source()
                if not job.slow and HUGE < pixels(source) <= self._settings.limits.pixels:
                    job.slow = True  # and is not even opened among the quick
                    return True
                job.page = self._recognizer.open(source)
        except Exception as error:
            self._settle(job, error)
            return False
        job.slow = job.slow or job.page.picture.size > LARGE
        return True

    def _decode(self, jobs: list[Job], slow: bool) -> None:
        began = time.thread_time()
        most = self._settings.computing
        most = most if slow else min(QUICK, most) * len(jobs)

        def watch() -> None:
            if all(job.answer.done() for job in jobs):
                raise _UnwantedError
            if time.thread_time() - began > most:
                raise KeepFirstReading if slow else _TooLongError

        reader = self._recognizer.with_beam(jobs[0].beam, jobs[0].n_best)
        try:
            formulas = reader.read_prepared([job.page for job in jobs if job.page], watch)
        except _UnwantedError:
            return
        except Exception as error:
            self._apart(jobs, slow, error)
            return
        for job, formula in zip(jobs, formulas, strict=True):
            try:
                self._settle(job, job.tell(formula))
            except Exception as error:
                self._settle(job, error)

    def _apart(self, jobs: list[Job], slow: bool, error: Exception) -> None:
        """What could not be read in this company is read in less."""
        if len(jobs) > 1:
            for job in reversed(jobs):
                job.alone = True
                self._line.rejoin(job)
        elif not isinstance(error, _TooLongError | KeepFirstReading):
            self._settle(jobs[0], error)
        elif slow:
            self._settle(jobs[0], SanError("too much to read at once: send it in parts"))
        else:
            jobs[0].slow = True
            self._line.rejoin(jobs[0])

    def _settle(self, job: Job, outcome: bytes | Exception) -> None:
        if isinstance(outcome, MemoryError):
            outcome = SanError("too large for the memory at hand")

        def settle() -> None:
            if job.answer.done():
                return
            if isinstance(outcome, Exception):
                job.answer.set_exception(outcome)
            else:
                job.answer.set_result(outcome)

        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(settle)
