"""Guards before every response: allowed hosts, the token, security headers, errors of ours.

- The page loads nothing from anywhere else, and no other site may frame it.
- A service for this machine alone answers to this machine's names alone: else any site could have
  its own name lead here, and read along (DNS rebinding).
- With a token, everything but the page, its files, `/docs` and the health checks wants it.
- An error of ours is said to be one, without its details, which go to the log.
"""

import hmac
import logging

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from san.serve.problems import problem

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "geolocation=(), microphone=()",
}
WITHOUT_TOKEN = ("/", "/docs", "/healthz", "/readyz")

log = logging.getLogger("uvicorn.error")


class GuardMiddleware:
    """Middleware: allowed hosts, security headers, and errors without their details."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...] = ()) -> None:
        self.app, self.hosts = app, {host.lower() for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if scope["path"].startswith("/api/"):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if self.hosts and _host(scope) not in self.hosts:
            await problem(400, "asked under a name that is not this service's")(
                scope, receive, send_with_headers
            )
            return
        try:
            await self.app(scope, receive, send_with_headers)
        except Exception:
            log.exception("an error of ours")
            if begun:
                raise
            await problem(500, "an error of ours; the log of the service has more")(
                scope, receive, send_with_headers
            )


class TokenMiddleware:
    """Middleware: the bearer token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app, self.expected = app, f"bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _needs_no_token(scope["path"]):
            scheme, _, given = Headers(scope=scope).get("authorization", "").partition(" ")
            credentials = f"{scheme.lower()} {given.strip()}".encode()
            if not hmac.compare_digest(credentials, self.expected):
                challenge = {"WWW-Authenticate": "Bearer"}
                wrong = scheme.lower() == "bearer" and given.strip()
                said = "the bearer token is wrong" if wrong else "a bearer token is wanted"
                await problem(401, said, challenge)(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _host(scope: Scope) -> str:
    """The name under which the service is asked, without a port."""
    host = Headers(scope=scope).get("host", "").lower()
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _needs_no_token(path: str) -> bool:
    return path in WITHOUT_TOKEN or path.startswith("/static/")
