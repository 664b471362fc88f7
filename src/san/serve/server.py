"""The HTTP server: binds its port first, and closes connections that stall."""

import asyncio
import math
import socket
from contextlib import suppress
from http import HTTPStatus

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from san.errors import SanError, reason
from san.serve.guard import HEADERS
from san.serve.problems import problem

IDLE_TIMEOUT = 15.0
"""Seconds in which a connection sends the head of a request, or is closed."""
MAX_HEAD_BYTES = 1 << 16
"""Bytes of a request's head, at most."""
FREE_CHUNKS, MIN_CHUNK_BYTES = 10_000, 64
"""Chunks in which a body may come whatever their size, as a program writes that sends JSON token by
token (a tenth of a second of the loop's); more are so many bytes on the average."""


def bind(host: str, port: int) -> socket.socket:
    """Bound before anything is loaded: a port in use is an error at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=512)
    except (OSError, UnicodeError, OverflowError) as error:
        why = reason(error) if isinstance(error, OSError) else "no such name"
        raise SanError(f"cannot listen on {host}, port {port}: {why}") from None


def create_server(app: FastAPI, grace: float) -> uvicorn.Server:
    """Stops when it is told to, at most `grace` seconds after."""
    config = uvicorn.Config(
        app,
        http=DeadlineProtocol,
        ws="none",
        log_level="error",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=math.ceil(grace),
    )
    return uvicorn.Server(config)


class ChunkLimitedConnection(h11.Connection):
    """Refuses a body of many tiny chunks, which would keep the event loop from everybody else."""

    _count = _bytes = 0
    fault = "not HTTP"

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
                self.fault = f"a head of more than {MAX_HEAD_BYTES:,} bytes"
            raise
        if isinstance(event, h11.Request):
            self._count = self._bytes = 0
        elif isinstance(event, h11.Data):
            self._count += event.chunk_start  # never, of a body whose length was announced
            self._bytes += len(event.data)
            if self._count > FREE_CHUNKS and self._bytes < MIN_CHUNK_BYTES * self._count:
                self.fault = "a body of tiny chunks: send larger ones"
                raise h11.RemoteProtocolError(self.fault)
        return event


class DeadlineProtocol(H11Protocol):
    """Closes connections that send no request, or do not take their response, in time: uvicorn
    waits for ever for both."""

    conn: ChunkLimitedConnection
    _last_cycle: RequestResponseCycle | None = None
    _stuck = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.conn = ChunkLimitedConnection(h11.SERVER, MAX_HEAD_BYTES)
        self.loop.call_later(IDLE_TIMEOUT, self._check_progress)

    def send_400_response(self, msg: str) -> None:
        if self.conn.our_state in (
            h11.IDLE,
            h11.SEND_RESPONSE,
        ):  # else it was answered before
            answer = problem(400, self.conn.fault, {**HEADERS, "Connection": "close"})
            start = h11.Response(status_code=400, headers=answer.raw_headers, reason=b"Bad Request")
            with suppress(h11.LocalProtocolError):  # who asked for HEAD gets no body
                for event in (start, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                    self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _check_progress(self) -> None:
        if self not in self.connections:  # it is over
            return
        same = self.cycle is self._last_cycle  # nothing has come since the last check
        stuck = self.transport.is_closing() or self.flow.write_paused
        at_work = self.cycle is not None and not self.cycle.response_complete
        if same and stuck and self._stuck:
            self.transport.abort()  # to close it would be to wait until all is taken
            return
        if same and not (stuck or at_work):
            self.transport.close()
        self._last_cycle, self._stuck = self.cycle, stuck
        self.loop.call_later(IDLE_TIMEOUT, self._check_progress)
