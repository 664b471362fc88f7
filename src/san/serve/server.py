"""The HTTP server: binds its port first, closes connections that stall, refuses those too many.

uvicorn limits neither of these: the time for a request's head, a client that does not take its
response, bodies of tiny chunks, connections beyond what the system has descriptors for.
"""

import asyncio
import math
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from http import HTTPStatus

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from san.errors import SanError, reason
from san.serve.defaults import MAX_CONNECTIONS
from san.serve.guard import HEADERS
from san.serve.log_limit import limit_logs
from san.serve.problems import problem
from san.serve.share import Count, Share

IDLE_TIMEOUT = 15.0
"""Seconds in which a connection sends the head of a request, or is closed."""
MAX_HEAD_BYTES = 1 << 16
"""Bytes of a request's head, at most."""
FREE_CHUNKS, MIN_CHUNK_BYTES = 10_000, 64
"""Chunks in which a body may come whatever their size, as a program writes that sends JSON token by
token; more are so many bytes on the average."""
SLICE_SECONDS, CHUNKS_A_SLICE = 0.05, 500
"""Chunks smaller than that, of all connections together, that are taken apart in so much time: a
tenth of a core's. The others wait."""
OTHER_DESCRIPTORS = 96
"""Descriptors that are no connections: files, pipes, libraries; and refused ones on their way."""
ACCEPTED_AT_ONCE, LISTEN_QUEUE = 32, 512
"""Connections that asyncio accepts before it looks at any of them, so that they stay within the
descriptors; those that wait in the system."""
MIN_IDLE_SECONDS = 1.0
"""Seconds after which a connection without a request is closed where there is need of its place."""
MAX_UNTAKEN = 128_000_000
"""Bytes of answers that wait for their clients to take them, of all connections; where there are
more, those that have waited longest are closed. A drawn page has 7 million at most."""
MAX_REFUSED, REFUSAL_SECONDS = 32, 1.0
"""Connections that are being told that there are too many, and seconds that they have to hear it;
where there are more of them the first are closed."""


def bind(host: str, port: int) -> socket.socket:
    """Bound before anything is loaded: a port in use is an error at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=LISTEN_QUEUE)
    except (OSError, UnicodeError, OverflowError) as error:
        why = reason(error) if isinstance(error, OSError) else "no such name"
        raise SanError(f"cannot listen on {host}, port {port}: {why}") from None


def create_server(
    app: FastAPI,
    grace: float,
    max_connections: int = MAX_CONNECTIONS,
    share: Share | None = None,
) -> uvicorn.Server:
    """Stops when it is told to, at most `grace` seconds after. `max_connections` are of all
    processes that share the port."""
    limit_logs()
    return Server(ServerConfig(app, grace, max_connections, share or Share()))


def allowed_connections(wanted: int) -> int:
    """As many as wanted, or as this process may have."""
    try:
        import resource
    except ImportError:  # Windows, where sockets are no files
        return wanted
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if limit == resource.RLIM_INFINITY:
        return wanted
    return max(1, min(wanted, limit - OTHER_DESCRIPTORS))


class ServerConfig(uvicorn.Config):
    """uvicorn's, and what the connections of a server share."""

    def __init__(self, app: FastAPI, grace: float, max_connections: int, share: Share) -> None:
        super().__init__(
            app,
            http=DeadlineProtocol,
            ws="none",
            log_level="error",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=math.ceil(grace),
            # Where others could take them as well, one after the other: who has time takes it.
            backlog=ACCEPTED_AT_ONCE if share.processes == 1 else 1,
        )
        self.share, self.max_connections = share, max_connections
        self.max_own_connections = allowed_connections(max_connections)
        self.refused: deque[DeadlineProtocol] = deque()  # connections that are being told so
        self.chunk_budget = ChunkBudget()


class Server(uvicorn.Server):
    """uvicorn's, with a long queue of connections that it takes a few at a time from."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(LISTEN_QUEUE)  # asyncio has made it as short as it takes at a time


class ChunkBudget:
    """Tiny chunks that may still be taken apart in this slice of time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._began, self._left = clock, 0.0, 0

    def take(self) -> bool:
        now = self._clock()
        if now - self._began >= SLICE_SECONDS:
            self._began, self._left = now, CHUNKS_A_SLICE
        self._left -= 1
        return self._left >= 0

    def give_back(self) -> None:
        self._left += 1


class LimitedConnection(h11.Connection):
    """Refuses a body of many tiny chunks, which would keep the event loop from everybody else, and
    a head that says two things of how long its body is."""

    _count = _bytes = 0
    _in_chunks = False
    budget: ChunkBudget | None = None
    deferred = False  # there is more to be taken apart, in the next slice of time
    fault = "not HTTP"

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        if self._in_chunks and self.budget is not None and not self.budget.take():
            self.deferred = True
            return h11.NEED_DATA
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            if error.error_status_hint == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
                self.fault = f"a head of more than {MAX_HEAD_BYTES:,} bytes"
            raise
        if isinstance(event, h11.Request):
            self._begin(event)
        elif isinstance(event, h11.Data):
            self._count_chunk(event)
        elif isinstance(event, h11.EndOfMessage):
            self._in_chunks = False
        return event

    def _begin(self, request: h11.Request) -> None:
        self._count = self._bytes = 0
        names = [name for name, _ in request.headers]
        self._in_chunks = b"transfer-encoding" in names
        if (
            self._in_chunks and b"content-length" in names
        ):  # whoever is before us may take the other
            self.fault = "both Content-Length and Transfer-Encoding: send one"
            raise h11.RemoteProtocolError(self.fault)

    def _count_chunk(self, event: h11.Data) -> None:
        self._count += event.chunk_start  # never, of a body whose length was announced
        self._bytes += len(event.data)
        if self._count > FREE_CHUNKS and self._bytes < MIN_CHUNK_BYTES * self._count:
            self.fault = "a body of tiny chunks: send larger ones"
            raise h11.RemoteProtocolError(self.fault)
        if self.budget is not None and len(event.data) >= MIN_CHUNK_BYTES:
            self.budget.give_back()


