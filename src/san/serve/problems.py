"""Whatever goes wrong is one `application/problem+json` (RFC 9457) with one clear line."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException as AnyHTTPException
from starlette.requests import ClientDisconnect

from san.errors import SanError, brief, printable
from san.serve.responses import ProblemDetails

PROBLEM_TYPE = "application/problem+json"
CLIENT_CLOSED = 499
"""The client has gone: a status that only the metrics see."""
MEANINGS = {
    400: "The request is not what it says it is.",
    401: "The service was started with a token, which was not given, or another was.",
    404: "There is nothing under this path.",
    405: "This path takes other methods.",
    408: "The body took too long to arrive.",
    413: "The body is too large.",
    415: "The body is compressed (`Content-Encoding`).",
    422: "What was sent cannot be read; `detail` says why.",
    500: "An error of ours.",
    503: "Too much to do, or no answer in time; `Retry-After` says when to come again.",
}
WORDS = {
    "too_short": "needs {min_length} or more",
    "too_long": "takes {max_length} at most",
    "extra_forbidden": "no such field",
    "missing": "is missing",
}
"""Faults of which pydantic tells as a programmer would."""
POINT = "a point is [x, y]"


class Problem(HTTPException):
    """An answer that is not what was asked for."""

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(status, detail, headers)


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    content: ProblemDetails = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": printable(detail),
    }
    return JSONResponse(content, status, headers, PROBLEM_TYPE)


def add_problem_handlers(app: FastAPI) -> None:
    """Every error of those who ask becomes a problem; errors of ours are the guard's."""

    @app.exception_handler(SanError)
    async def refused(request: Request, error: SanError) -> JSONResponse:
        return problem(422, str(error))

    @app.exception_handler(ClientDisconnect)  # with its body half sent
    async def left(request: Request, error: ClientDisconnect) -> Response:
        return Response(status_code=CLIENT_CLOSED)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        return problem(422, validation_message(error.errors()))

    @app.exception_handler(AnyHTTPException)  # ours, and the framework's: no such path, ...
    async def routed(request: Request, error: AnyHTTPException) -> JSONResponse:
        status, detail = error.status_code, str(error.detail)
        plain = detail == HTTPStatus(status).phrase  # the framework's: says no more than its number
        return problem(status, MEANINGS.get(status, detail) if plain else detail, error.headers)


def validation_message(errors: Sequence[Any]) -> str:
    """The first few faults of a question, in one line."""
    return "; ".join(_fault(error) for error in errors[:3])


def _fault(error: Any) -> str:
    parts = [part for part in error.get("loc", ()) if part not in ("body", "query")]
    place = ".".join(map(str, parts))
    kind = error.get("type")
    words = WORDS.get(kind)
    # The number of a stroke, and of its point.
    if parts[:1] == ["strokes"] and len(parts) == 3 and kind != "too_long":
        words = POINT
    said = words.format(**error.get("ctx", {})) if words else str(error.get("msg", ""))
    said = said.removeprefix("Value error, ") or "not as expected"
    return f"{brief(place)}: {said[:200]}" if place else said[:200]
