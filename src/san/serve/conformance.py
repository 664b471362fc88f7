"""HTTP conformance: every path answers HEAD, and every error is `application/problem+json`."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from san.serve.problems import MEANINGS, PROBLEM_TYPE, problem

BODY_HEADERS = ("content-type", "content-length")


class ConformanceMiddleware:
    """Middleware, outermost: those within know of GET and POST alone."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_head = scope["method"] == "HEAD"
        plain: Message | None = None  # the beginning of an answer in plain text

        async def send_without_body(message: Message) -> None:
            has_body = message["type"] == "http.response.body"
            await send({**message, "body": b""} if is_head and has_body else message)

        async def send_conforming(message: Message) -> None:
            nonlocal plain
            if message["type"] == "http.response.start" and _is_plain(message):
                plain = message
            elif plain is None:
                await send_without_body(message)
            else:  # all of its body: these are short
                status, headers = plain["status"], Headers(raw=plain["headers"])
                kept = {name: headers[name] for name in headers if name not in BODY_HEADERS}
                said = message["body"].decode() or MEANINGS[status]
                await problem(status, said, kept)(scope, receive, send_without_body)

        await self.app({**scope, "method": "GET"} if is_head else scope, receive, send_conforming)


def _is_plain(start: Message) -> bool:
    """A site that may not ask: answered without an exception."""
    kind = Headers(raw=start["headers"]).get("content-type")
    return start["status"] in MEANINGS and kind != PROBLEM_TYPE
