"""Several processes behind one port: each accepts from the same socket; one that ends is replaced.

The parent binds the socket, starts the processes, and reads nothing itself. It tells all of them to
stop when it is told to, and ends those that do not; where it is killed they stop by themselves.
"""

import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait

from san.errors import SanError
from san.serve.metrics import keep_lasting
from san.serve.service import SHUTDOWN_GRACE, Service, exit_politely
from san.serve.share import Share
from san.serve.workers import STOP_SECONDS

STOP_DEADLINE = SHUTDOWN_GRACE + STOP_SECONDS + 2.0
"""Seconds in which processes stop that were told to; then they are ended."""
MIN_RESTART_SECONDS, MAX_RESTART_SECONDS = 1.0, 30.0
"""From the start of a process to that of its successor; twice as long after each one that did not
live for the longer of them."""

_context = multiprocessing.get_context("spawn")  # to fork copies the locks of threads, as they are


class Processes:
    """The processes of one service. `run` returns when it is told to stop."""

    def __init__(self, service: Service, listening: socket.socket, count: int) -> None:
        share = Share(_context, count)
        self._listening = listening
        self._places = [_Place(service, listening, share.at(place)) for place in range(count)]

    def run(self, ready: Callable[[], None]) -> None:
        """SanError where they cannot begin, as of weights that are none."""
        signal.signal(signal.SIGTERM, exit_politely)
        try:
            for place in self._places:
                place.start()
            for place in self._places:
                place.wait_until_ready()
            ready()
            while True:
                self._replace_ended()
        except (KeyboardInterrupt, SystemExit):
            pass
        finally:
            self._stop()

    def _replace_ended(self) -> None:
        """Wait until something happens, and see to it."""
        waiting = [place.handle for place in self._places if place.handle is not None]
        wait(waiting, timeout=MIN_RESTART_SECONDS)
        for place in self._places:
            place.restart_if_ended()

    def _stop(self) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        with suppress(ValueError):
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._listening.close()  # else who connects now waits until this process has ended, too
        until = time.monotonic() + STOP_DEADLINE
        for place in self._places:
            place.terminate()
        for place in self._places:
            place.end(until)


class _Place:
    """One process after the other."""

    def __init__(self, service: Service, listening: socket.socket, share: Share) -> None:
        self._service, self._listening, self._share = service, listening, share
        self._process: multiprocessing.process.BaseProcess | None = None
        self._pipe: Connection | None = None
        self._began, self._failures = 0.0, 0

    @property
    def handle(self) -> int | None:
        """What `wait` takes: ready when the process ends."""
        return None if self._process is None else self._process.sentinel

    def start(self) -> None:
        ours, theirs = _context.Pipe(duplex=False)
        self._process = _context.Process(
            target=_serve, args=(self._service, self._listening, self._share, theirs), daemon=True
        )
        self._pipe, self._began = ours, time.monotonic()
        with _interrupted_afterwards():
            self._process.start()
        theirs.close()

    def wait_until_ready(self) -> None:
        if refusal := self._last_words(wait=True):
            raise SanError(refusal)

    def restart_if_ended(self) -> None:
        if self._process is not None and not self._process.is_alive():
            lived = time.monotonic() - self._began
            self._failures = self._failures + 1 if lived < MAX_RESTART_SECONDS else 0
            why = self._last_words() or f"a process of the service ended ({self._exit_code()})"
            _say(f"san: {why}; another takes its place")
            self._share.clear()
            keep_lasting(self._share)
            self._process = None
        pause = min(MIN_RESTART_SECONDS * 2**self._failures, MAX_RESTART_SECONDS)
        if self._process is None and time.monotonic() - self._began >= pause:
            self.start()

    def terminate(self) -> None:
        if self._process is not None:
            self._process.terminate()

    def end(self, until: float) -> None:
        """Wait for it; not longer than that."""
        if self._process is not None:
            self._process.join(max(0.0, until - time.monotonic()))
            self._process.kill()
            self._process.join()

    def _last_words(self, wait: bool = False) -> str:
        """Why it could not begin; nothing where it could."""
        assert self._pipe is not None
        try:
            return str(self._pipe.recv()) if wait or self._pipe.poll() else ""
        except EOFError:
            return "a process of the service ended before it was ready" if wait else ""

    def _exit_code(self) -> str:
        code = self._process.exitcode if self._process is not None else None
        return f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"


@contextmanager
def _interrupted_afterwards() -> Iterator[None]:
    """Ctrl-C goes to all processes of a terminal. It waits until one has begun; that one, which
    inherits this, hears it when it can answer, and is told to stop by then."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # which listens again where it begins meanwhile
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _say(line: str) -> None:
    """To the log; where its disk is full the service goes on."""
    with suppress(OSError, ValueError):
        os.write(sys.stderr.fileno(), f"{line}\n".encode())


def _serve(service: Service, listening: socket.socket, share: Share, told: Connection) -> None:
    """What a process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # what has waited is dropped
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, exit_politely)
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    try:
        service.run(listening, lambda: told.send(""), share)
    except SanError as error:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # which it is sent now, and ends by itself
        told.send(str(error))
        sys.exit(2)


def _stop_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
