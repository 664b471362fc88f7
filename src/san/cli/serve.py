"""`san serve`: the page and the HTTP API, for this machine alone by default."""

import contextlib
import ipaddress
import os
import threading
import time
from pathlib import Path
from typing import Annotated

import typer

from san.cli.console import QUICK, check_beside
from san.cores import usable_cores
from san.errors import SanError
from san.extras import missing_package
from san.models import NETWORK, find_model
from san.serve import defaults

TOKEN = "SAN_TOKEN"
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
"""The names under which a machine reaches itself."""
EVERY_ADDRESS = ("0.0.0.0", "::")
START_SECONDS = 10
"""In which a service listens, or its page is not opened."""


def serve(
    host: Annotated[
        str, typer.Option(help="The address to listen on; 0.0.0.0 lets other machines in.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8000,
    model: Annotated[
        Path | None, typer.Option(help="Weights, an exported folder, or san-densenet, san-paper.")
    ] = None,
    quick: Annotated[bool, QUICK] = False,
    token: Annotated[
        str | None,
        typer.Option(envvar=TOKEN, help="Ask for this bearer token on every call of the API."),
    ] = None,
    allowed_origin: Annotated[
        list[str] | None,
        typer.Option(help="A site whose pages may call the API (CORS); repeatable."),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(help="A name that the service is reached under, as by a proxy; repeatable."),
    ] = None,
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Processes behind the port, each with its reader.")
    ] = 1,
    threads: Annotated[
        int, typer.Option(min=0, help="Threads of each that read; 0: as there are cores for it.")
    ] = 0,
    max_queue: Annotated[
        int, typer.Option(min=1, help="Requests that may wait; one more is answered 503.")
    ] = defaults.MAX_QUEUE,
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds to a response, or 503.")
    ] = defaults.TIMEOUT,
    max_bytes: Annotated[int, typer.Option(min=1, help="Of a request.")] = defaults.MAX_BYTES,
    max_pixels: Annotated[int, typer.Option(min=1, help="Of an image.")] = defaults.MAX_PIXELS,
    max_strokes: Annotated[int, typer.Option(min=1, help="Of ink.")] = defaults.MAX_STROKES,
    max_points: Annotated[int, typer.Option(min=1, help="Of ink.")] = defaults.MAX_POINTS,
    open_page: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
) -> None:
    """Serve the page and the API. Nothing is stored, and nothing leaves this machine."""
    try:
        from san.serve.processes import Processes
        from san.serve.server import bind
        from san.serve.service import Service
    except ModuleNotFoundError as error:
        raise missing_package(error, "serve") from None
    from san.reader import Limits
    from san.serve.settings import Settings
    from san.serve.share import Share

    # Of a variable that is set but empty typer knows nothing.
    if (os.environ.get(TOKEN) if token is None else token) == "":
        raise SanError(f"the token is empty: name one, or none at all (no --token, no {TOKEN})")
    limits = Limits(max_bytes, max_pixels, max_strokes, max_points)
    names = (*(allowed_host or ()), *((*LOOPBACK_NAMES, host) if _loopback(host) else ()))
    settings = Settings(
        limits=limits,
        max_queue=max_queue,
        timeout=timeout,
        token=token or "",
        allowed_origins=tuple(allowed_origin or ()),
        allowed_hosts=names,
        threads=threads or max(1, usable_cores() // workers),
    )
    socket = bind(host, port)
    service = Service(settings, model, quick)

    def say_ready() -> None:
        check_beside(find_model(model or NETWORK), None)
        if not token and not _loopback(host):
            typer.echo(
                f"Everybody who reaches {host} may use this; ${TOKEN} asks for a token.", err=True
            )
        shown, at = f"[{host}]" if ":" in host else host, socket.getsockname()[1]
        typer.echo(f"http://{shown}:{at}/ (the page) and /docs (the API); Ctrl-C ends")
        if open_page:
            reached = "127.0.0.1" if host in EVERY_ADDRESS else shown
            threading.Thread(target=_open_page, args=(reached, at), daemon=True).start()

    if workers > 1:
        Processes(service, socket, workers).run(say_ready)
    else:
        service.run(socket, say_ready, Share())


def _open_page(host: str, port: int) -> None:
    """In the browser, when the service listens."""
    import socket
    import webbrowser

    for _ in range(START_SECONDS * 10):
        with contextlib.suppress(OSError), socket.create_connection((host.strip("[]"), port), 1):
            if not webbrowser.open(f"http://{host}:{port}/"):
                typer.echo("No browser was found here: open the page yourself.", err=True)
            return
        time.sleep(0.1)


def _loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
