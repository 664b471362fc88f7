"""A dataset that is new in every epoch: worker processes make samples while the device trains.

- Each worker process has a pipe, and a thread here that sends it one request after the other and
  keeps the chunks. A worker ends when its pipe does: none outlives the run, however that ends.
- Epochs are requested ahead. The current one lies in the same buffer on the device as all before
  it, for captured graphs read from there and nowhere else.
- The first epoch shows how large pictures and trees become. Together with the packed corpus it
  fixes the run's capacity; later epochs keep to it.
"""

import contextlib
import multiprocessing
import os
import queue
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing.connection import Connection

import numpy as np
import torch

from san.cores import usable_cores
from san.errors import SanError
from san.grammar.languages import Kind, vocabulary_for
from san.grammar.vocabulary import Vocabulary
from san.training.batching import choose_buckets
from san.training.chunks import (
    Capacity,
    Chunk,
    ChunkRequest,
    Epoch,
    EpochTrees,
    Sample,
    SampleMaker,
    join_chunks,
    make_chunk,
)
from san.training.dataset import Dataset, SampleSizes, bit_offsets

CHUNK_SAMPLES = 64  # made at a time
BUFFER_FACTOR = 4  # the buffer's bytes over the first epoch's
FIRST_EPOCH_BUCKETS = 16  # before the run's own are chosen
SAMPLE_TIMEOUT = 20  # seconds; a thousandth of one is usual
RESERVED_CORES = 1  # for the training process


class _TimedMaker:
    """A maker whose samples raise TimeoutError when they take too long."""

    def __init__(self, maker: SampleMaker) -> None:
        self.maker = maker

    def make(self, rng: np.random.Generator, done: float) -> Sample:
        signal.setitimer(signal.ITIMER_REAL, SAMPLE_TIMEOUT)
        try:
            return self.maker.make(rng, done)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def _raise_timeout(*_: object) -> None:
    raise TimeoutError(f"no sample after {SAMPLE_TIMEOUT} seconds")


