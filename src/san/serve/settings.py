"""The settings of a service: limits, threads, queue, timeouts, allowed callers."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from san.cores import usable_cores
from san.errors import SanError
from san.reader import Limits
from san.reader.limits import check_threads
from san.serve import defaults

REQUEST_LIMITS = Limits(
    defaults.MAX_BYTES, defaults.MAX_PIXELS, defaults.MAX_STROKES, defaults.MAX_POINTS
)
WITH_PORT = re.compile(r"[^:]+:\d+")
DEFAULT_PORTS = {"http": ":80", "https": ":443"}


@dataclass(frozen=True)
class Settings:
    """Of one service."""

    limits: Limits = REQUEST_LIMITS
    threads: int = field(default_factory=usable_cores)  # that read, each on one core
    max_batch: int = 4  # requests that one of them reads at once
    max_queue: int = defaults.MAX_QUEUE  # requests that may wait; one more is answered 503
    timeout: float = defaults.TIMEOUT  # seconds to a response, or 503
    upload_timeout: float = 30.0  # seconds for a body to arrive
    max_cpu_seconds: float = 10.0  # seconds of one core for one request
    max_held_bytes: int = 256_000_000  # bytes of all bodies together, while they are in work
    token: str = ""  # empty: none is asked for
    allowed_origins: tuple[str, ...] = ()  # sites whose pages may call it (CORS)
    allowed_hosts: tuple[str, ...] = ()  # host names that it answers to; empty: any

    def __post_init__(self) -> None:
        for name in ("threads", "max_batch", "max_queue", "max_held_bytes"):
            if getattr(self, name) < 1:
                raise SanError(f"{name}: 1 or more, not {getattr(self, name)}")
        check_threads(self.threads)
        for name in ("timeout", "upload_timeout", "max_cpu_seconds"):
            if not getattr(self, name) > 0:
                raise SanError(f"{name}: more than 0, not {getattr(self, name)}")
        if not (self.token.isascii() and self.token.isprintable()) or " " in self.token:
            raise SanError("a token is made of plain ASCII characters, without a space")
        for origin in self.allowed_origins:
            _check_origin(origin)
        for host in self.allowed_hosts:
            if not host or set("/* ") & set(host) or WITH_PORT.fullmatch(host):
                raise SanError(f"allowed host {host}: a name alone, as formulas.example.org")


def _check_origin(origin: str) -> None:
    """One that no browser ever sends would allow nobody, in silence."""
    if origin in ("*", "null"):
        return
    try:
        parts = urlsplit(origin)
    except ValueError:  # a bracket that never closes
        parts = urlsplit("")
    if not parts.scheme or not parts.netloc or " " in origin:
        raise SanError(f"allowed origin {origin}: with its scheme, as https://notes.example.org")
    host = parts.netloc.lower().removesuffix(DEFAULT_PORTS.get(parts.scheme, ""))
    sent = f"{parts.scheme}://{host}"
    if origin != sent:
        raise SanError(f"allowed origin {origin}: browsers call it {sent}")
