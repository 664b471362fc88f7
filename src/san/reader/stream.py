"""Reading many sources side by side: results in order; a failure costs no other its result."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from san.errors import SanError, brief, printable
from san.reader.source import NotASourceError, Source, name_of

Result = TypeVar("Result")


@dataclass(frozen=True)
class Failure:
    """A source that could not be read, and why, in one line."""

    name: str
    reason: str

    def __str__(self) -> str:
        return printable(f"{self.name}: {self.reason}")


def named(source: Source, read: Callable[[str], Result]) -> Result:
    """What `read` makes of a source's name; its SanError begins with the name."""
    name = name_of(source)
    try:
        return read(name)
    except SanError as error:
        raise SanError(str(Failure(name, str(error)))) from error


def attempt(source: Source, read: Callable[[str], Result]) -> Result | Failure:
    """The same, for one of many."""
    name = name_of(source)
    try:
        return read(name)
    except (SanError, NotASourceError) as error:
        return Failure(name, str(error))
    except Exception as error:  # a fault of ours: it shall not cost the others their reading
        line = " ".join(str(error).split())
        return Failure(name, f"an error of ours ({type(error).__name__}: {brief(line)})")


def several(sources: Iterable[Source]) -> Iterable[Source]:
    """Sources, or a TypeError at once: a name has letters, and bytes have numbers, to read."""
    if isinstance(sources, str | Path | bytes | bytearray | memoryview):
        raise TypeError("several sources are wanted, as [source]; `read` takes one")
    return sources


def in_order(
    sources: Iterable[Source],
    read: Callable[[int, Source], Result],
    threads: int,
    in_work: int,
) -> Iterator[Result]:
    """Results in the order of the sources; at most `in_work` of them are in work at once."""
    in_work = max(in_work, 1)
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(min(threads, in_work), "san-read")
    try:
        for number, source in enumerate(sources):
            waiting.append(pool.submit(read, number, source))
            if len(waiting) >= in_work:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:  # also when nobody wants the rest, or somebody interrupts: a hard page takes a minute
        pool.shutdown(wait=False, cancel_futures=True)
