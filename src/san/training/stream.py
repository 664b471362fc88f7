"""A corpus that flows: every epoch is new, made by other processes while the device trains.

- Each worker process has a pipe, and a thread here that hands it one order after the other and
  keeps what comes. A worker ends when its pipe does: none outlives the run, however that ends.
- Epochs are ordered ahead. The one that is trained on lies in the same place on the device as all
  before it, for captured programs look there and nowhere else.
- The first epoch shows how large pictures and trees become. Together with the corpus as it is it
  fixes the run's layout; later epochs keep to it.
"""

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import numpy as np
import torch

from san.cores import usable_cores
from san.errors import SanError
from san.grammar.vocabulary import Vocabulary
from san.training.buckets import choose_buckets
from san.training.chunk import Chunk, Epoch, Maker, Order, Room, Sample, Trees, join, make_chunk
from san.training.corpus import Extent, Stock, starts_of

CHUNK = 64  # samples made at a time
SPARE = 4  # times the first epoch's bytes that are kept free for any other
SHAPES = 16  # buckets that the first epoch keeps to
PATIENCE = 20  # seconds that one sample may take; a thousandth is usual
LEFT = 2  # cores that the training process and the system keep


class _InTime:
    """A maker that is stopped when a sample takes too long: no epoch waits for it."""

    def __init__(self, maker: Maker) -> None:
        self.maker = maker

    def make(self, rng: np.random.Generator, done: float) -> Sample:
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        try:
            return self.maker.make(rng, done)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def _late(*_: object) -> None:
    raise TimeoutError(f"no sample after {PATIENCE} seconds")


def work(pipe: Connection, opened: Callable[[], Maker], vocabulary: Vocabulary) -> None:
    """A worker process: orders come, chunks or one line of complaint go."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever trains ends us, by the pipe
    with contextlib.suppress(OSError):
        os.nice(5)  # the process that feeds the device comes first
    signal.signal(signal.SIGALRM, _late)
    maker: Maker | None = None
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            order: Order = pipe.recv()
            answer: Chunk | str
            try:
                maker = maker or _InTime(opened())
                answer = make_chunk(maker, vocabulary, order)
            except SanError as error:
                answer = str(error)
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
            pipe.send(answer)


class Stream(Stock):
    """`opened` makes a maker in a worker; it and what it holds must be picklable."""

    def __init__(
        self,
        opened: Callable[[], Maker],
        vocabulary: Vocabulary,
        plain: Extent,
        device: torch.device | str,
        seed: int,
        samples: int,
        workers: int = 0,
    ) -> None:
        """`plain` is the extent of the corpus as it is: the run must have room for it."""
        self.vocabulary, self.plain, self.device = vocabulary, plain, torch.device(device)
        self.seed, self.samples = seed, samples
        # Until the run is laid out: not larger or deeper than the corpus itself.
        depth = int(plain.depths.max())
        self.room = Room(tuple(choose_buckets(plain.sizes, SHAPES)), depth, plain.widest)
        self.waited = 0.0  # seconds that training had to wait for the last epoch
        self.remade, self.reason = 0, ""
        self._now = -1  # the epoch that is on the device
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        self._done: dict[int, float] = {}  # ordered and not yet dropped
        self._parts: dict[int, dict[int, Chunk]] = {}
        self._epochs: dict[int, Epoch] = {}
        self._news = threading.Condition()
        self._fault = ""
        self._threads: list[threading.Thread] = []
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:  # libraries are imported once for all workers
            context.set_forkserver_preload(["__main__", __name__])
        for _ in range(workers or max(1, usable_cores() - LEFT)):
            ours, theirs = context.Pipe()
            # mypy sees no Process in a context that may be either.
            process = context.Process(  # type: ignore[attr-defined]
                target=work, args=(theirs, opened, vocabulary), daemon=True
            )
            process.start()
            theirs.close()
            self._threads.append(threading.Thread(target=self._serve, args=(ours,), daemon=True))
            self._threads[-1].start()
        self.order(0, 0.0)

    def begin(self) -> None:
        """Wait for the first epoch: it tells how large things become."""
        first = self._wait(0)
        self.bits = torch.zeros(SPARE * first.bytes, dtype=torch.uint8, device=self.device)
        self._load(0)

    @property
    def reach(self) -> Extent:
        """All that the run must have room for: the first epoch and the corpus as it is."""
        return Extent.joined((self.plain, self.extent))

    def keep_to(self, room: Room) -> None:
        """All epochs but the first, which it was laid out for, have room there."""
        self.room = room

    def order(self, epoch: int, done: float) -> None:
        """Have an epoch made as is right where so much of the run is done; once is enough."""
        if epoch in self._done:
            return
        self._done[epoch] = done
        self._parts[epoch] = {}
        for number, start in enumerate(range(0, self.samples, CHUNK)):
            many = min(CHUNK, self.samples - start)
            self._orders.put(Order(self.seed, epoch, number, many, done, self.room))

    def wanted(self, epoch: int) -> float:
        """The part of the run for which an epoch was ordered."""
        return self._done[epoch]

    def turn(self, epoch: int) -> None:
        """Wait for an epoch that was ordered, and lay it out for steps."""
        began = time.monotonic()
        if epoch != self._now:
            self._wait(epoch)
            self._load(epoch)
        self.waited = time.monotonic() - began

    def close(self) -> None:
        """Let the workers go, as soon as each has made what it is at."""
        with self._news:
            self._fault = self._fault or "the stream is closed"
        for _ in self._threads:
            self._orders.put(None)

    def _wait(self, epoch: int) -> Epoch:
        with self._news:
            self._news.wait_for(lambda: self._fault or epoch in self._epochs)
            if self._fault:
                raise SanError(f"samples cannot be made: {self._fault}")
            return self._epochs[epoch]

    def _load(self, epoch: int) -> None:
        made = self._epochs.pop(epoch)
        if made.bytes > len(self.bits):
            raise SanError("an epoch's pictures are far larger than the first's were")
        if self.device.type == "cuda":
            torch.cuda.synchronize()  # steps under way still read what is overwritten
        start = 0
        for bits in made.bits:
            self.bits[start : start + len(bits)].copy_(torch.from_numpy(bits))
            start += len(bits)
        self.extent, self.levels = made.extent, Trees(made)
        self.starts = starts_of(made.extent.sizes)
        self.remade, self.reason = made.remade, made.reason
        self._done = {other: done for other, done in self._done.items() if other >= epoch}
        self._now = epoch

    def _serve(self, pipe: Connection) -> None:
        """One worker's thread. The worker ends when we let go of the pipe."""
        while (order := self._orders.get()) is not None and not self._fault:
            try:
                pipe.send(order)
                answer: Chunk | str = pipe.recv()
            except (EOFError, OSError):
                answer = "a process that made them ended"
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
            if isinstance(answer, str):
                with self._news:
                    self._fault = self._fault or answer
                    self._news.notify_all()
                break
            self._keep(order, answer)
        pipe.close()

    def _keep(self, order: Order, chunk: Chunk) -> None:
        with self._news:
            parts = self._parts[order.epoch]
            parts[order.number] = chunk
            if len(parts) < -(-self.samples // CHUNK):
                return
        whole = join([parts[number] for number in range(len(parts))])
        with self._news:
            del self._parts[order.epoch]
            self._epochs[order.epoch] = whole
            self._news.notify_all()
