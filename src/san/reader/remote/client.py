"""The recognizer of a service: sends sources, returns the same `Formula` and `Page` as here.

- A path, bytes or an open file is sent as it is; ink as strokes; arrays, Pillow images and pages of
  a PDF as PNG, in grey, which is all that the reader looks at.
- Asynchronous calls run in a few threads; who cancels one closes its connection, and the service
  stops reading.
"""

import asyncio
import io
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple, TypeVar
from urllib.parse import urlencode

from PIL import Image

from san.errors import SanError
from san.images.documents import looks_like_pdf, several_pages
from san.images.open import Grey
from san.ink import Ink, looks_like_inkml
from san.reader.known import AnnotatedInk
from san.reader.limits import CONNECT_TIMEOUT, MAX_SERVICE_BEAM, Limits, check_beam, check_limits
from san.reader.pages.page import Page
from san.reader.remote.connection import Address, Answer, Exchange, check_timeout
from san.reader.remote.fields import one_line
from san.reader.remote.received import Load, received_formula, received_page
from san.reader.result import Formula
from san.reader.source import Document, Source, checked_pages, load_source, source_bytes
from san.reader.stream import Failure, attempt, in_order, named, several

Result = TypeVar("Result", Formula, Page)
Received = Callable[[bytes, str, Load], Result]

READ, INK, PAGE = (f"/api/v1/{name}" for name in ("read", "ink", "page"))
ABANDONED = "nobody waits for it any more"
SIDE_BY_SIDE = 4
"""Requests at once of one client: a service reads a few at a time, and has others."""


class _Body(NamedTuple):
    """A source on its way."""

    path: str
    kind: str
    content: bytes
    load: Load