class DeadlineProtocol(H11Protocol):
    """Closes connections that send no request, or do not take their response, in time: uvicorn
    waits for ever for both. Where there are too many, the idle make room, or new ones are refused.
    """

    conn: LimitedConnection
    config: ServerConfig
    _last_cycle: RequestResponseCycle | None = None
    _stuck = _refused = _waiting = False
    _idle_since = _untaken_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.conn = LimitedConnection(h11.SERVER, MAX_HEAD_BYTES)
        self.conn.budget = self.config.chunk_budget
        self._idle_since = self.loop.time()
        self._count()
        if self._too_many() and not self._make_room():
            self._refuse()
            return
        self.loop.call_later(IDLE_TIMEOUT, self._check_progress)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._refused:
            with suppress(ValueError):  # others took its place
                self.config.refused.remove(self)
        super().connection_lost(exc)
        self._count()

    def data_received(self, data: bytes) -> None:
        if self._refused:  # to close it would reset it, perhaps before the answer was taken
            return
        if self._is_gone():
            self.transport.abort()
        else:
            super().data_received(data)

    def pause_writing(self) -> None:
        """An answer is not taken as fast as it is sent."""
        super().pause_writing()
        self._untaken_since = self.loop.time()
        self._bound_untaken()

    def handle_events(self) -> None:
        self.conn.deferred = False
        super().handle_events()
        if self.conn.deferred and not self._waiting:
            self._waiting = True
            self.flow.pause_reading()
            self.loop.call_later(SLICE_SECONDS, self._resume)

    def on_response_complete(self) -> None:
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        self._send_problem(HTTPStatus.BAD_REQUEST, self.conn.fault, {})
        self.transport.close()

    def _resume(self) -> None:
        self._waiting = False
        if self in self.connections and not self.transport.is_closing():
            self.flow.resume_reading()
            self.handle_events()

    def _send_problem(self, status: HTTPStatus, fault: str, headers: dict[str, str]) -> None:
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):  # it was answered before
            return
        answer = problem(status, fault, {**HEADERS, **headers, "Connection": "close"})
        start = h11.Response(
            status_code=status, headers=answer.raw_headers, reason=status.phrase.encode()
        )
        with suppress(h11.LocalProtocolError):  # who asked for HEAD gets no body
            for event in (start, h11.Data(data=bytes(answer.body)), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")

    def _is_gone(self) -> bool:
        """Whether the client has reset the connection right behind what it sent: then nothing of it
        is worth any work."""
        connection = self.transport.get_extra_info("socket")
        if connection is None:
            return False
        return bool(connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))

    def _count(self) -> None:
        self.config.share.set(Count.CONNECTIONS, len(self.connections))

    def _too_many(self) -> bool:
        """Here, or in all processes of the service."""
        total = self.config.share.total(Count.CONNECTIONS)
        too_many_here = len(self.connections) > self.config.max_own_connections
        return too_many_here or total > self.config.max_connections

    def _at_work(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _make_room(self) -> bool:
        """Close the connection that has had no request for the longest time."""
        idle = [one for one in self._all() if not (one._at_work() or one._refused)]
        longest = min(idle, key=lambda one: one._idle_since)
        if self.loop.time() - longest._idle_since < MIN_IDLE_SECONDS:
            return False
        longest.transport.abort()
        self.connections.discard(longest)
        self._count()
        return True

    def _bound_untaken(self) -> None:
        """Close the connections that have left their answers untaken for the longest time, as long
        as there is too much of those."""
        paused = [one for one in self._all() if one.flow.write_paused]
        total = sum(one.transport.get_write_buffer_size() for one in paused)
        for one in sorted(paused, key=lambda one: one._untaken_since):
            if total <= MAX_UNTAKEN / self.config.share.processes or one is self:
                return
            total -= one.transport.get_write_buffer_size()
            one.transport.abort()

    def _all(self) -> Iterator["DeadlineProtocol"]:
        """All connections of this process."""
        return (one for one in self.connections if isinstance(one, DeadlineProtocol))

    def _refuse(self) -> None:
        self._refused = True
        self.config.refused.append(self)
        if len(self.config.refused) > MAX_REFUSED:  # who was told first has had the longest time
            self.config.refused.popleft().transport.abort()
        self._send_problem(
            HTTPStatus.SERVICE_UNAVAILABLE, "too many connections", {"Retry-After": "1"}
        )
        self.transport.write_eof()
        self.loop.call_later(REFUSAL_SECONDS, self.transport.abort)

    def _check_progress(self) -> None:
        if self not in self.connections:  # it is over
            return
        same = self.cycle is self._last_cycle  # nothing has come since the last check
        stuck = self.transport.is_closing() or self.flow.write_paused
        if same and stuck and self._stuck:
            self.transport.abort()  # to close it would be to wait until all is taken
            return
        if same and not (stuck or self._at_work()):
            self.transport.close()
        self._last_cycle, self._stuck = self.cycle, stuck
        self.loop.call_later(IDLE_TIMEOUT, self._check_progress)
