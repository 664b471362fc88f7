"""Limits of request bodies: size, time to arrive, memory of all together. None touches the disk,
and none is unpacked."""

import asyncio

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from san.errors import brief
from san.serve.problems import Problem, problem
from san.serve.settings import Settings
from san.serve.share import Count, Share

IMAGES = ("/api/v1/read", "/api/v1/page", "/api/v1/document")
"""Where images are taken; elsewhere it is ink or a tree, which is never as large."""
IMAGE_SHARE = 0.75
"""Of what all bodies may hold, that images may take: a few that wait leave room for ink."""


class BodyLimitMiddleware:
    """Middleware: no body is too large or too slow, and all of them together are not too much."""

    def __init__(self, app: ASGIApp, settings: Settings, share: Share) -> None:
        self.app, self.settings, self._share = app, settings, share
        self._held = 0  # bytes of all bodies that are in work here

    def hold(self, size: int) -> None:
        self._held += size
        self._share.set(Count.HELD, self._held)

    def too_much(self, share: float) -> bool:
        """Whether all processes of the service hold more than this share of what they may."""
        return self._share.total(Count.HELD) > share * self.settings.max_held_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limits = self.settings.limits
        of_image = scope["path"] in IMAGES
        max_bytes = limits.bytes if of_image else limits.of_ink.bytes
        headers = Headers(scope=scope)
        encoding = headers.get("content-encoding", "identity")
        if encoding.lower() != "identity":
            said = f"Content-Encoding {brief(encoding)}: send the body as it is"
            await problem(415, said, {"Accept-Encoding": "identity"})(scope, receive, send)
            return
        claimed = headers.get("content-length", "")
        if claimed.isdigit() and int(claimed[:20]) > max_bytes:
            refusal = problem(413, _larger(max_bytes))
            await refusal(scope, receive, send)
            return
        body = _Body(self, receive, max_bytes, IMAGE_SHARE if of_image else 1.0)

        async def send_in_time(message: Message) -> None:
            try:
                async with asyncio.timeout(self.settings.upload_timeout):
                    await send(message)
            except TimeoutError:
                raise _StuckError from None

        try:
            await self.app(scope, body.receive, send_in_time)
        except _StuckError:  # who does not take the answer gets no more of it
            return
        finally:
            self.hold(-body.size)


class _StuckError(Exception):
    """The client does not take its answer."""


class _Body:
    """One body on its way."""

    def __init__(
        self, middleware: BodyLimitMiddleware, receive: Receive, max_bytes: int, share: float
    ) -> None:
        self._middleware, self._receive = middleware, receive
        self._max_bytes, self._share = max_bytes, share
        self._deadline = asyncio.get_running_loop().time() + middleware.settings.upload_timeout
        self._complete = False
        self.size = 0

    async def receive(self) -> Message:
        if self._complete:  # what comes now is the client's leaving, whenever that is
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            raise Problem(
                408, "the body took too long to arrive", {"Connection": "close"}
            ) from None
        except asyncio.CancelledError:  # by the server, which waits no longer
            stopping = {"Retry-After": "5", "Connection": "close"}
            raise Problem(503, "the service is stopping", stopping) from None
        size = len(message.get("body", b""))
        self.size += size
        self._middleware.hold(size)
        self._complete = not message.get("more_body", False)
        if self.size > self._max_bytes:
            raise Problem(413, _larger(self._max_bytes))
        if self._middleware.too_much(self._share):
            raise Problem(503, "too much is being sent at once", {"Retry-After": "1"})
        return message


def _larger(max_bytes: int) -> str:
    return f"the body is larger than {max_bytes:,} bytes"
