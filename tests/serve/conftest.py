"""One recognizer for all tests of the service, and services around it."""

import io
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from PIL import Image, ImageOps

from san.ink import Sheet, draw
from san.reader import Recognizer
from san.serve.app import create_app
from san.serve.server import bind, create_server
from san.serve.settings import REQUEST_LIMITS, Settings
from tests.ink.formulas import fraction

FRACTION = r"x=\frac{1}{2}"


@cache
def recognizer() -> Recognizer:
    return Recognizer(threads=1, limits=REQUEST_LIMITS)


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    with asking() as client:
        yield client


@contextmanager
def asking(settings: Settings | None = None) -> Iterator[TestClient]:
    """A client of a service of its own."""
    with TestClient(create_app(recognizer(), settings or Settings())) as client:
        yield client


def strokes(sheet: Sheet | None = None) -> list[list[list[float]]]:
    return [stroke.tolist() for stroke in (sheet or fraction()).ink.strokes]


def picture(format: str = "PNG") -> bytes:
    """x = 1/2, black on white."""
    drawn = ImageOps.expand(Image.fromarray(255 - draw(fraction().ink)), 12, 255)
    return encoded(drawn, format)


def encoded(image: Image.Image, format: str = "PNG") -> bytes:
    out = io.BytesIO()
    image.save(out, format)
    return out.getvalue()


@contextmanager
def live(app: FastAPI, grace: float = 10, max_connections: int = 100) -> Iterator[int]:
    """The port of a real server, for what only sockets can do."""
    own, running = bind("127.0.0.1", 0), create_server(app, grace, max_connections)
    port: int = own.getsockname()[1]
    thread = threading.Thread(target=running.run, kwargs={"sockets": [own]})
    thread.start()
    try:
        yield port
    finally:
        running.should_exit = True
        thread.join(30)


def sent(port: int, *parts: bytes, half: bool = False, seconds: float = 20) -> bytes:
    """All that the server says to some bytes until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        for part in parts:
            connection.sendall(part)
        if half:
            connection.shutdown(socket.SHUT_WR)
        said = b""
        while part := connection.recv(65536):
            said += part
        return said


def waits_for(condition: Callable[[], bool], seconds: float = 10) -> bool:
    """Whether something becomes true in time."""
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return condition()
