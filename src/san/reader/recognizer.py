"""The recognizer: opens sources, runs the network on them, returns formulas.

Design choices
- One image takes one core best, so many are read side by side, one a thread: the runtime lets go of
  Python while it computes. A single image gets all the cores there are.
- Results stream in the order of the sources, and only so many are in work at once: a million files
  take no more memory than a dozen.
- Whatever is wrong with one source is its own Failure; the others are read.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, get_args

from san.cores import usable_cores
from san.decoding import Reading
from san.decoding.beam import decode_beam_memory
from san.decoding.confidence import Calibration
from san.decoding.engine import Engine, Memory
from san.decoding.frontier import decode_memory
from san.errors import SanError, brief
from san.images.limits import OUT_OF_MEMORY, is_out_of_memory
from san.model.onnx import OnnxEngine
from san.models import NETWORK, find_model, rescoring_for
from san.reader.cancellable import CancelCheck, CancellableEngine, KeepFirstReading
from san.reader.engines import Precision, open_network
from san.reader.known import holding_known
from san.reader.limits import CONNECT_TIMEOUT, Limits, check_beam, check_limits, check_threads
from san.reader.other_kinds import WholeEngine, kind_of
from san.reader.pages.page import Page, read_page
from san.reader.pages.prepared_page import PreparedPage
from san.reader.pages.reading import Read
from san.reader.prepared import OtherView, PreparedImage
from san.reader.rescoring.opinion import SecondOpinion, opinion_for
from san.reader.rescoring.read_again import ReadAgain
from san.reader.rescoring.rescorer import Rescorer
from san.reader.rescoring.second_pass import Candidate, network_input, with_first_readings
from san.reader.rescoring.stroke_terms import strokes_for
from san.reader.result import Formula
from san.reader.source import Document, Source, checked_pages, open_page, open_source
from san.reader.stream import Failure, attempt, in_order, named, several
from san.reader.symbols import symbols_and_unread, with_apart
from san.reader.upright import Look, likeliest

if TYPE_CHECKING:
    from san.model.torch.engine import TorchEngine
    from san.reader.remote.client import RemoteRecognizer

Result = TypeVar("Result", Formula, Page)

DEFAULT_LIMITS = Limits()


class Recognizer:
    """A network that is ready to read. Safe to share among threads.

    Args:
        weights: A file of weights (.safetensors), a folder that `san export` made, or the name of a
            model that comes with the package: "san" (the default), "san-densenet" or "san-paper".
        beam: How many readings the first pass follows at once; 1 is greedy decoding.
        n_best: How many readings to return: the best one, and the others as its `alternatives`.
        threads: CPU cores to use; 0 takes all of them.
        limits: How large one source may be, and how long its reading.
        precision: "int8" computes the largest products in eight bits where the weights come with
            the ranges for it, as "san" does; "float32" takes twice the time, and one
            reading in a hundred comes out otherwise.
        quick: Read once, however unsure. By default what the first pass is unsure of gets a second
            pass by beam search, and a second opinion by another network, "san-densenet"; all
            readings are rescored with a language model: fewer errors, three times the time. The
            language model is `rescoring.safetensors` beside the weights, or that of the package;
            weights of your own ask nobody else.
        upright: Every picture lies as it should, so none is turned or set level. By default it is
            told from the writing how it lies, which a few symbols tell badly: `6` is a `9` as well.
        device: Where torch computes the network instead of ONNX Runtime, in float32, on a GPU in
            half: "cuda", "cpu", or "auto" for a GPU where there is one. Needs the extra `train`,
            and pays where `read_prepared` is given many images at once.

    Raises:
        SanError: if the weights cannot be read or an option is out of its range.
    """

    def __init__(
        self,
        weights: str | Path | None = None,
        *,
        beam: int = 1,
        n_best: int = 1,
        threads: int = 0,
        limits: Limits = DEFAULT_LIMITS,
        precision: Precision = "int8",
        quick: bool = False,
        upright: bool = False,
        device: str | None = None,
    ) -> None:
        check_beam(beam, n_best)
        check_threads(threads)
        if precision not in get_args(Precision):
            raise SanError(f"a precision is {' or '.join(get_args(Precision))}")
        self.limits = check_limits(limits)
        self.upright = upright
        self._set_beam(beam, n_best)
        network = find_model(Path(weights or NETWORK))
        self.threads = threads or usable_cores()
        self._engine: OnnxEngine | WholeEngine | TorchEngine
        self._again: ReadAgain | None = None
        if kind_of(network) == "san":
            open_engine = partial(open_network, self.threads, precision, device)
            self._engine, self._calibration = open_engine(network)
            if not quick:
                rescoring = rescoring_for(network)
                rescorer = Rescorer(rescoring)
                other = opinion_for(network, rescorer)
                opinion = SecondOpinion(lambda: open_engine(other)[0]) if other else None
                of_decoding = limits.of_decoding
                strokes = strokes_for(rescoring, rescorer)
                self._again = ReadAgain(rescorer, self._calibration, of_decoding, opinion, strokes)
        else:
            self._engine, self._calibration = WholeEngine(network), Calibration.load(network)

    @staticmethod
    def connect(
        url: str,
        token: str | None = None,
        *,
        beam: int = 1,
        n_best: int = 1,
        upright: bool = False,
        attention: bool = False,
        timeout: float = CONNECT_TIMEOUT,
        limits: Limits = DEFAULT_LIMITS,
    ) -> "RemoteRecognizer":
        """The recognizer of another process or machine, where `san serve` runs.

        What it reads is the same `Formula`, and what cannot be read the same SanError. Nothing is
        asked before the first reading.

        Args:
            url: Of the page that it serves: "http://127.0.0.1:8000".
            token: The one that the service was started with, if it was.
            beam: As of `Recognizer`; a service takes 1 to 10.
            n_best: As of `Recognizer`; a service takes 1 to 10.
            upright: As of `Recognizer`.
            attention: Ask for the attention of each symbol, too; most of the bytes.
            timeout: Seconds for one source. A service that is busy is asked again within them,
                when it says that it has time.
            limits: How large one source may be; the service has limits of its own.

        Raises:
            SanError: if this is no URL, or an option is out of its range.
        """
        from san.reader.remote.client import RemoteRecognizer  # HTTP, which few need

        return RemoteRecognizer(
            url,
            token,
            beam=beam,
            n_best=n_best,
            upright=upright,
            attention=attention,
            timeout=timeout,
            limits=limits,
        )

    def with_beam(self, beam: int, n_best: int) -> "Recognizer":
        """The same network with another beam: nothing is loaded again."""
        check_beam(beam, n_best)
        other = copy(self)
        other._set_beam(beam, n_best)
        return other

    def with_upright(self, upright: bool = True) -> "Recognizer":
        """The same network, for pictures that lie as they should, or may not."""
        other = copy(self)
        other.upright = upright
        return other

    def _set_beam(self, beam: int, n_best: int) -> None:
        self.beam = max(beam, n_best)  # to know the n best, at least as many have to be followed
        self.n_best = n_best
        # Who asks for more readings, and for no beam, gets the same one first.
        self._greedy_first = beam == 1

    def read(self, source: Source) -> Formula:
        """Read one source, of any kind that `Source` names; a SanError says why it cannot be."""
        return named(source, lambda name: self._read(source, name))

    def read_page(self, source: Source) -> Page:
        """Read every formula of a page: ink or an image with one below the other, in columns, or
        side by side in a row."""
        return named(source, lambda name: self._read_page(source, name))

    def read_many(
        self, sources: Iterable[Source], batch: int | None = None
    ) -> Iterator[Formula | Failure]:
        """Read many sources, in order; at most `batch` of them are in work at once."""
        return self._stream(several(sources), Recognizer._read, batch)

    def read_pages(
        self, sources: Iterable[Source], batch: int | None = None
    ) -> Iterator[Page | Failure]:
        """The same of pages, each of which may have several formulas."""
        return self._stream(several(sources), Recognizer._read_page, batch)

    def read_document(self, file: Document) -> Iterator[Page | Failure]:
        """Read every page of a PDF or a TIFF file; a page that cannot be read is a Failure."""
        yield from self.read_pages(checked_pages(file, self.limits))

    def _stream(
        self,
        sources: Iterable[Source],
        read: "Callable[[Recognizer, Source, str], Result]",
        batch: int | None,
    ) -> Iterator[Result | Failure]:
        def read_one(number: int, source: Source) -> Result | Failure:
            reader = self._on_one_core() if number and self.threads > 1 else self
            return attempt(source, lambda name: read(reader, source, name))

        yield from in_order(sources, read_one, self.threads, batch or 4 * self.threads)

    def _on_one_core(self) -> "Recognizer":
        """The same recognizer, on one core: other images are read on the others."""
        other = copy(self)
        other._engine = self._engine.on_one_core()
        other._again = self._again and self._again.on_one_core()
        return other

    def _read(self, source: Source, name: str) -> Formula:
        try:
            return self._formula(self._candidates([self.open(source)])[0], name)
        except Exception as error:
            if is_out_of_memory(error):
                raise SanError(OUT_OF_MEMORY) from None
            raise

    def _read_page(self, source: Source, name: str) -> Page:
        try:
            return self.read_prepared_page(self.open_page(source), name=name)
        except Exception as error:
            if is_out_of_memory(error):
                raise SanError(OUT_OF_MEMORY) from None
            raise

    def open_page(self, source: Source, check: CancelCheck | None = None) -> PreparedPage:
        """The first half of reading a page; `check` may end it by raising."""
        return open_page(source, self.limits, check, self.upright)

    def read_prepared_page(
        self, page: PreparedPage, check: CancelCheck | None = None, name: str = ""
    ) -> Page:
        """The second half; with a `check`, which may end it by raising, in this thread alone."""
        read: Read = self._read_each
        if check is not None:
            read = lambda images: [self.read_prepared([one], check)[0] for one in images]  # noqa: E731
        upright = self._upright_page(page, check)
        result = read_page(upright, read, name)
        if not upright.is_single or not result.formulas:
            return result
        # All of it was looked at as one formula. Seen as it turned out to lie, it may be several.
        looked_at = result.formulas[0].prepared
        if looked_at.view.turned == upright.whole.view.turned:
            return result
        again = upright.seen_as(looked_at)
        is_one = again.is_single and not result.formulas[0].parting_gaps
        return result if is_one else read_page(again, read, name)

    def _upright_page(self, page: PreparedPage, check: CancelCheck | None) -> PreparedPage:
        """The page, or the same turned, where its largest block is likelier to be upright then. A
        single block is looked at by who reads it."""
        if not page.whole.others or page.is_single:
            return page
        pages = [(page, page.largest)]

        def turned(other: OtherView) -> PreparedImage:
            as_other = page.turned_as(other.prepare())
            # A block that is all of the page brings its own other ways, which are of no page here.
            pages.append((as_other, replace(as_other.largest, others=())))
            return pages[-1][1]

        others = [way._replace(prepare=partial(turned, way)) for way in page.whole.others]
        look = partial(self._look, engine=self._cancellable(check))
        best = likeliest(look(replace(pages[0][1], others=tuple(others))), look)
        return next(one for one, block in pages if block.picture is best.prepared.picture)

    def _cancellable(self, check: CancelCheck | None) -> Engine:
        return CancellableEngine(self._engine, check) if check else self._engine

    def _look(self, prepared: PreparedImage, engine: Engine) -> Look:
        memory = engine.encode([network_input(prepared)])
        return Look(prepared, memory, self._first_pass(engine, memory)[0])

    def _read_each(self, images: Sequence[PreparedImage]) -> list[Formula]:
        """One image a core."""
        if len(images) == 1 or self.threads == 1:
            return [self.read_prepared([image])[0] for image in images]
        reader = self._on_one_core()
        with ThreadPoolExecutor(min(self.threads, len(images)), "san-read") as pool:
            return [*pool.map(lambda image: reader.read_prepared([image])[0], images)]

    def open(self, source: Source, check: CancelCheck | None = None) -> PreparedImage:
        """The first half of reading, for those who go on with `read_prepared`; `check` may end it
        by raising."""
        return open_source(source, self.limits, check, self.upright)

    def read_prepared(
        self, images: Sequence[PreparedImage], check: CancelCheck | None = None
    ) -> list[Formula]:
        """The second half, of a few images at once; `check` may end it by raising."""
        return [self._formula(candidates) for candidates in self._candidates(images, check)]

    def _candidates(
        self, images: Sequence[PreparedImage], check: CancelCheck | None = None
    ) -> list[list[Candidate]]:
        """Of each image its readings, the best first, after one pass or two."""
        engine = self._cancellable(check)
        memory = engine.encode([network_input(prepared) for prepared in images])
        first = self._first_pass(holding_known(engine, images), memory)
        looks = [
            Look(prepared, self._engine.alone(memory, number), first[number])
            for number, prepared in enumerate(images)
        ]
        upright = [likeliest(look, partial(self._look, engine=engine)) for look in looks]
        return [self._of_both_passes(engine, *look, check) for look in upright]

    def _of_both_passes(
        self,
        engine: Engine,
        prepared: PreparedImage,
        memory: Memory,
        first: list[Reading],
        check: CancelCheck | None,
    ) -> list[Candidate]:
        """What the first pass read; where that is in doubt, what the second makes of it."""
        # Results may be kept for long, without their image.
        plain = replace(prepared, thinner=None, at_own_size=None)
        with suppress(KeepFirstReading, MemoryError):  # the first pass has to do
            again = self._again
            if again and (found := again.candidates(engine, prepared, memory, first[0], check)):
                return with_first_readings(found, plain, first)
        confidences = self._calibration.confidences(first)
        return [Candidate(plain, *both) for both in zip(first, confidences, strict=True)]

    def _formula(self, candidates: list[Candidate], name: str = "") -> Formula:
        """As many readings as are asked for; the best also knows the second.

        Confidences were fitted on ink that was read whole: those of photographs are lower, and
        those of pictures with ink that the best reading does not account for.
        """
        prepared, reading, _, whatever_sums = candidates[0]
        if not reading.parses:
            raise SanError(f"what was read is no formula: {brief(reading.latex)}")
        located = with_apart(symbols_and_unread(reading, prepared), prepared)
        confidences = self._calibration.of_picture(
            [candidate.confidence for candidate in candidates],
            prepared.photographed,
            located.unread_share,
            prepared.turned_by_few,
        )
        best, *others = (
            Formula(reading, prepared, sure, name)
            for (prepared, reading, *_), sure in zip(candidates, confidences, strict=True)
        )
        rival = others[0] if others else None
        asked_for = tuple(others[: self.n_best - 1])
        return replace(
            best,
            alternatives=asked_for,
            rival=rival,
            located=located,
            whatever_sums=whatever_sums,
        )

    def _first_pass(self, engine: Engine, memory: Memory) -> list[list[Reading]]:
        limits = self.limits.of_decoding
        if isinstance(self._engine, WholeEngine):
            return [each[: self.n_best] for each in self._engine.read(memory, limits, self.beam)]
        if self.beam == 1:
            return [[reading] for reading in decode_memory(engine, memory, limits)]
        return decode_beam_memory(
            engine, memory, self.beam, limits, self.n_best, greedy_first=self._greedy_first
        )
