"""The service: one ASGI application that reads images and ink, and serves the page.

- Nothing is stored: a request lives in memory until it is answered.
- The event loop only hands over. Bodies are parsed, formulas read and responses written by the
  workers, or by other threads where no network is needed.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import HTMLResponse
from prometheus_client import CONTENT_TYPE_LATEST

from san import __version__
from san.errors import SanError, brief
from san.grammar import parse, to_latex
from san.grammar.json import from_json
from san.grammar.symbols import is_symbol
from san.ink import Ink, Sheet, write_inkml
from san.reader import Formula, Limits, Page, Recognizer, Source
from san.reader.serialise import written_fields
from san.serve import sources
from san.serve.api_docs import api_docs
from san.serve.bodies import BodyLimitMiddleware
from san.serve.conformance import ConformanceMiddleware
from san.serve.drawing import DrawnPage
from san.serve.guard import GuardMiddleware, TokenMiddleware
from san.serve.metrics import PUBLISH_SECONDS, Metrics, MetricsMiddleware
from san.serve.openapi import (
    DOCUMENT_BODY,
    HEALTH,
    IMAGE_BODY,
    INK_BODY,
    INKML,
    PAGE_BODY,
    READING,
    SAMPLE_BODY,
    TEXT,
    WRITE_BODY,
    WRITING,
    body,
    document,
    problem_responses,
)  # fmt: skip
from san.serve.page_files import PageFiles
from san.serve.problems import CLIENT_CLOSED, Problem, add_problem_handlers
from san.serve.queue import Task
from san.serve.requests import (
    MAX_SYMBOLS,
    DrawOptions,
    InkmlRequest,
    ReadOptions,
    WriteRequest,
)
from san.serve.responses import DrawnPageResult, Health, PageResult, Result, WrittenForms
from san.serve.settings import Settings
from san.serve.share import Share
from san.serve.workers import WorkerPool

PAGE = Path(__file__).parent / "page"
SILENT: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""FastAPI can report to others what it serves; this does not, whatever the environment says."""

ReadQuery = Annotated[ReadOptions, Query()]


