"""The examples of docs/service.md, as they stand there, against a service of this moment."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from san.errors import MAX_ECHOED
from san.images import decode_cost
from san.images.documents import MAX_PAGES
from san.serve import drawing, requests, server, sources
from san.serve.app import create_app
from san.serve.bodies import IMAGE_SHARE
from san.serve.queue import SLOW_SHARE
from san.serve.settings import Settings
from tests.conftest import REPOSITORY
from tests.serve.conftest import live, recognizer

TEXT = (REPOSITORY / "docs" / "service.md").read_text("utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", TEXT, re.S | re.M)
CURL = re.findall(r"^curl .*$", TEXT, re.M)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with live(create_app(recognizer())) as port:
        yield f"http://127.0.0.1:{port}"


def run(address: str, text: str, *command: str) -> str:
    text = text.replace("http://127.0.0.1:8000", address)
    done = subprocess.run(
        [*command, text], cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("number", range(len(PYTHON)))
@pytest.mark.slow
def test_python(address: str, number: int) -> None:
    assert run(address, PYTHON[number], sys.executable, "-c").strip()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not here")
def test_curl(address: str) -> None:
    assert len(CURL) == 10
    said = [run(address, f"{line} --silent --fail", "sh", "-c") for line in CURL]
    results = [text.startswith('{"format":"san-result"') for text in said]
    assert results == [True] * 3 + [False] + [True] * 3 + [False] * 3
    assert said[3].startswith('{"format":"san-page"')


def limit(name: str) -> str:
    """What the table says of a limit that no option sets."""
    (value,) = re.findall(rf"^\| {name}.* \| \| (.*) \|$", TEXT, re.M)
    return str(value)


def test_limits() -> None:
    latex = requests.InkmlRequest.model_json_schema()["properties"]["latex"]["maxLength"]
    settings = Settings()
    assert (
        limit("seconds for a body") == f"{settings.upload_timeout:g}; {settings.max_held_bytes:,}"
    )
    assert limit("seconds of computing") == f"{settings.max_cpu_seconds:g}"
    assert limit(f"chunks of a body.* {server.MIN_CHUNK_BYTES} bytes") == f"{server.FREE_CHUNKS:,}"
    pages = f"{MAX_PAGES}; {drawing.MAX_SIDE:,}; 512 MB; {settings.max_cpu_seconds:g}"
    assert limit("pages of a file") == pages
    assert drawing.MAX_PDF_BYTES == 512 << 20
    assert limit("parts of a form") == str(sources.MAX_PARTS)
    assert limit("symbols") == f"{requests.MAX_SYMBOLS:,}; {requests.MAX_NAME}; {latex:,}"
    assert decode_cost.MAX_READS == decode_cost.MAX_STRIPS
    assert limit("reads .* scans") == f"{decode_cost.MAX_READS:,}; {decode_cost.MAX_REPEATS[-1][2]}"
    assert (
        limit("numbers .* is ten")
        == f"{decode_cost.MAX_TAG_NUMBERS:,}; {decode_cost.MAX_EXIF_BYTES:,}"
    )
    assert limit("bytes of answers") == f"{server.MAX_UNTAKEN:,}"
    assert (SLOW_SHARE, IMAGE_SHARE) == (0.5, 0.75)
    assert "half of the queue" in TEXT
    assert "images three quarters of the bytes" in TEXT
    assert limit("bytes of a request's head") == f"{server.MAX_HEAD_BYTES:,}"
    assert limit("seconds in which a connection") == f"{server.IDLE_TIMEOUT:g}"
    assert f"at most {MAX_ECHOED} characters" in TEXT
