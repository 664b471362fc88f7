"""The worker pool: threads that take requests from one bounded queue and read a few at a time.

- As many workers as cores, each a thread that computes on one core; of one core two, of which one
  reads the slow. What waits is read in small batches: the steps of several formulas cost less
  together.
- No request waits for ever. After `timeout` seconds it is given up, and one that was given up, by
  us or by who sent it, is not read any further.
- No request is held up for long by another. A picture that is large, or a reading that has taken a
  while, is slow (see `queue`), and ends when it has had its seconds of computing: with the first
  reading, if there is one. A batch that takes long, or that fails by an error of ours, is taken
  apart: each request stands for itself.
- Opening an image stands under the same clock as reading it.
- Closing the pool finishes what it accepted; a worker that does not end is left behind.
"""

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from san.errors import SanError
from san.images.limits import OUT_OF_MEMORY, is_out_of_memory
from san.reader import Formula, Page, Recognizer, Source
from san.reader.cancellable import CancelCheck, KeepFirstReading
from san.reader.pages.prepared_page import PreparedPage
from san.reader.prepared import PreparedImage
from san.reader.source import DocumentPage
from san.serve.drawing import DrawnPage, draw_page
from san.serve.problems import Problem
from san.serve.queue import Job, Lane, QueueFullError, RequestQueue, Task
from san.serve.settings import Settings
from san.serve.share import Count, Share
from san.serve.sources import price_of

LARGE_PICTURE = 1 << 18
"""Pixels of a picture that the network reads slowly: most of a second goes into encoding it."""
LARGE_IMAGE = 13_000_000
"""Price of an image that is slow to open: more pixels of JPEG than most telephones make."""
MAX_QUICK_BLOCKS = 4
"""Of a page: more formulas than that are slow to read."""
QUICK_SECONDS = 1.0
"""Seconds of computing after which a reading is a slow one; most take a tenth of that."""
INITIAL_SECONDS = 0.1
"""Seconds that a reading takes, until some have been timed."""
WORKER_NAME = "san-worker"
"""How the names of their threads begin."""
TOO_MUCH = "too much to read at once: send it in parts"
OVERLOADED_SHARE = 0.75
"""Of the queue: where so much of it is taken the service says that it is not ready."""
STOP_SECONDS = 1.0
"""Seconds that the last readings are given when the pool is closed: nobody waits for them."""


class _TooLongError(Exception):
    """It takes longer than its batch is allowed."""


class _CancelledError(Exception):
    """Nobody waits for it any more."""


