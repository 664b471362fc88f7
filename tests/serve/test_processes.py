"""Several processes behind one port, as a person starts them: `san serve --workers 2`."""

import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.cli.console import complaint
from tests.cli.test_serve import started
from tests.serve.conftest import picture, waits_for
from tests.serve.test_share import samples

pytestmark = [
    pytest.mark.slow,
    pytest.mark.live,
    pytest.mark.skipif(sys.platform != "linux", reason="looks where Linux lists processes"),
]


def command_line(pid: int) -> bytes:
    """Of a process; of one that has just ended nothing."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def children(pid: int) -> set[int]:
    """The processes that serve."""
    listed = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return {child for child in listed if b"spawn_main" in command_line(child)}


def is_running(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


def test_ctrl_c_is_not_heard_by_what_begins() -> None:
    # Where tests run in the background, interrupts are ignored by all that they start.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    program = heard + "from san.cli.main import main; main()"
    words = ["serve", "--port", "0", "--workers", "2", "--quick"]
    pipe = subprocess.PIPE
    server = subprocess.Popen([sys.executable, "-c", program, *words], stdout=pipe, stderr=pipe)
    try:
        assert waits_for(lambda: len(children(server.pid)) == 2, 30)
        time.sleep(0.2)  # it takes a second to import what they serve with
        for child in children(server.pid):
            os.kill(child, signal.SIGINT)
        assert server.stdout is not None
        assert server.stdout.readline().startswith(b"http://")
        server.send_signal(signal.SIGINT)
        _, errors = server.communicate(timeout=30)
        assert (server.returncode, errors) == (0, b"")
    finally:
        server.kill()


def test_two_processes_answer_die_are_replaced_and_stop() -> None:
    with started("--port", "0", "--workers", "2", "--quick") as (url, server):

        def ask(_: int) -> int:
            return httpx.post(f"{url}api/v1/read", content=picture(), timeout=60).status_code

        def counted() -> dict[tuple[str, ...], float]:
            return samples(httpx.get(f"{url}metrics", timeout=60).content)

        with ThreadPoolExecutor(8) as threads:
            assert set(threads.map(ask, range(24))) == {200}
        read = ("san_requests_total", "/api/v1/read", "200")
        assert waits_for(lambda: counted()[read] == 24, 30)  # whoever of them is asked
        before = children(server.pid)
        assert len(before) == 2
        victim = min(before)
        os.kill(victim, signal.SIGKILL)
        assert waits_for(lambda: len(children(server.pid) - {victim}) == 2, 30)
        assert waits_for(lambda: counted()["san_processes",] == 2, 60)
        assert counted()[read] == 24
        assert ask(0) == 200
        processes = children(server.pid)
        server.send_signal(signal.SIGTERM)
        assert server.wait(30) == 0
        assert not any(map(is_running, processes))
        assert server.stderr is not None
        ended = "san: a process of the service ended (signal 9); another takes its place\n"
        assert server.stderr.read() == ended


def test_who_comes_while_they_stop_is_turned_away_at_once() -> None:
    def is_refused(address: tuple[str, int]) -> bool:
        try:
            socket.create_connection(address, timeout=1).close()
        except ConnectionRefusedError:
            return True
        return False

    with started("--port", "0", "--workers", "2", "--quick") as (url, server):
        address = "127.0.0.1", httpx.URL(url).port or 0
        with socket.create_connection(address) as unfinished:
            # Its process accepts it, and waits for the rest until it has to end.
            unfinished.sendall(b"POST /api/v1/read HTTP/1.1\r\nExpect: 100-continue\r\n")
            unfinished.sendall(b"Host: 127.0.0.1\r\nContent-Length: 9\r\n\r\n")
            assert unfinished.recv(100).startswith(b"HTTP/1.1 100")
            server.send_signal(signal.SIGTERM)
            assert waits_for(lambda: is_refused(address), 2)
            assert server.poll() is None
        assert server.wait(30) == 0


def test_a_full_disk_under_the_log_ends_nothing_and_a_killed_parent_all() -> None:
    with started("--port", "0", "--workers", "2", "--quick", log=Path("/dev/full")) as (
        url,
        server,
    ):
        victim = min(children(server.pid))
        os.kill(victim, signal.SIGKILL)
        assert waits_for(lambda: len(children(server.pid) - {victim}) == 2, 30)
        assert httpx.get(f"{url}healthz", timeout=60).status_code == 200
        processes = children(server.pid)
        server.kill()
        assert waits_for(lambda: not any(map(is_running, processes)), 30)


def test_what_cannot_begin_is_one_line() -> None:
    complaint("serve", "--port", "0", "--workers", "2", "--model", "nothing.safetensors")
