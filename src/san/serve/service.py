"""One process of a service: loads a reader, and answers at a socket until it is told to stop."""

import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from san.reader import Recognizer
from san.serve.app import create_app
from san.serve.server import create_server
from san.serve.settings import Settings
from san.serve.share import Share

SHUTDOWN_GRACE = 4.0
"""Seconds in which what was accepted is answered when the service is to stop; then 503."""


@dataclass(frozen=True)
class Service:
    """What is served; may be passed to another process."""

    settings: Settings
    model: Path | None = None
    quick: bool = False

    def run(self, listening: socket.socket, ready: Callable[[], None], share: Share) -> None:
        """Serve until SIGTERM or Ctrl-C; SanError where the network cannot be loaded."""
        # From here on a polite request to stop is no failure.
        signal.signal(signal.SIGTERM, exit_politely)
        # One core for each reading: they go on side by side.
        reader = Recognizer(self.model, threads=1, limits=self.settings.limits, quick=self.quick)
        app = create_app(reader, self.settings, share)
        server = create_server(app, min(self.settings.timeout, SHUTDOWN_GRACE), share=share)
        ready()
        with _leaving_at_once():
            server.run(sockets=[listening])


def exit_politely(number: int, frame: FrameType | None) -> None:
    """For a signal: end without failure."""
    sys.exit(0)


@contextlib.contextmanager
def _leaving_at_once() -> Iterator[None]:
    """End with the service. Python would wait for a worker until its decoder lets it go, and take
    all apart that was loaded: on a busy machine for seconds, in which nobody is served."""
    try:
        yield
    except (KeyboardInterrupt, SystemExit) as stop:
        if isinstance(stop, SystemExit) and stop.code:
            raise  # it never began
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)
