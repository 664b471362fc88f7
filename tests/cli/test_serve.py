"""`san serve`, as a person starts and stops it."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest

from san.images.bitmap import Grey
from san.reader import Recognizer
from san.reader.rescoring.second_pass import is_unsure
from tests.cli.console import complaint, san
from tests.data.drawn import encoded
from tests.serve.conftest import picture, waits_for

pytestmark = pytest.mark.slow


@contextmanager
def started(
    *options: str, log: Path | None = None
) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """Its address, and the process."""
    with log.open("w") if log else nullcontext(subprocess.PIPE) as errors:
        server = subprocess.Popen(
            [sys.executable, "-c", "from san.cli.main import main; main()", "serve", *options],
            stdout=subprocess.PIPE, stderr=errors, text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
    try:
        assert server.stdout is not None
        yield server.stdout.readline().split()[0], server
    finally:
        server.kill()
        server.communicate()


def test_it_answers_and_ends_when_asked_to() -> None:
    with started("--port", "0") as (url, server):
        assert httpx.get(f"{url}readyz", timeout=30).json() == {"status": "ready"}
        assert httpx.get(f"{url}readyz", headers={"Host": "evil.example"}).status_code == 400
        answers: list[httpx.Response] = []

        def ask() -> None:
            answers.append(httpx.post(f"{url}api/v1/read", content=picture(), timeout=30))

        asked = [threading.Thread(target=ask) for _ in range(4)]
        for one in asked:
            one.start()
        counted = f"{url}metrics"
        while 'path="/api/v1/read"' not in httpx.get(counted, timeout=30).text:
            time.sleep(0.01)
        server.send_signal(signal.SIGTERM)  # while some are still being read
        assert server.wait(30) == 0
        for one in asked:
            one.join(30)
        assert [answer.status_code for answer in answers] == [200] * 4
        assert server.stderr is not None
        assert server.stderr.read() == ""


def two_strokes(seed: int) -> Grey:
    rng = np.random.default_rng(seed)
    paper = np.full((120, 300), 255, np.uint8)
    for _ in range(2):
        cv2.polylines(paper, [rng.integers(10, (290, 110), (5, 2), np.int32)], False, 0, 3)
    return paper


def test_a_service_has_second_thoughts_unless_it_is_to_be_quick() -> None:
    """Of two strokes that might be a letter."""
    reader = Recognizer(threads=1, quick=True)
    drawn = (encoded(two_strokes(seed)) for seed in range(20))
    content = next(one for one in drawn if is_unsure(reader.read(one).reading))
    # The service gives three readings, if it is not asked for more or fewer.
    quick, two_passes = (
        Recognizer(threads=1, n_best=3, quick=quick).read(content) for quick in (True, False)
    )
    assert two_passes.confidence != quick.confidence
    for options, expected in (((), two_passes), (("--quick",), quick)):
        with started("--port", "0", *options) as (url, _):
            answer = httpx.post(f"{url}api/v1/read", content=content, timeout=60).json()
        assert answer["latex"] == expected.latex
        assert answer["confidence"] == pytest.approx(expected.confidence, abs=1e-3)


def test_ctrl_c_is_no_failure() -> None:
    with started("--port", "0", "--host", "localhost") as (url, server):
        assert url.startswith("http://localhost:")
        assert httpx.get(url, timeout=30).status_code == 200
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0


def test_the_page_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = tmp_path / "seen"
    code = f"import sys, pathlib; pathlib.Path('{seen}').write_text(sys.argv[1])"
    monkeypatch.setenv("BROWSER", f'{sys.executable} -c "{code}" %s')
    with started("--port", "0", "--open") as (url, _):
        assert waits_for(lambda: seen.exists() and seen.read_text() == url, 30)


def test_a_taken_port_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"port {port}: address already in use" in complaint("serve", "--port", port)


@pytest.mark.parametrize(
    "options",
    [
        ("--host", "no.such.name.invalid"),
        ("--model", "nothing.safetensors"),
        ("--token", "two words"),
        ("--max-bytes", "1000000000000"),
    ],
)
def test_bad_options_are_one_line(options: tuple[str, str]) -> None:
    complaint("serve", "--port", "0", *options)


def test_an_empty_token_is_no_open_door() -> None:
    assert "the token is empty" in complaint("serve", "--port", "0", "--token", "")
    done = san("serve", "--port", "0", environment={"SAN_TOKEN": ""})
    assert done.returncode == 2
    assert done.stderr.startswith("san: the token is empty")


def test_without_its_libraries_it_says_what_to_install() -> None:
    code = "import sys; sys.modules['fastapi'] = None\nfrom san.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "serve"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install '.[serve]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_other_verbs_do_not_wait_for_it() -> None:
    code = "import sys; from san.cli.main import app; print('fastapi' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
    assert "serve" in san("--help").stdout