class RemoteRecognizer:
    """A service that is ready to read; see `Recognizer.connect`. Safe to share among threads."""

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        beam: int = 1,
        n_best: int = 1,
        upright: bool = False,
        attention: bool = False,
        timeout: float = CONNECT_TIMEOUT,
        limits: Limits | None = None,
    ) -> None:
        check_beam(beam, n_best, MAX_SERVICE_BEAM)
        self._address = Address.of(url)
        if not isinstance(token, str | None):
            raise SanError(f"a token is a text, not {type(token).__name__}")
        if token and (not (token.isascii() and token.isprintable()) or " " in token):
            raise SanError("a token is made of plain ASCII characters, without a space")
        self._authorization = {"Authorization": f"Bearer {token}"} if token else {}
        self.timeout = check_timeout(timeout)
        self.limits = Limits() if limits is None else check_limits(limits)
        # Only what is wanted: services before an option was there refuse its name.
        wanted = {"upright": upright, "attention": attention}
        flags = {name: "true" for name, asked in wanted.items() if asked}
        # LaTeX is always there, and the other formats are written here.
        options = {"n_best": n_best, "beam": beam, "formats": "latex", **flags}
        self._query = urlencode(options)
        self._pool = ThreadPoolExecutor(SIDE_BY_SIDE, "san-connect")  # of asynchronous calls

    @property
    def url(self) -> str:
        return self._address.url

    def __repr__(self) -> str:
        return f"Recognizer.connect({self.url!r})"

    def read(self, source: Source) -> Formula:
        """Read one source, of any kind that `Source` names; a SanError says why it cannot be."""
        return named(source, partial(self._read, source, received_formula, _Call()))

    def read_page(self, source: Source) -> Page:
        """Read every formula of a page."""
        return named(source, partial(self._read, source, received_page, _Call()))

    async def read_async(self, source: Source) -> Formula:
        """`read`, awaited."""
        return await self._awaited(source, received_formula)

    async def read_page_async(self, source: Source) -> Page:
        """`read_page`, awaited."""
        return await self._awaited(source, received_page)

    def read_many(
        self, sources: Iterable[Source], batch: int | None = None
    ) -> Iterator[Formula | Failure]:
        """Read many sources, in order; at most `batch` of them are in work at once."""
        return self._stream(several(sources), received_formula, batch)

    def read_pages(
        self, sources: Iterable[Source], batch: int | None = None
    ) -> Iterator[Page | Failure]:
        """The same of pages, each of which may have several formulas."""
        return self._stream(several(sources), received_page, batch)

    def read_document(self, file: Document) -> Iterator[Page | Failure]:
        """Read every page of a PDF or a TIFF file, drawn here."""
        yield from self.read_pages(checked_pages(file, self.limits))

    def _stream(
        self, sources: Iterable[Source], received: Received[Result], batch: int | None
    ) -> Iterator[Result | Failure]:
        def read_one(_: int, source: Source) -> Result | Failure:
            return attempt(source, partial(self._read, source, received, _Call()))

        yield from in_order(sources, read_one, SIDE_BY_SIDE, batch or 2 * SIDE_BY_SIDE)

    async def _awaited(self, source: Source, received: Received[Result]) -> Result:
        call = _Call()
        read = partial(self._read, source, received, call)
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, named, source, read)
        finally:
            call.abandon()

    def _read(self, source: Source, received: Received[Result], call: "_Call", name: str) -> Result:
        body = self._body(source)
        path = PAGE if received is received_page else body.path
        end = time.monotonic() + self.timeout
        headers = {"Content-Type": body.kind, **self._authorization}
        while True:
            exchange = call.begin(Exchange(self._address, end - time.monotonic()))
            answer = exchange.post(f"{path}?{self._query}", body.content, headers)
            if answer.status != 503:
                break
            if time.monotonic() + answer.retry_after >= end:
                again = f"; it asks to come again in {answer.retry_after:.0f} seconds"
                raise SanError(_detail(answer) + again)
            call.sleep(answer.retry_after)
        if answer.status == 404:
            raise SanError(f"{self.url}: no service of san is there: name the address of its page")
        if answer.status != 200:
            raise SanError(_detail(answer))
        return received(answer.body, name, body.load)

    def _body(self, source: Source) -> _Body:
        content = source_bytes(source, self.limits)
        if isinstance(content, bytes) and _is_sent_as_it_is(content):
            load = partial(load_source, content, self.limits)
            if looks_like_inkml(content):
                return _Body(INK, "application/inkml+xml", content, load)
            return _Body(READ, "application/octet-stream", content, load)
        opened = load_source(content, self.limits)
        if isinstance(opened, Ink):
            ink: dict[str, object] = {"strokes": [stroke.tolist() for stroke in opened.strokes]}
            if isinstance(source, AnnotatedInk):
                known = source.checked().known
                ink["known"] = [{"symbol": one.name, "strokes": one.strokes} for one in known]
            return _Body(INK, "application/json", json.dumps(ink).encode(), lambda: opened)
        return _Body(READ, "image/png", _png(opened), lambda: opened)


class _Call:
    """One reading of a service, with the times that it was busy; `abandon` ends it."""

    def __init__(self) -> None:
        self._exchange: Exchange | None = None
        self._abandoned = threading.Event()

    def begin(self, exchange: Exchange) -> Exchange:
        self._exchange = exchange
        if self._abandoned.is_set():
            raise SanError(ABANDONED)
        return exchange

    def sleep(self, seconds: float) -> None:
        if self._abandoned.wait(seconds):
            raise SanError(ABANDONED)

    def abandon(self) -> None:
        self._abandoned.set()
        if self._exchange is not None:
            self._exchange.abandon()


def _is_sent_as_it_is(content: bytes) -> bool:
    """Not what is drawn here, nor what is refused here, in the words of the local reader."""
    return bool(content) and not looks_like_pdf(content) and not several_pages(content)


def _detail(answer: Answer) -> str:
    """Why the service refuses, in its own words where it has some."""
    try:
        said = json.loads(answer.body)["detail"]
    except (ValueError, RecursionError, LookupError, TypeError):
        said = None
    if isinstance(said, str) and said.strip():
        return one_line(said)
    if 300 <= answer.status < 400:
        return "the service is elsewhere: connect to the address that it names"
    return f"the service answered {answer.status}, and not why"


def _png(grey: Grey) -> bytes:
    content = io.BytesIO()
    Image.fromarray(grey).save(content, "PNG", compress_level=1)
    return content.getvalue()
