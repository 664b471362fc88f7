"""How an honest client fares while others attack the service: one row for each attack.

    python benchmarks/siege.py [--seconds 8] [--attackers 4] [--attacks idle fax ...] [--threads 0]

Each attack gets a fresh `san serve`. An honest client sends ink, one request after the other, first
alone and then while attackers do their worst; at the end, in the middle of it, the service is told
to stop. Told are the honest client's median and longest wait, its answers other than 200, memory of
the service with the processes that draw for it, its log, and the seconds until it has stopped.
Attackers and client share the cores with the service; that is part of the figure. Exits with 1 if
an answer was an error other than 503 with `Retry-After`, if the median is more than three times
that without an attack, if memory exceeded a gigabyte or the log 1 MB, if the stop took longer than
ten seconds, or if a process that drew was left behind.
"""

import argparse
import io
import json
import multiprocessing
import random
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import NamedTuple

import httpx
from PIL import Image

import siege_documents

INK = {"strokes": [[[0, 10], [0, 70]], [[20, 40], [60, 40]], [[40, 20], [40, 60]]]}
MAX_MEMORY, MAX_LOG, MAX_STOP, MAX_SLOWER = 1_000, 1_000_000, 10.0, 3.0
"""MB; bytes; seconds; times the median without an attack."""
IDLE = 1_100
WATCH_SECONDS, END_SECONDS = 0.05, 0.5
"""Between two looks at the memory; after a stop, in which what it started has ended as well."""
PAUSE = 0.02
"""Seconds between two requests of the honest client."""


def post(path: str, body: bytes, *headers: str, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    lines = (
        f"POST /api/v1/{path} HTTP/1.1",
        "Host: localhost",
        f"Content-Length: {size}",
        *headers,
    )
    return "\r\n".join((*lines, "", "")).encode() + body


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=10)


def sent(port: int, content: bytes) -> None:
    with connected(port) as connection:
        connection.sendall(content)
        while connection.recv(65536):
            pass


def fax() -> bytes:
    """One pixel wide, 60,000 rows, each of them damaged."""
    data = b"\x00\x80\x01" * 300_000
    tags = {256: 1, 257: 60_000, 258: 1, 259: 3, 262: 0, 277: 1, 278: 60_000}
    tags |= {273: 8 + 2 + 12 * 9 + 4, 279: len(data)}
    entries = (struct.pack("<HHLL", tag, 4, 1, tags[tag]) for tag in sorted(tags))
    head = b"II*\0" + struct.pack("<LH", 8, len(tags)) + b"".join(entries) + bytes(4)
    return post("read", head + data, "Connection: close")


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    pixels = zlib.compress((b"\0" + bytes(width)) * height, 1)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    return post("read", b"\x89PNG\r\n\x1a\n" + parts, "Connection: close")


def webp() -> bytes:
    file = io.BytesIO()
    Image.effect_noise((4_900, 5_000), 30).convert("RGB").save(file, "WEBP", quality=1, method=0)
    return post("read", file.getvalue(), "Connection: close")


def strokes() -> bytes:
    body = json.dumps({"strokes": [[[0, 0]]] * 200_000}).encode()[:1_999_990]
    return post("ink", body, "Connection: close")


def chunks() -> bytes:
    head = b"POST /api/v1/ink HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"1\r\n \r\n" * 10_050


