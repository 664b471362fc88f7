"""The service: one ASGI application that reads images and ink, and serves the page.

- Nothing is stored: a request lives in memory until it is answered.
- The event loop only hands over. Bodies are parsed, formulas read and answers written by the
  desk's threads, or by others where no network is asked.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import FileResponse, HTMLResponse
from fastapi.staticfiles import StaticFiles
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from san import __version__
from san.errors import SanError, brief
from san.grammar import parse, to_latex
from san.grammar.json import from_json
from san.grammar.symbols import is_symbol
from san.ink import Ink, Sheet, write_inkml
from san.reader import Formula, Limits, Recognizer, Source
from san.serve import sources
from san.serve.bodies import Bounded
from san.serve.conformance import Uniform
from san.serve.guard import Guard, Token
from san.serve.manual import manual
from san.serve.metrics import Counting, Metrics
from san.serve.openapi import (
    HEALTH,
    IMAGE_BODY,
    INK_BODY,
    INKML,
    READING,
    TEXT,
    WRITING,
    body,
    document,
    troubles,
)  # fmt: skip
from san.serve.problems import LEFT, Problem, answer_problems
from san.serve.requests import Options, Tree, Truth
from san.serve.responses import Health, Result, Written
from san.serve.serialise import as_json, result, written
from san.serve.settings import Settings
from san.serve.workers import Desk

PAGE = Path(__file__).parent / "page"
SILENT: Any = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""FastAPI can report to others what it serves; this does not, whatever the environment says."""

Asked = Annotated[Options, Query()]


def create_app(recognizer: Recognizer, settings: Settings | None = None) -> FastAPI:
    """The service of a recognizer; its limits are to be those of the settings."""
    settings = settings or Settings()
    desk, metrics = Desk(recognizer, settings), Metrics()
    metrics.waiting.set_function(lambda: desk.waiting)
    desk.on_batch = metrics.batches.observe

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        desk.open()
        yield
        await desk.close()

    app = FastAPI(
        title="san", version=__version__, lifespan=life, docs_url=None, redoc_url=None,
        summary="Reads handwritten mathematics.",
        description="An image or ink goes in; a syntax tree comes out, with LaTeX and MathML.",
        generate_unique_id_function=lambda route: route.name, telemetry=SILENT,
    )  # fmt: skip
    # Made once: it takes longer than most answers.
    app.openapi = cache(partial(document, app, bool(settings.token)))  # type: ignore[method-assign]
    answer_problems(app)
    _stand_before(app, settings, metrics)

    async def answer(request: Request, source: Callable[[], Source], options: Options) -> Response:
        began = time.perf_counter()

        def tell(formula: Formula) -> bytes:
            milliseconds = 1000 * (time.perf_counter() - began)
            return as_json(result(formula, options, milliseconds))

        job = desk.take(source, tell, options.beam, options.n_best)
        left = asyncio.ensure_future(request.receive())
        either: set[asyncio.Future[Any]] = {job.answer, left}
        try:
            await asyncio.wait(
                either, timeout=settings.seconds, return_when=asyncio.FIRST_COMPLETED
            )
            if job.answer.done():
                return Response(job.answer.result(), media_type="application/json")
            if left.done():
                return Response(status_code=LEFT)
            detail = f"not read within {settings.seconds:g} seconds"
            raise Problem(503, detail, desk.later())
        finally:
            left.cancel()
            desk.drop(job)

    @app.post(
        "/api/v1/read", tags=["read"], summary="Read an image", response_model=Result,
        openapi_extra=body(IMAGE_BODY), responses=troubles(*READING),
    )  # fmt: skip
    async def read_image(request: Request, options: Asked) -> Response:
        """A photograph, a scan or a drawing: PNG, JPEG, WebP, BMP, TIFF, GIF or HEIC (or a file
        of InkML); as the body itself, or as the field `file` of a form."""
        kind = request.headers.get("content-type", "")
        return await answer(request, partial(sources.image, await request.body(), kind), options)

    @app.post(
        "/api/v1/ink", tags=["read"], summary="Read pen strokes", response_model=Result,
        openapi_extra=body(INK_BODY), responses=troubles(*READING),
    )  # fmt: skip
    async def read_ink(request: Request, options: Asked) -> Response:
        """Strokes as JSON, or InkML."""
        return await answer(request, partial(sources.ink, await request.body()), options)

    @app.post(
        "/api/v1/write", tags=["write"], summary="Write a tree as LaTeX and MathML",
        response_model=Written, responses=troubles(*WRITING),
    )  # fmt: skip
    def write(given: Tree) -> Response:
        """A tree as an answer holds it, corrected perhaps."""
        tree = from_json(given.expression.model_dump_json())
        return Response(as_json(written(tree)), media_type="application/json")

    @app.post(
        "/api/v1/inkml", tags=["write"], summary="Write ink with its truth as InkML",
        response_class=Response,
        responses={200: {"content": {INKML: TEXT}}, **troubles(*WRITING)},
    )  # fmt: skip
    def inkml(given: Truth) -> Response:
        """Ink, its formula and, where they are given, the strokes of each symbol: a sample that
        `san data pack` takes."""
        return Response(_inkml(given, settings.limits), media_type=INKML)

    @app.get("/healthz", tags=["service"], summary="Whether the service runs")
    async def healthz() -> Health:
        return {"status": "ok"}

    @app.get(
        "/readyz", tags=["service"], summary="Whether the service takes requests",
        responses=troubles(*HEALTH),
    )  # fmt: skip
    async def readyz() -> Health:
        if desk.closed:
            raise Problem(503, "the service is starting or stopping", {"Retry-After": "1"})
        return {"status": "ready"}

    @app.get(
        "/metrics", tags=["service"], summary="Numbers for Prometheus", response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )  # fmt: skip
    async def measured() -> Response:
        return Response(generate_latest(metrics.registry), media_type=CONTENT_TYPE_LATEST)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> HTMLResponse:
        return HTMLResponse(manual(app.openapi()))

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(PAGE / "index.html")

    app.mount("/static", StaticFiles(directory=PAGE), "static")
    return app


def _stand_before(app: FastAPI, settings: Settings, metrics: Metrics) -> None:
    """Middleware; the last one added stands outermost."""
    app.add_middleware(Bounded, settings=settings)
    if settings.token:
        app.add_middleware(Token, token=settings.token)
    if settings.origins:
        app.add_middleware(
            CORSMiddleware, allow_origins=list(settings.origins), allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type"], expose_headers=["Retry-After"],
        )  # fmt: skip
    app.add_middleware(Guard, hosts=settings.hosts)
    app.add_middleware(Counting, metrics=metrics)
    app.add_middleware(Uniform)


def _inkml(given: Truth, limits: Limits) -> bytes:
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