class WorkerPool:
    """Reads requests. `submit` and `cancel` are for the event loop."""

    def __init__(
        self, recognizer: Recognizer, settings: Settings, share: Share | None = None
    ) -> None:
        self._recognizer, self._settings, self._share = recognizer, settings, share or Share()
        self._queue = RequestQueue(
            settings.max_queue, settings.threads, settings.max_batch, self._share
        )
        self._threads: list[threading.Thread] = []
        self._seconds_per_reading = INITIAL_SECONDS  # a moving average
        self._quick_seconds = min(QUICK_SECONDS, settings.max_cpu_seconds)
        self._jobs: set[Job] = set()  # that somebody waits for
        self.closed = True
        self.on_batch: Callable[[int], None] = lambda size: None

    def open(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._queue.open()
        several = self._settings.threads > 1
        lanes = [None] * self._settings.threads if several else [*Lane]
        self._threads = [
            threading.Thread(
                target=self._work, args=(lane,), name=f"{WORKER_NAME}-{number}", daemon=True
            )
            for number, lane in enumerate(lanes)
        ]
        for thread in self._threads:
            thread.start()
        self.closed = False

    async def close(self) -> None:
        """Accept nothing more, finish what somebody waits for; then wait no longer than a moment,
        since no decoder can be interrupted."""
        self.closed = True
        self._queue.close()
        while self._jobs:
            await asyncio.wait([job.response for job in self._jobs])
        until = time.monotonic() + STOP_SECONDS
        while time.monotonic() < until and any(thread.is_alive() for thread in self._threads):
            await asyncio.sleep(0.01)

    @property
    def queue_length(self) -> int:
        return len(self._queue)

    @property
    def overloaded(self) -> bool:
        """Whether so many requests wait, here and in the other processes of the service, that more
        had better go elsewhere."""
        waiting = self._share.total(Count.WAITING)
        return waiting >= math.ceil(OVERLOADED_SHARE * self._settings.max_queue)

    def submit(
        self,
        source: Callable[[], Source],
        serialise: Callable[[Any], bytes],
        beam: int = 1,
        n_best: int = 1,
        task: Task = Task.FORMULA,
        upright: bool = False,
    ) -> Job:
        """Into the queue; a Problem where there is no room."""
        if self.closed:
            raise Problem(503, "the service is stopping", {"Retry-After": "5"})
        response = self._loop.create_future()
        job = Job(source, max(beam, n_best), n_best, serialise, response, task, upright)
        try:
            self._queue.put(job)
        except QueueFullError:
            raise Problem(503, "too many requests are waiting", self.retry_after()) from None
        self._jobs.add(job)
        job.response.add_done_callback(lambda _: self._jobs.discard(job))
        return job

    def cancel(self, job: Job) -> None:
        """It is not wanted any more."""
        job.response.cancel()
        self._queue.remove(job)

    def retry_after(self) -> dict[str, str]:
        """The header that says when to come again."""
        waiting, threads = self._share.total(Count.WAITING), self._settings.threads
        wait = waiting * self._seconds_per_reading / (threads * self._share.processes)
        return {"Retry-After": str(max(1, math.ceil(wait)))}

    def _work(self, only: Lane | None) -> None:
        """What one thread does."""
        while batch := self._queue.get(only):
            self.on_batch(len(batch))
            began, slow = time.monotonic(), batch[0].slow
            self._read(batch, slow)
            if slow:
                self._queue.slow_done()
            seconds = (time.monotonic() - began) / len(batch)
            self._seconds_per_reading += 0.1 * (seconds - self._seconds_per_reading)

    def _read(self, batch: list[Job], slow: bool) -> None:
        quick = []
        for job in filter(self._opened, batch):
            if job.slow and not slow:
                self._put_back(job)
            else:
                quick.append(job)
        if quick:
            self._decode(quick, slow)

    def _opened(self, job: Job) -> bool:
        """Whether there is a picture to be read; where there is none, the response says why."""
        if job.response.done():
            return False
        try:
            if job.prepared is None:
                source = job.source()
                if not job.slow and price_of(source, self._settings.limits) > LARGE_IMAGE:
                    job.slow = True  # and is not even opened among the quick
                    return True
                self._open(job, source)
            large = job.prepared is not None and _is_large(job.prepared)
        except _CancelledError:
            return False
        except _TooLongError:
            if job.slow:
                self._finish(job, SanError(TOO_MUCH))
                return False
            job.slow = True  # and is opened again, among them
            return True
        except Exception as error:
            self._finish(job, error)
            return False
        job.slow = job.slow or large or job.seconds > self._quick_seconds
        return True

    def _open(self, job: Job, source: Source) -> None:
        """Under the clock that goes on when it is read."""
        began = time.thread_time()
        limit = self._settings.max_cpu_seconds if job.slow else self._quick_seconds

        def check() -> None:
            if job.response.done():
                raise _CancelledError
            if time.thread_time() - began > limit:
                raise _TooLongError

        reader = self._recognizer.with_upright() if job.upright else self._recognizer
        if isinstance(source, DocumentPage):
            job.prepared = draw_page(source, self._settings, check)
        else:
            job.prepared = (reader.open_page if job.task is Task.PAGE else reader.open)(
                source, check
            )
        job.seconds = time.thread_time() - began

    def _decode(self, jobs: list[Job], slow: bool) -> None:
        began = time.thread_time()
        limit = self._quick_seconds * len(jobs)
        if slow:  # alone, and what its opening took is counted
            limit = self._settings.max_cpu_seconds - jobs[0].seconds

        def check() -> None:
            if all(job.response.done() for job in jobs):
                raise _CancelledError
            if time.thread_time() - began > limit:
                raise KeepFirstReading if slow else _TooLongError

        reader = self._recognizer.with_beam(jobs[0].beam, jobs[0].n_best)
        try:
            results = _results(reader, jobs, check)
        except _CancelledError:
            return
        except Exception as error:
            self._retry_apart(jobs, slow, error)
            return
        for job, result in zip(jobs, results, strict=True):
            try:
                self._finish(job, job.serialise(result))
            except Exception as error:
                self._finish(job, error)

    def _retry_apart(self, jobs: list[Job], slow: bool, error: Exception) -> None:
        """What could not be read in a batch is read alone; what took too long, among the slow."""
        if len(jobs) > 1:
            for job in reversed(jobs):
                job.alone = True
                self._put_back(job)
        elif not isinstance(error, _TooLongError | KeepFirstReading):
            self._finish(jobs[0], error)
        elif slow:
            self._finish(jobs[0], SanError(TOO_MUCH))
        else:
            jobs[0].slow = True
            self._put_back(jobs[0])

    def _put_back(self, job: Job) -> None:
        """To be read again; a Problem for its answer where too many slow ones wait."""
        try:
            self._queue.put_back(job)
        except QueueFullError:
            self._finish(
                job, Problem(503, "too many slow requests are waiting", self.retry_after())
            )

    def _finish(self, job: Job, outcome: bytes | Exception) -> None:
        if isinstance(outcome, Exception) and is_out_of_memory(outcome):
            outcome = SanError(OUT_OF_MEMORY)
        if isinstance(outcome, StopIteration):  # which no future takes, and nobody would hear of
            outcome = RuntimeError(f"{type(outcome).__name__}: {outcome}")

        def finish() -> None:
            if job.response.done():
                return
            if isinstance(outcome, Exception):
                job.response.set_exception(outcome)
            else:
                job.response.set_result(outcome)

        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(finish)


def _is_large(prepared: PreparedImage | PreparedPage | DrawnPage) -> bool:
    """Whether it takes the network long: a large picture, or many formulas."""
    if isinstance(prepared, DrawnPage):
        return False
    if isinstance(prepared, PreparedPage):
        many = len(prepared.blocks) > MAX_QUICK_BLOCKS
        return many or prepared.whole.picture.size > LARGE_PICTURE
    return prepared.picture.size > LARGE_PICTURE


def _results(
    reader: Recognizer, jobs: list[Job], check: CancelCheck
) -> Sequence[Formula] | Sequence[Page] | Sequence[DrawnPage]:
    """Formulas, read together; or one page, read or drawn."""
    images: list[PreparedImage] = []
    for job in jobs:
        if isinstance(job.prepared, PreparedPage):
            return [reader.read_prepared_page(job.prepared, check)]
        if isinstance(job.prepared, DrawnPage):
            return [job.prepared]
        if job.prepared is not None:
            images.append(job.prepared)
    return reader.read_prepared(images, check)
