"""`san serve`: the page and the API, on this machine unless told otherwise."""

import contextlib
import ipaddress
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from san.errors import SanError

TOKEN = "SAN_TOKEN"
OWN = ("localhost", "127.0.0.1", "[::1]")
"""The names under which a machine asks itself."""
GRACE = 5.0
"""Seconds beyond those of an answer, for the last ones to be sent."""


def serve(
    host: Annotated[
        str, typer.Option(help="Where to listen; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8000,
    model: Annotated[
        Path | None, typer.Option(help="Weights, an exported folder, or san-paper.")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="One look, however unsure: half the time, more errors.")
    ] = False,
    token: Annotated[
        str, typer.Option(envvar=TOKEN, help="Ask for this bearer token on every call of the API.")
    ] = "",
    origin: Annotated[
        list[str] | None,
        typer.Option(help="A site whose pages may call the API (CORS); may be given again."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            help="A name that the service is reached under, behind a proxy say; may be given again."
        ),
    ] = None,
    readers: Annotated[int, typer.Option(min=0, help="Threads that read; 0: one a core.")] = 0,
    waiting: Annotated[
        int, typer.Option(min=1, help="Requests that may wait; one more is answered 503.")
    ] = 64,
    seconds: Annotated[float, typer.Option(min=0.1, help="Seconds until one is given up.")] = 20.0,
    max_bytes: Annotated[int, typer.Option(min=1, help="Of a request.")] = 16_000_000,
    max_pixels: Annotated[int, typer.Option(min=1, help="Of an image.")] = 25_000_000,
    max_strokes: Annotated[int, typer.Option(min=1, help="Of ink.")] = 1_000,
    max_points: Annotated[int, typer.Option(min=1, help="Of ink.")] = 50_000,
) -> None:
    """Serve the page and the API. Nothing is stored, and nothing leaves this machine."""
    try:
        from san.serve.app import create_app
        from san.serve.server import listening, server
    except ModuleNotFoundError as error:
        raise SanError(
            f"this needs {error.name}, which is not installed: pip install 'san[serve]'"
        ) from None
    from san.reader import Limits, Recognizer
    from san.serve.settings import Settings

    # From here on a polite request to stop is no failure.
    signal.signal(signal.SIGTERM, _stop)
    limits = Limits(max_bytes, max_pixels, max_strokes, max_points)
    names = (*(name or ()), *((*OWN, host) if _loopback(host) else ()))
    settings = Settings(
        limits=limits,
        waiting=waiting,
        seconds=seconds,
        token=token,
        origins=tuple(origin or ()),
        hosts=names,
        **({"readers": readers} if readers else {}),
    )
    socket = listening(host, port)
    # One core for each reading: they go on side by side.
    reader = Recognizer(model, threads=1, limits=limits, quick=quick)
    app = create_app(reader, settings)
    if not token and not _loopback(host):
        typer.echo(
            f"Everybody who reaches {host} may use this; ${TOKEN} asks for a token.", err=True
        )
    shown = f"[{host}]" if ":" in host else host
    typer.echo(
        f"http://{shown}:{socket.getsockname()[1]}/ (the page) and /docs (the API); Ctrl-C ends"
    )
    with contextlib.suppress(KeyboardInterrupt):
        server(app, seconds + GRACE).run(sockets=[socket])


def _stop(number: int, frame: FrameType | None) -> None:
    sys.exit(0)


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
