"""What the framework leaves uneven: every path answers HEAD, and every error is a problem."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from san.serve.problems import KIND, MEANINGS, problem

OF_THE_BODY = ("content-type", "content-length")


class Uniform:
    """Middleware, outermost: those within know of GET and POST alone."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_head = scope["method"] == "HEAD"
        plain: Message | None = None  # the beginning of an answer in plain text

        async def bare(message: Message) -> None:
            has_body = message["type"] == "http.response.body"
            await send({**message, "body": b""} if is_head and has_body else message)

        async def even(message: Message) -> None:
            nonlocal plain
            if message["type"] == "http.response.start" and _is_plain(message):
                plain = message
            elif plain is None:
                await bare(message)
            else:  # all of its body: these are short
                status, headers = plain["status"], Headers(raw=plain["headers"])
                kept = {name: headers[name] for name in headers if name not in OF_THE_BODY}
                said = message["body"].decode() or MEANINGS[status]
                await problem(status, said, kept)(scope, receive, bare)

        await self.app({**scope, "method": "GET"} if is_head else scope, receive, even)


def _is_plain(start: Message) -> bool:
    """A range that a file does not have, a site that may not ask: answered without exceptions."""
    kind = Headers(raw=start["headers"]).get("content-type")
    return start["status"] in MEANINGS and kind != KIND