def run_worker(
    pipe: Connection, open_maker: Callable[[], SampleMaker], vocabulary: Vocabulary
) -> None:
    """A worker process: receives requests, sends chunks or one line of complaint."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the training process ends workers, by the pipe
    with contextlib.suppress(OSError):
        os.nice(5)  # the process that feeds the device comes first
    signal.signal(signal.SIGALRM, _raise_timeout)
    maker: SampleMaker | None = None
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            request: ChunkRequest = pipe.recv()
            answer: Chunk | str
            try:
                maker = maker or _TimedMaker(open_maker())
                answer = make_chunk(maker, vocabulary, request)
            except SanError as error:
                answer = str(error)
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
            pipe.send(answer)


class SampleStream(Dataset):
    """Samples of makers that `open_maker` opens in each worker; it must be picklable."""

    def __init__(
        self,
        open_maker: Callable[[], SampleMaker],
        vocabulary: Vocabulary,
        packed: SampleSizes,
        device: torch.device | str,
        seed: int,
        samples: int,
        workers: int = 0,
        kind: Kind = "san",
    ) -> None:
        """`packed` are the sizes of the packed corpus: the run must have room for it. `kind` is the
        network's, in whose language samples are written."""
        vocabulary = vocabulary_for(kind, vocabulary)
        self.vocabulary, self.packed, self.device = vocabulary, packed, torch.device(device)
        self.seed, self.samples, self.kind = seed, samples, kind
        # Of the first epoch: not larger, deeper or longer than the corpus itself.
        buckets = tuple(choose_buckets(packed.sizes, FIRST_EPOCH_BUCKETS))
        rows = packed.rows(by_step=kind != "san")
        self.capacity = Capacity(buckets, int(rows.max()), packed.widest, kind != "san")
        self.waited = 0.0  # seconds that training waited for this epoch
        self.remade: Counter[str] = Counter()  # of this epoch: samples made again, by why
        self.reason = ""
        self._current = -1  # on the device
        self._requests: queue.SimpleQueue[ChunkRequest | None] = queue.SimpleQueue()
        self._done: dict[int, float] = {}  # requested and not yet past
        self._parts: dict[int, dict[int, Chunk]] = {}
        self._epochs: dict[int, Epoch] = {}
        self._changed = threading.Condition()
        self._fault = ""
        self._threads: list[threading.Thread] = []
        methods = multiprocessing.get_all_start_methods()
        context = multiprocessing.get_context("forkserver" if "forkserver" in methods else "spawn")
        if "forkserver" in methods:  # libraries are imported once for all workers
            context.set_forkserver_preload(["__main__", __name__])
        for _ in range(workers or max(1, usable_cores() - RESERVED_CORES)):
            ours, theirs = context.Pipe()
            # mypy sees no Process in a context that may be either.
            process = context.Process(  # type: ignore[attr-defined]
                target=run_worker, args=(theirs, open_maker, vocabulary), daemon=True
            )
            process.start()
            theirs.close()
            self._threads.append(threading.Thread(target=self._serve, args=(ours,), daemon=True))
            self._threads[-1].start()
        self.request(0, 0.0)

    def begin(self) -> None:
        """Wait for the first epoch, which shows how large samples become."""
        first = self._wait(0)
        self.bits = torch.zeros(BUFFER_FACTOR * first.bytes, dtype=torch.uint8, device=self.device)
        self._load(0)

    @property
    def all_sizes(self) -> SampleSizes:
        """Those of the first epoch and of the packed corpus: the run's buffers are for these."""
        return SampleSizes.joined((self.packed, self.sample_sizes))

    def set_capacity(self, capacity: Capacity) -> None:
        """Samples of all later epochs keep to it."""
        self.capacity = capacity

    def request(self, epoch: int, done: float) -> None:
        """Have an epoch made for the time when `done` of the run, 0 to 1, is over; only once."""
        if epoch in self._done:
            return
        self._done[epoch] = done
        self._parts[epoch] = {}
        for number, start in enumerate(range(0, self.samples, CHUNK_SAMPLES)):
            many = min(CHUNK_SAMPLES, self.samples - start)
            self._requests.put(
                ChunkRequest(self.seed, epoch, number, many, done, self.capacity, self.kind)
            )

    def requested_for(self, epoch: int) -> float:
        """The `done` with which an epoch was requested."""
        return self._done[epoch]

    def load_epoch(self, epoch: int) -> None:
        """Wait for an epoch that was requested, and copy it to the device."""
        began = time.monotonic()
        if epoch != self._current:
            self._wait(epoch)
            self._load(epoch)
        self.waited = time.monotonic() - began

    def close(self) -> None:
        """End the workers, each after its current chunk."""
        with self._changed:
            self._fault = self._fault or "the stream is closed"
        for _ in self._threads:
            self._requests.put(None)

    def _wait(self, epoch: int) -> Epoch:
        with self._changed:
            self._changed.wait_for(lambda: self._fault or epoch in self._epochs)
            if self._fault:
                raise SanError(f"samples cannot be made: {self._fault}")
            return self._epochs[epoch]

    def _load(self, epoch: int) -> None:
        samples = self._epochs.pop(epoch)
        if samples.bytes > len(self.bits):
            raise SanError("an epoch's pictures are far larger than the first's were")
        if self.device.type == "cuda":
            torch.cuda.synchronize()  # steps under way still read what is overwritten
        start = 0
        for bits in samples.bits:
            self.bits[start : start + len(bits)].copy_(torch.from_numpy(bits))
            start += len(bits)
        self.sample_sizes, self.levels = samples.sample_sizes, EpochTrees(samples)
        self.starts = bit_offsets(samples.sample_sizes.sizes)
        self.remade, self.reason = samples.remade, samples.reason
        self._done = {other: done for other, done in self._done.items() if other >= epoch}
        self._current = epoch

    def _serve(self, pipe: Connection) -> None:
        """One worker's thread. The worker ends when we let go of the pipe."""
        while (request := self._requests.get()) is not None and not self._fault:
            try:
                pipe.send(request)
                answer: Chunk | str = pipe.recv()
            except (EOFError, OSError):
                answer = "a process that made them ended"
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
            if isinstance(answer, str):
                with self._changed:
                    self._fault = self._fault or answer
                    self._changed.notify_all()
                break
            self._keep(request, answer)
        pipe.close()

    def _keep(self, request: ChunkRequest, chunk: Chunk) -> None:
        with self._changed:
            parts = self._parts[request.epoch]
            parts[request.number] = chunk
            if len(parts) < -(-self.samples // CHUNK_SAMPLES):
                return
        whole = join_chunks([parts[number] for number in range(len(parts))])
        with self._changed:
            del self._parts[request.epoch]
            self._epochs[request.epoch] = whole
            self._changed.notify_all()