def create_app(
    recognizer: Recognizer, settings: Settings | None = None, share: Share | None = None
) -> FastAPI:
    """The service of a recognizer; its limits are to be those of the settings. `share` is what it
    has in common with the other processes behind its port."""
    settings, share = settings or Settings(), share or Share()
    pool, metrics = WorkerPool(recognizer, settings, share), Metrics(share)
    files = PageFiles(PAGE)
    writing = asyncio.Semaphore(1)  # one at a time: it takes milliseconds, and leaves the cores
    metrics.queue_length.set_function(lambda: pool.queue_length)
    pool.on_batch = metrics.batches.observe

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        pool.open()
        publishing = asyncio.create_task(_publish(metrics))
        yield
        publishing.cancel()
        await pool.close()

    app = FastAPI(
        title="san", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None,
        summary="Reads handwritten mathematics.",
        description="An image or ink goes in; a syntax tree comes out, with LaTeX and MathML.",
        generate_unique_id_function=lambda route: route.name, telemetry=SILENT,
        redirect_slashes=False,  # by the whole address, which behind a proxy is another
    )  # fmt: skip
    # Made once: it takes longer than most answers.
    app.openapi = cache(partial(document, app, bool(settings.token)))  # type: ignore[method-assign]
    add_problem_handlers(app)
    _add_middleware(app, settings, metrics, share)

    async def respond(
        request: Request,
        source: Callable[[], Source],
        options: ReadOptions | None,
        task: Task = Task.FORMULA,
    ) -> Response:
        began = time.perf_counter()
        width = (options.beam, options.n_best) if options else (1, 1)

        def serialise(result: Formula | Page | DrawnPage) -> bytes:
            document: dict[str, Any] = {}
            if isinstance(result, DrawnPage):
                document |= result.to_dict()
            elif options:
                document |= result.to_dict(options.formats, options.boxes, options.attention)
            document["milliseconds"] = round(1000 * (time.perf_counter() - began), 1)
            return _as_json(document)

        # Who sent it and was gone at once is noticed now, and takes nobody's place in the queue.
        await asyncio.sleep(0)
        if await request.is_disconnected():
            return Response(status_code=CLIENT_CLOSED)
        job = pool.submit(source, serialise, *width, task, options is not None and options.upright)
        disconnected = asyncio.ensure_future(request.receive())
        either: set[asyncio.Future[Any]] = {job.response, disconnected}
        try:
            await asyncio.wait(
                either, timeout=settings.timeout, return_when=asyncio.FIRST_COMPLETED
            )
            if job.response.done():
                return Response(job.response.result(), media_type="application/json")
            if disconnected.done():
                return Response(status_code=CLIENT_CLOSED)
            detail = f"not read within {settings.timeout:g} seconds"
            raise Problem(503, detail, pool.retry_after())
        except asyncio.CancelledError:  # by the server, which stops and waits no longer
            raise Problem(503, "the service is stopping", {"Retry-After": "5"}) from None
        finally:
            disconnected.cancel()
            pool.cancel(job)

    @app.post(
        "/api/v1/read", tags=["read"], summary="Read an image", response_model=Result,
        openapi_extra=body(IMAGE_BODY), responses=problem_responses(*READING),
    )  # fmt: skip
    async def read_image(request: Request, options: ReadQuery) -> Response:
        """A photograph, a scan or a drawing: PNG, JPEG, WebP, BMP, TIFF, GIF or HEIC (or a file
        of InkML); as the body itself, as the field `file` of a form, or in base64 as JSON."""
        kind = request.headers.get("content-type", "")
        return await respond(
            request, partial(sources.image_source, await request.body(), kind), options
        )

    @app.post(
        "/api/v1/ink", tags=["read"], summary="Read pen strokes", response_model=Result,
        openapi_extra=body(INK_BODY), responses=problem_responses(*READING),
    )  # fmt: skip
    async def read_ink(request: Request, options: ReadQuery) -> Response:
        """Strokes as JSON, or InkML."""
        return await respond(
            request, partial(sources.ink_source, await request.body(), settings.limits), options
        )

    @app.post(
        "/api/v1/page", tags=["read"], summary="Read a page of formulas",
        response_model=PageResult, openapi_extra=body(PAGE_BODY),
        responses=problem_responses(*READING),
    )  # fmt: skip
    async def read_page(request: Request, options: ReadQuery) -> Response:
        """Every formula of an image or of strokes, in reading order; sent as to `read`, or as JSON
        to `ink`."""
        kind, content = request.headers.get("content-type", ""), await request.body()
        return await respond(
            request,
            partial(sources.page_source, content, kind, settings.limits),
            options,
            Task.PAGE,
        )

    @app.post(
        "/api/v1/document", tags=["draw"], summary="Draw a page of a PDF or a TIFF",
        response_model=DrawnPageResult, openapi_extra=body(DOCUMENT_BODY),
        responses=problem_responses(*READING),
    )  # fmt: skip
    async def draw_document(request: Request, options: Annotated[DrawOptions, Query()]) -> Response:
        """One page as a picture, to be shown, cut and read; of any other image the only one. Sent
        as to `read`."""
        kind, content = request.headers.get("content-type", ""), await request.body()
        source = partial(sources.document_source, content, kind, options.page)
        return await respond(request, source, None, Task.DRAWING)

    @app.post(
        "/api/v1/write", tags=["write"], summary="Write a tree or LaTeX in any format",
        response_model=WrittenForms, openapi_extra=body(WRITE_BODY),
        responses=problem_responses(*WRITING),
    )  # fmt: skip
    async def write(request: Request) -> Response:
        """A tree as an answer holds it, corrected perhaps; or LaTeX, in any spelling that is
        understood. What does not parse is said in one line, with the place."""
        _refuse_options(request)
        content = await request.body()
        async with writing:
            written = await asyncio.to_thread(_written, content)
        return Response(written, media_type="application/json")

    @app.post(
        "/api/v1/inkml", tags=["write"], summary="Write ink with its truth as InkML",
        response_class=Response, openapi_extra=body(SAMPLE_BODY),
        responses={200: {"content": {INKML: TEXT}}, **problem_responses(*WRITING)},
    )  # fmt: skip
    async def inkml(request: Request) -> Response:
        """Ink, its formula and, where they are given, the strokes of each symbol: a sample that
        `san data pack` takes."""
        _refuse_options(request)
        content = await request.body()
        async with writing:
            written = await asyncio.to_thread(_inkml, content, settings.limits)
        return Response(written, media_type=INKML)

    @app.get("/healthz", tags=["service"], summary="Whether the service runs")
    async def healthz() -> Health:
        return {"status": "ok"}

    @app.get(
        "/readyz", tags=["service"], summary="Whether the service takes requests",
        responses=problem_responses(*HEALTH),
    )  # fmt: skip
    async def readyz() -> Health:
        if pool.closed:
            raise Problem(503, "the service is starting or stopping", {"Retry-After": "1"})
        if pool.overloaded:
            raise Problem(503, "too many requests are waiting", pool.retry_after())
        return {"status": "ready"}

    @app.get(
        "/metrics", tags=["service"], summary="Numbers for Prometheus", response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )  # fmt: skip
    async def measured() -> Response:
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> HTMLResponse:
        return HTMLResponse(api_docs(app.openapi(), str(request.base_url).rstrip("/")))

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> Response:
        return files.page(request.headers)

    @app.get("/static/{path:path}", include_in_schema=False)
    async def static(request: Request, path: str) -> Response:
        return files.response(path, request.headers)

    return app