def idle(port: int) -> None:
    held = []
    with suppress(OSError):
        for _ in range(IDLE // 4):
            held.append(connected(port))
    time.sleep(1)
    for connection in held:
        connection.close()


def slow_bodies(port: int) -> None:
    held = [connected(port) for _ in range(30)]
    for connection in held:
        connection.sendall(post("ink", b"{", length=1_000))
    time.sleep(2)
    for connection in held:
        connection.close()


def reset(port: int) -> None:
    for _ in range(20):
        with connected(port) as connection:
            linger = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            connection.sendall(post("ink", json.dumps(INK).encode()))


def nonsense(port: int) -> None:
    sent(port, random.randbytes(2_000) + b"\r\n\r\n")


def nested() -> bytes:
    symbols = [
        {"symbol": "x"},
        *({"symbol": "x", "parent": n, "relation": "sup"} for n in range(1999)),
    ]
    tree = {"format": "san-expression", "version": 1, "symbols": symbols}
    body = json.dumps({"expression": tree, "formats": ["tree", "mathml", "lg"]}).encode()
    return post("write", body, "Connection: close")


REQUESTS: dict[str, Callable[[], bytes]] = {
    "fax": fax,
    "column": lambda: png(1, 12_900_000),
    "tall": lambda: png(300, 65_000),
    "webp": webp,
    "strokes": strokes,
    "chunks": chunks,
    "nested": nested,
}
"""Sent again and again; made once, before the attack."""
CONNECTIONS: dict[str, Callable[[int], None]] = {
    "idle": idle,
    "slow bodies": slow_bodies,
    "reset": reset,
    "nonsense": nonsense,
    **{name: attack for name, (attack, _) in siege_documents.ATTACKS.items()},
}
ATTACKS = (*REQUESTS, *CONNECTIONS)


class Service(NamedTuple):
    process: "subprocess.Popen[str]"
    port: int
    log: Path

    def memory(self) -> int:
        """MB that the process itself has had at most."""
        return megabytes(self.process.pid, "VmHWM")

    def children(self) -> list[int]:
        """Processes that draw."""
        lists = Path(f"/proc/{self.process.pid}/task").glob("*/children")
        return [int(number) for one in lists for number in one.read_text().split()]


def megabytes(process: int, name: str) -> int:
    """Memory of a process, as Linux names it; none where it has just ended."""
    with suppress(OSError, IndexError):
        status = Path(f"/proc/{process}/status").read_text()
        return int(status.split(f"{name}:")[1].split()[0]) // 1024
    return 0


class Watch(threading.Thread):
    """The memory of a service with all processes that it has started, again and again."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self.service, self.largest, self.seen = service, 0, set[int]()

    def run(self) -> None:
        while self.service.process.returncode is None:
            with suppress(OSError):
                children = self.service.children()
                self.seen.update(children)
                used = [megabytes(one, "VmRSS") for one in (self.service.process.pid, *children)]
                self.largest = max(self.largest, sum(used))
            time.sleep(WATCH_SECONDS)

    def left_behind(self) -> int:
        """Processes that have outlived the service."""
        return sum(is_running(one) for one in self.seen)


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # nobody has asked yet how it ended


def served(log: Path, threads: int) -> Service:
    command = [
        sys.executable,
        "-c",
        "from san.cli.main import main; main()",
        "serve",
        "--port",
        "0",
        "--threads",
        str(threads),
    ]
    limited = ["bash", "-c", 'ulimit -n 1024; exec "$@"', "-", *command]
    with log.open("w") as file:
        process = subprocess.Popen(limited, stdout=subprocess.PIPE, stderr=file, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    return Service(process, int(line.split("127.0.0.1:")[1].split("/")[0]), log)


def attacking(attack: str, port: int, request: bytes) -> None:
    while True:
        with suppress(OSError):
            if request:
                sent(port, request)
            else:
                CONNECTIONS[attack](port)


def honest(port: int, seconds: float) -> tuple[list[float], Counter[str]]:
    waits, answers = [], Counter[str]()
    until = time.monotonic() + seconds
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                answer = client.post("/api/v1/ink?n_best=1", json=INK)
                status = str(answer.status_code)
                if status == "503" and "Retry-After" not in answer.headers:
                    status = "503 without Retry-After"
            except httpx.HTTPError as error:
                status = type(error).__name__
            answers[status] += 1
            waits.append(1000 * (time.monotonic() - began))
            time.sleep(PAUSE)
    return waits, answers


def besieged(attack: str, seconds: float, attackers: int, threads: int, folder: Path) -> bool:
    """Print a row; whether all is well."""
    request = REQUESTS[attack]() if attack in REQUESTS else b""
    siege_documents.prepare(attack)
    service = served(folder / f"{attack}.log", threads)
    alone, _ = honest(service.port, seconds / 2)
    processes = [
        multiprocessing.Process(target=attacking, args=(attack, service.port, request), daemon=True)
        for _ in range(attackers)
    ]
    for process in processes:
        process.start()
    watch = Watch(service)
    watch.start()
    time.sleep(1)
    waits, answers = honest(service.port, seconds)
    memory = max(service.memory(), watch.largest)
    began = time.monotonic()
    service.process.send_signal(signal.SIGTERM)
    try:
        service.process.wait(60)
    except subprocess.TimeoutExpired:
        service.process.kill()
    stop = time.monotonic() - began
    for process in processes:
        process.kill()
        process.join()
    time.sleep(END_SECONDS)
    left_behind = watch.left_behind()
    log = service.log.stat().st_size
    others = ", ".join(f"{count} x {what}" for what, count in answers.items() if what != "200")
    print(
        f"| {attack} | {median(alone):.0f} | {median(waits):.0f} | {max(waits):.0f} "
        f"| {answers['200']} | {others or '-'} | {memory} | {log:,} | {stop:.1f} |",
        flush=True,
    )
    if left_behind:
        print(f"{left_behind} processes that drew were left behind", flush=True)
    well = set(answers) <= {"200", "503"} and median(waits) <= MAX_SLOWER * median(alone)
    bounded = memory <= MAX_MEMORY and log <= MAX_LOG and stop <= MAX_STOP
    return well and bounded and not left_behind


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=8.0, help="of each attack")
    parser.add_argument("--attackers", type=int, default=4, help="processes")
    parser.add_argument("--threads", type=int, default=0, help="of the service; 0: as cores")
    parser.add_argument("--attacks", nargs="+", choices=ATTACKS, default=ATTACKS)
    asked = parser.parse_args()
    print("| attack | alone, ms | median, ms | longest, ms | 200 | others | MB | log | stop, s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        well = [
            besieged(attack, asked.seconds, asked.attackers, asked.threads, Path(folder))
            for attack in asked.attacks
        ]
    raise SystemExit(0 if all(well) else 1)


if __name__ == "__main__":
    main()
