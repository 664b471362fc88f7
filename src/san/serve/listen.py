"""Listening: a socket that says at once whether it is free, and connections that must get on."""

import asyncio
import math
import socket

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from san.errors import SanError, reason

IDLE = 15.0
"""Seconds in which a connection sends the head of a request, or is closed."""


def listening(host: str, port: int) -> socket.socket:
    """Bound before anything is loaded: of a taken port one hears at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, UnicodeError, OverflowError) as error:
        why = reason(error) if isinstance(error, OSError) else "no such name"
        raise SanError(f"cannot listen on {host}, port {port}: {why}") from None


def server(app: FastAPI, grace: float) -> uvicorn.Server:
    """Stops when it is told to, at most `grace` seconds after."""
    config = uvicorn.Config(
        app,
        http=Prompt,
        ws="none",
        log_level="error",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=math.ceil(grace),
    )
    return uvicorn.Server(config)


class Prompt(H11Protocol):
    """Uvicorn waits for ever for the head of a request; others would wait behind many of those."""

    _last: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.loop.call_later(IDLE, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        at_work = self.cycle is not None and not self.cycle.response_complete
        if not at_work and self.cycle is self._last:  # nothing has come since the last look
            self.transport.close()
            return
        self._last = self.cycle
        self.loop.call_later(IDLE, self._look)
