"""One request to a service and its answer, within a time and a size.

Design choices
- Python's own `http.client`: reading needs no further package. One connection a request.
- The service may be anybody's: an answer has a limited size, all of it comes before a deadline
  (however slowly it is sent), and a redirection is an error, so a token goes nowhere else.
- A deadline shuts the socket from another thread, and so does whoever gives up.
"""

import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import NamedTuple
from urllib.parse import urlsplit

from san.errors import SanError, brief, printable, reason

MAX_ANSWER_BYTES = 16_000_000
"""Of an answer: a page of two hundred formulas has a tenth of that."""
MAX_TIMEOUT = 86_400.0
"""Seconds that anybody waits."""


class Answer(NamedTuple):
    """What a service said."""

    status: int
    retry_after: float  # seconds; 1 where the service does not say
    body: bytes


@dataclass(frozen=True)
class Address:
    """Where a service is."""

    url: str
    secure: bool
    host: str
    port: int | None
    path: str

    @classmethod
    def of(cls, url: str) -> "Address":
        """Of the page that it serves; a SanError where that is no URL."""
        if not isinstance(url, str):
            raise SanError(f"a service has a URL as http://127.0.0.1:8000, not {brief(repr(url))}")
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        plain = url.isascii() and url.isprintable() and " " not in url
        if not host or not plain or parts.scheme not in ("http", "https"):
            raise SanError(f"{brief(printable(url))}: a service has a URL as http://127.0.0.1:8000")
        if "@" in parts.netloc or parts.query or parts.fragment:
            raise SanError(f"{parts.scheme}://{host}: no name, query or fragment in its URL")
        return cls(url.rstrip("/"), parts.scheme == "https", host, port, parts.path.rstrip("/"))


class Exchange:
    """One request and its answer; `abandon` ends it, from any thread."""

    def __init__(self, address: Address, seconds: float) -> None:
        self._address, self._seconds = address, seconds
        self._ended = threading.Event()
        self._late = False
        kind = HTTPSConnection if address.secure else HTTPConnection
        self._connection = kind(address.host, address.port, timeout=seconds)
        self._socket: socket.socket | None = None  # which the connection forgets at the last answer

    def abandon(self) -> None:
        """Nobody wants the answer any more."""
        self._ended.set()
        if self._socket is not None:
            with suppress(OSError):  # it is closed already
                # The socket under TLS as well: its reader sees the end.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)

    def post(self, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        """The answer, whatever its status; a SanError where there is none."""
        deadline = threading.Timer(self._seconds, self._is_late)
        deadline.daemon = True
        deadline.start()
        try:
            self._connection.connect()
            self._socket = self._connection.sock
            if self._ended.is_set():
                raise TimeoutError
            return self._answer(path, body, headers)
        except SanError:
            raise
        except (OSError, HTTPException, ValueError) as error:
            raise SanError(f"{self._address.url}: {self._trouble(error)}") from None
        finally:
            deadline.cancel()
            self._connection.close()

    def _answer(self, path: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        # Where it has heard enough, what it says may be read all the same.
        with suppress(BrokenPipeError, ConnectionResetError):
            self._connection.request("POST", self._address.path + path, body, dict(headers))
        with self._connection.getresponse() as response:
            content = response.read(MAX_ANSWER_BYTES + 1)
            if len(content) > MAX_ANSWER_BYTES:
                raise SanError(
                    f"{self._address.url}: an answer of more than {MAX_ANSWER_BYTES:,} bytes"
                )
            if self._late:  # what was cut off may look whole
                raise TimeoutError
            return Answer(response.status, _retry_after(response), content)

    def _is_late(self) -> None:
        self._late = True
        self.abandon()

    def _trouble(self, error: Exception) -> str:
        if self._late or isinstance(error, TimeoutError):
            return "no answer in time"
        if isinstance(error, ssl.SSLError) and error.reason == "WRONG_VERSION_NUMBER":
            return "no secure connection: what answers there may speak http:// alone"
        if isinstance(error, ssl.SSLError):
            return f"no secure connection: {brief(printable(error.reason or str(error)))}"
        if isinstance(error, socket.gaierror):
            return "no such host"
        if not isinstance(error, OSError):
            return "what answers there does not speak HTTP as it should"
        return f"cannot be reached: {brief(printable(reason(error)))}"


def _retry_after(response: HTTPResponse) -> float:
    said = response.headers.get("Retry-After", "")
    seconds = float(said[:9]) if said.isascii() and said[:9].isdigit() else 1.0
    return min(max(seconds, 1.0), MAX_TIMEOUT)


def check_timeout(seconds: float) -> float:
    if not isinstance(seconds, int | float):
        raise SanError(f"a timeout is a number of seconds, not {brief(repr(seconds))}")
    if not 0 < seconds <= MAX_TIMEOUT:
        raise SanError(f"a timeout is more than 0 and at most {MAX_TIMEOUT:,.0f} seconds")
    return seconds
