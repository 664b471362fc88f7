"""What the processes of one service have in common: how much each has in hand, and its metrics.

Each process writes its own place and reads those of all. There is no lock, which a process that is
killed could hold for ever; so two that look at the same moment may both take what one place was
left for, and a limit is exceeded by one for each further process at most.
"""

import zlib
from collections.abc import Iterator
from enum import IntEnum
from multiprocessing.context import BaseContext
from typing import Any

MAX_TEXT = 1 << 18
"""Bytes of the metrics of one process; 20,000 are usual."""
HEAD = 8
"""Bytes before them: their length and their checksum."""


class Count(IntEnum):
    """What is counted."""

    WAITING = 0  # requests that wait to be read
    HELD = 1  # bytes of bodies in work
    CONNECTIONS = 2


class Share:
    """As the process at one place of it sees it; by default of a service of one process."""

    def __init__(
        self, context: BaseContext | None = None, processes: int = 1, place: int = 0
    ) -> None:
        numbers, texts = processes * len(Count), processes * (HEAD + MAX_TEXT)
        # Shared memory that is passed to the processes, and whose every page exists from the start.
        self._counts: Any = context.RawArray("q", numbers) if context else [0] * numbers
        self._texts: Any = context.RawArray("B", texts) if context else bytearray(texts)
        self.processes, self._place = processes, place

    def at(self, place: int) -> "Share":
        """The same, for another process."""
        other = Share.__new__(Share)
        other._counts, other._texts = self._counts, self._texts
        other.processes, other._place = self.processes, place
        return other

    def set(self, count: Count, value: int) -> None:
        """What this process has in hand."""
        self._counts[self._place * len(Count) + count] = value

    def total(self, count: Count) -> int:
        """What all have together."""
        return sum(self._counts[count :: len(Count)])

    def clear(self) -> None:
        """The process at this place has ended, and has nothing in hand any more."""
        for count in Count:
            self.set(count, 0)

    def publish(self, text: bytes) -> None:
        """The metrics of this process. Whoever reads them meanwhile notices by the checksum."""
        if len(text) <= MAX_TEXT:
            head = len(text).to_bytes(4, "little") + zlib.crc32(text).to_bytes(4, "little")
            begin = self._place * (HEAD + MAX_TEXT)
            self._view()[begin : begin + HEAD + len(text)] = head + text

    def published(self) -> bytes:
        """What stands at this place; nothing where it is being written."""
        begin, view = self._place * (HEAD + MAX_TEXT), self._view()
        head = bytes(view[begin : begin + HEAD])
        length, checksum = (int.from_bytes(part, "little") for part in (head[:4], head[4:]))
        text = bytes(view[begin + HEAD : begin + HEAD + min(length, MAX_TEXT)])
        return text if zlib.crc32(text) == checksum else b""

    def others(self) -> Iterator["Share"]:
        """The places of all other processes."""
        return (self.at(place) for place in range(self.processes) if place != self._place)

    def _view(self) -> memoryview:
        return memoryview(self._texts).cast("B")
