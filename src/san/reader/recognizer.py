"""Reads formulas: opens sources, asks the network, hands out results.

Design choices
- One image takes one core best, so many are read side by side, one a thread: the runtime lets go of
  Python while it computes. A single image gets all the cores there are.
- Results stream in the order of the sources, and only so many are in work at once: a million files
  take no more memory than a dozen.
- Whatever is wrong with one source is its own Failure; the others are read.
"""

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from san.decoding import Reading, decode
from san.decoding.beam import decode_beam
from san.errors import SanError, printable
from san.reader.again import SIZES, SURE, Read, agreed, resized
from san.reader.limits import Limits
from san.reader.page import Page
from san.reader.result import Formula
from san.reader.source import Source, name_of, open_source
from san.reader.watched import Watch, Watched
from san.runtime import OnnxEngine
from san.runtime.models import load_models

SHIPPED = Path(__file__).resolve().parent.parent / "models" / "san.safetensors"
"""Others may lie beside it, and are known by their names: `san-paper`."""
MOST_BEAM = 100
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
    the time; one reading in a hundred comes out otherwise. `careful` looks twice more, at other
    sizes, where the first look is unsure: fewer errors, for about twice the time.
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
        careful: bool = False,
    ) -> None:
        _check_beam(beam, n_best)
        if threads < 0:
            raise SanError("a number of threads is 0, for all cores, or more")
        self.limits = limits
        self.beam = max(beam, n_best)  # to know the n best, at least as many have to be followed
        self.n_best = n_best
        self.careful = careful
        self.threads = threads or _cores()
        models = load_models(_file(weights or SHIPPED), exact)
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

    def open(self, source: Source) -> Page:
        """The first half of reading, for those who go on with `read_pages`."""
        return open_source(source, self.limits)

    def read_pages(self, pages: Sequence[Page], watch: Watch | None = None) -> list[Formula]:
        """The second half, of a few pages at once; `watch` may end it by raising."""
        return [_formula(found) for found in self._looks(pages, watch)]

    def _looks(self, pages: Sequence[Page], watch: Watch | None = None) -> list[list[Read]]:
        """Of each page its readings, the best first, after as many looks as it takes."""
        first = self._decode(pages, watch)
        found = []
        for page, readings in zip(pages, first, strict=True):
            best = readings[: self.n_best]
            sure = self._calibration.confidences(best)
            found.append([Read(page, *both) for both in zip(best, sure, strict=True)])
        unsure = [n for n, own in enumerate(first) if self.careful and own[0].probability < SURE]
        looks = {n: [(pages[n], first[n])] for n in unsure}
        for factor in SIZES if unsure else ():
            again = [resized(pages[n], factor) for n in unsure]
            for n, page, readings in zip(unsure, again, self._decode(again, watch), strict=True):
                looks[n].append((page, readings))
        for n in unsure:
            found[n] = agreed(looks[n])[: self.n_best]
        return found

    def _decode(self, pages: Sequence[Page], watch: Watch | None = None) -> list[list[Reading]]:
        engine = Watched(self._engine, watch) if watch else self._engine
        pictures = [page.picture.astype(np.float32) / 255 for page in pages]
        limits = self.limits.of_decoding
        if self.beam == 1:
            return [[one] for one in decode(engine, pictures, limits)]
        # Looks vote with all that they follow, however many readings are asked for.
        many = self.beam if self.careful else self.n_best
        return decode_beam(engine, pictures, self.beam, limits, many)


def _formula(found: list[Read], name: str = "") -> Formula:
    best, *others = [Formula(one.reading, one.page, one.confidence, name) for one in found]
    return Formula(best.reading, best.page, best.confidence, name, tuple(others))


def _check_beam(beam: int, n_best: int) -> None:
    if not (1 <= beam <= MOST_BEAM and 1 <= n_best <= MOST_BEAM):
        raise SanError(f"a beam and a number of readings lie between 1 and {MOST_BEAM}")


def _file(weights: str | Path) -> Path:
    """The weights of that path or, where nothing lies there, the shipped ones of that name."""
    path = Path(weights)
    named = SHIPPED.with_name(f"{path.name}.safetensors")
    return named if path.name == str(path) and not path.exists() and named.exists() else path


def _cores() -> int:
    """Those that this process may use; not every system tells."""
    own = getattr(os, "sched_getaffinity", None)
    return len(own(0)) if own else os.cpu_count() or 1
