"""Attacks of `siege.py` on what draws pages of documents: dear files, crowds, and who leaves.

Each takes the port of a service and does its worst once; attackers call it again and again.
"""

import random
import socket
import struct
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress

from dear_documents import PDFS, made

CROWD = 40
"""Connections of one attacker: of two, more than the requests that may wait."""
HEAP, LARGEST = 10, 15_900_000
"""The same of large files, and their bytes."""
CROWD_SECONDS, LEAVE_SECONDS, UNTAKEN_SECONDS = 3.0, 0.3, 5.0
SMALL_BUFFER = 4096
"""Bytes that wait at a client that takes nothing."""
SLOWEST = ("tiles", "shades")
"""PDFs of a kilobyte that take all the time that they are given."""
LARGE = ("laughs", "zeros", "brackets")
LONG = tuple(name for name in PDFS if name not in LARGE)


def document(content: bytes, page: int = 1, close: bool = True) -> bytes:
    head = (
        f"POST /api/v1/document?page={page} HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Length: {len(content)}\r\nContent-Type: application/pdf\r\n"
    )
    return head.encode() + (b"Connection: close\r\n" if close else b"") + b"\r\n" + content


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def answered(port: int, request: bytes) -> None:
    with connected(port) as connection:
        connection.sendall(request)
        while connection.recv(65536):
            pass


def pdfs(port: int) -> None:
    """One file that takes long after the other."""
    answered(port, document(made(random.choice(LONG))))


def bombs(port: int) -> None:
    """One file that takes all the memory it may have after the other."""
    answered(port, document(made(random.choice(LARGE))))


def tiffs(port: int) -> None:
    """A page in the middle of a hundred, of the largest size and the dearest kind."""
    answered(port, document(made("tiff"), random.randint(1, 100)))


def crowd(port: int) -> None:
    """More than may wait, each with a file that takes all the time it is given."""
    request = document(made(random.choice(SLOWEST)))
    with ExitStack() as held:
        with suppress(OSError):
            for _ in range(CROWD):
                held.enter_context(connected(port)).sendall(request)
        time.sleep(CROWD_SECONDS)


def heaps(port: int) -> None:
    """Fewer, each as large as a file may be: nothing but a remark stands behind the same page."""
    file = made(random.choice(SLOWEST))
    request = document(file + b"%" * (LARGEST - len(file)))
    with ExitStack() as held:
        with suppress(OSError):
            for _ in range(HEAP):
                held.enter_context(connected(port)).sendall(request)
        time.sleep(CROWD_SECONDS)


def left(port: int) -> None:
    """Who sends and is gone when the drawing has begun."""
    with connected(port) as connection:
        connection.sendall(document(made(random.choice(SLOWEST))))
        time.sleep(random.uniform(0, LEAVE_SECONDS))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def untaken(port: int) -> None:
    """Pages that are asked for, as large as an answer can be, and not taken."""
    request = document(made("noise"))
    with ExitStack() as held:
        with suppress(OSError):
            for _ in range(CROWD):
                connection = held.enter_context(socket.socket())
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
                connection.connect(("127.0.0.1", port))
                connection.sendall(request)
        time.sleep(UNTAKEN_SECONDS)


ATTACKS: dict[str, tuple[Callable[[int], None], tuple[str, ...]]] = {
    "pdfs": (pdfs, LONG),
    "pdf bombs": (bombs, LARGE),
    "tiffs": (tiffs, ("tiff",)),
    "pdf crowd": (crowd, SLOWEST),
    "pdf heaps": (heaps, SLOWEST),
    "pdf left": (left, SLOWEST),
    "untaken": (untaken, ("noise",)),
}
"""What is done, and the files that are made before it begins."""


def prepare(attack: str) -> None:
    """Make what it sends; nothing of another attack."""
    for name in ATTACKS[attack][1] if attack in ATTACKS else ():
        made(name)
