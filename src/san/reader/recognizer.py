"""Reads formulas: opens sources, asks the network, hands out results.

Design choices
- One image takes one core best, so many are read side by side, one a thread: the runtime lets go of
  Python while it computes. A single image gets all the cores there are.
- Results stream in the order of the sources, and only so many are in work at once: a million files
  take no more memory than a dozen.
- Whatever is wrong with one source is its own Failure; the others are read.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from pathlib import Path

from san.cores import usable_cores
from san.decoding import Reading
from san.decoding.beam import decode_beam_memory
from san.decoding.engine import Engine, Memory
from san.decoding.frontier import decode_memory
from san.errors import SanError, printable
from san.model.onnx import OnnxEngine
from san.model.onnx.models import load_models
from san.models import NETWORK
from san.reader.cancellable import Enough, Watch, Watched
from san.reader.limits import Limits
from san.reader.prepared import PreparedImage
from san.reader.rescoring.rescorer import Sense
from san.reader.rescoring.second_pass import Read, filled_up, is_unsure, judged, looks, pixels
from san.reader.result import Formula
from san.reader.source import Source, name_of, open_source

MAX_BEAM = 100
DEFAULT = Limits()


@dataclass(frozen=True)
class Failure:
    """A source that could not be read, and why, in one line."""

    name: str
    reason: str

    def __str__(self) -> str:
        return printable(f"{self.name}: {self.reason}")


class Recognizer:
    """A network that is ready to read. Safe to share among threads.

    `weights` is a file of weights, a folder that `san export` made, or the name of a model that
    comes with the package; by default `san`. A `beam` of more than 1 follows so many readings at
    once; `n_best` readings are handed out, the others as `alternatives` of the best. `threads` 0
    takes all cores. `exact` computes in single precision throughout, which takes more than twice
    the time; one reading in a hundred comes out otherwise. What the first look is unsure of is
    looked at again and judged by whether it makes sense, unless `careful` is false: that takes half
    the time, and makes more errors.
    """

    def __init__(
        self,
        weights: str | Path | None = None,
        *,
        beam: int = 1,
        n_best: int = 1,
        threads: int = 0,
        limits: Limits = DEFAULT,
        exact: bool = False,
        careful: bool = True,
    ) -> None:
        _check_beam(beam, n_best)
        if threads < 0:
            raise SanError("a number of threads is 0, for all cores, or more")
        self.limits = limits
        self.beam = max(beam, n_best)  # to know the n best, at least as many have to be followed
        self.n_best = n_best
        self._sense = Sense() if careful else None
        self.threads = threads or usable_cores()
        models = load_models(Path(weights or NETWORK), exact)
        self._calibration = models.calibration
        self._engine = OnnxEngine(models, self.threads)

    def with_beam(self, beam: int, n_best: int) -> "Recognizer":
        """The same network, asked for other readings: nothing is loaded again."""
        _check_beam(beam, n_best)
        other = copy(self)
        other.beam, other.n_best = max(beam, n_best), n_best
        return other

    def read(self, source: Source) -> Formula:
        """Read one source: a path, a file's bytes, an array of pixels, a Pillow image, or ink."""
        name = name_of(source)
        try:
            return self._read(source, name)
        except SanError as error:
            raise SanError(printable(f"{name}: {error}")) from error

    def read_many(
        self, sources: Iterable[Source], batch: int | None = None
    ) -> Iterator[Formula | Failure]:
        """Read many sources, in order; at most `batch` of them are in work at once."""
        most = max(batch or 4 * self.threads, 1)
        waiting: deque[Future[Formula | Failure]] = deque()
        pool = ThreadPoolExecutor(min(self.threads, most), "san-read")
        try:
            for number, source in enumerate(sources):
                reader = self._one_of_many() if number and self.threads > 1 else self
                waiting.append(pool.submit(reader._try, source))
                if len(waiting) >= most:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:  # also when nobody wants the rest
            pool.shutdown(cancel_futures=True)

    def _one_of_many(self) -> "Recognizer":
        """The same reader, for one core: what others idle away, another image can use."""
        other = copy(self)
        other._engine = self._engine.on_one_core()
        return other

    def _try(self, source: Source) -> Formula | Failure:
        name = name_of(source)
        try:
            return self._read(source, name)
        except SanError as error:
            return Failure(name, str(error))

    def _read(self, source: Source, name: str) -> Formula:
        try:
            return _formula(self._looks([self.open(source)])[0], name)
        except MemoryError:
            raise SanError("too large for the memory at hand") from None

    def open(self, source: Source) -> PreparedImage:
        """The first half of reading, for those who go on with `read_prepared`."""
        return open_source(source, self.limits)

    def read_prepared(
        self, pages: Sequence[PreparedImage], watch: Watch | None = None
    ) -> list[Formula]:
        """The second half, of a few pages at once; `watch` may end it by raising."""
        return [_formula(found) for found in self._looks(pages, watch)]

    def _looks(
        self, pages: Sequence[PreparedImage], watch: Watch | None = None
    ) -> list[list[Read]]:
        """Of each page its readings, the best first, after as many looks as it takes."""
        engine = Watched(self._engine, watch) if watch else self._engine
        memory = engine.encode([pixels(page) for page in pages])
        first = self._first(engine, memory)
        return [
            self._thought(engine, page, self._engine.alone(memory, number), first[number])
            for number, page in enumerate(pages)
        ]

    def _thought(
        self, engine: Engine, page: PreparedImage, memory: Memory, first: list[Reading]
    ) -> list[Read]:
        """What a first look found, or what comes of second thoughts where it is unsure."""
        found = self._judged(engine, page, memory, first)
        if not page.photographed:
            return found
        sure = self._calibration.of_photograph([one.confidence for one in found])
        return [one._replace(confidence=own) for one, own in zip(found, sure, strict=True)]

    def _judged(
        self, engine: Engine, page: PreparedImage, memory: Memory, first: list[Reading]
    ) -> list[Read]:
        """The same, as if it were ink."""
        if self._sense is not None and is_unsure(first[0]):
            with suppress(Enough, MemoryError):  # the first look has to do
                every = [*looks(engine, page, memory, self.limits.of_decoding)]
                return filled_up(judged(every, self._sense), page, first)[: self.n_best]
        sure = self._calibration.confidences(first)
        return [Read(page, *both) for both in zip(first, sure, strict=True)]

    def _first(self, engine: Engine, memory: Memory) -> list[list[Reading]]:
        limits = self.limits.of_decoding
        if self.beam == 1:
            return [[one] for one in decode_memory(engine, memory, limits)]
        return decode_beam_memory(engine, memory, self.beam, limits, self.n_best)


def _formula(found: list[Read], name: str = "") -> Formula:
    best, *others = [Formula(one.reading, one.page, one.confidence, name) for one in found]
    return Formula(best.reading, best.page, best.confidence, name, tuple(others))


def _check_beam(beam: int, n_best: int) -> None:
    if not (1 <= beam <= MAX_BEAM and 1 <= n_best <= MAX_BEAM):
        raise SanError(f"a beam and a number of readings lie between 1 and {MAX_BEAM}")
