"""The settings of a service: limits, threads, queue, timeouts, allowed callers."""

from dataclasses import dataclass, field

from san.cores import usable_cores
from san.errors import SanError
from san.reader import Limits
from san.serve import defaults

REQUEST_LIMITS = Limits(
    defaults.MAX_BYTES, defaults.MAX_PIXELS, defaults.MAX_STROKES, defaults.MAX_POINTS
)


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
        for name in ("timeout", "upload_timeout", "max_cpu_seconds"):
            if not getattr(self, name) > 0:
                raise SanError(f"{name}: more than 0, not {getattr(self, name)}")
        if not (self.token.isascii() and self.token.isprintable()) or " " in self.token:
            raise SanError("a token is made of plain ASCII characters, without a space")