async def _publish(metrics: Metrics) -> None:
    """To the other processes of the service, as long as this one serves."""
    while metrics.share.processes > 1:
        metrics.publish()
        await asyncio.sleep(PUBLISH_SECONDS)


def _add_middleware(app: FastAPI, settings: Settings, metrics: Metrics, share: Share) -> None:
    """Middleware; the last one added stands outermost."""
    app.add_middleware(BodyLimitMiddleware, settings=settings, share=share)
    if settings.token:
        app.add_middleware(TokenMiddleware, token=settings.token)
    if settings.allowed_origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=list(settings.allowed_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"], expose_headers=["Retry-After"],
        )  # fmt: skip
    app.add_middleware(GuardMiddleware, hosts=settings.allowed_hosts)
    app.add_middleware(MetricsMiddleware, metrics=metrics)
    app.add_middleware(ConformanceMiddleware)


def _refuse_options(request: Request) -> None:
    """Where all that is wanted stands in the body, an option would be passed over in silence."""
    for name in request.query_params:
        raise Problem(422, f"{brief(name)}: no such option; what is wanted goes in the JSON")


def _as_json(document: Any) -> bytes:
    return json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _written(content: bytes) -> bytes:
    given = sources.parsed(WriteRequest, content)
    if given.expression is None:
        tree = parse(given.latex or "")
        if len(tree) > MAX_SYMBOLS:
            raise SanError(f"more than {MAX_SYMBOLS:,} symbols")
    else:
        tree = from_json(given.expression.model_dump_json())
    return _as_json(written_fields(tree, given.formats))


def _inkml(content: bytes, limits: Limits) -> bytes:
    sources.check_brackets(content, limits, 1 + MAX_SYMBOLS)  # of each symbol, its strokes
    given = sources.parsed(InkmlRequest, content)
    if len(given.strokes) > limits.strokes:
        raise SanError(f"more than {limits.strokes:,} strokes")
    if sum(map(len, given.strokes)) > limits.points:
        raise SanError(f"more than {limits.points:,} points")
    ink = Ink.of(given.strokes)
    glyphs = []
    for symbol in given.symbols:
        if not is_symbol(symbol.symbol):
            raise SanError(f"{brief(symbol.symbol)!r} is no symbol")
        if max(symbol.strokes) >= len(ink.strokes):
            raise SanError(f"{symbol.symbol}: its strokes are not among the ink's")
        glyphs.append(ink.glyph(symbol.symbol, symbol.strokes))
    return write_inkml(Sheet(ink, tuple(glyphs), to_latex(parse(given.latex))))
