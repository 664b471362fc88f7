"""Pages of PDF and TIFF files, drawn for who shows them."""

import io
import socket
from base64 import b64decode, b64encode
from contextlib import ExitStack, suppress
from importlib.util import find_spec

import pytest
from fastapi.testclient import TestClient
from PIL import Image
from pydantic import TypeAdapter

from san.images import documents
from san.ink import write_inkml
from san.serve import server
from san.serve.app import create_app
from san.serve.drawing import MAX_SIDE
from san.serve.queue import RequestQueue
from san.serve.responses import DrawnPageResult
from san.serve.settings import REQUEST_LIMITS
from san.serve.sources import document_source, price_of
from san.serve.workers import LARGE_IMAGE
from tests.images.test_documents import document
from tests.ink.formulas import fraction
from tests.serve.conftest import FRACTION, encoded, live, picture, recognizer
from tests.serve.test_refusals import refusal

PATH = "/api/v1/document"


def drawn(client: TestClient, content: bytes, page: int = 1) -> tuple[DrawnPageResult, Image.Image]:
    answer = client.post(PATH, params={"page": page}, content=content)
    assert answer.status_code == 200, answer.text
    found = TypeAdapter(DrawnPageResult).validate_python(answer.json(), extra="forbid")
    image = Image.open(io.BytesIO(b64decode(found["image"])))
    assert (image.format, image.size) == ("PNG", (found["width"], found["height"]))
    return found, image


def test_each_page_of_a_tiff(client: TestClient) -> None:
    for number in (1, 2, 3):
        found, image = drawn(client, document("TIFF"), number)
        assert (found["page"], found["pages"], found["notes"]) == (number, 3, [])
        assert image.size == (40 + number, 30)
        assert image.getextrema() == (20 * number, 20 * number)


@pytest.mark.skipif(find_spec("pypdfium2") is None, reason="pypdfium2 is missing")
def test_a_page_of_a_pdf(client: TestClient) -> None:
    found, image = drawn(client, document("PDF"), 2)
    assert found["pages"] == 3
    assert image.convert("L").resize((1, 1)).getpixel((0, 0)) == pytest.approx(40, abs=8)
    damaged = client.post(PATH, content=b"%PDF-1.4 and nothing")
    assert "page 1 of the PDF cannot be drawn" in refusal(damaged, 422)


def test_what_is_drawn_can_be_read(client: TestClient) -> None:
    found, _ = drawn(client, picture("TIFF"))
    assert client.post("/api/v1/read", json={"image": found["image"]}).json()["latex"] == FRACTION
    as_json = client.post(PATH, json={"image": b64encode(picture("TIFF")).decode()}).json()
    assert as_json["image"] == found["image"]


def test_pages_are_no_larger_and_no_more_than_they_may_be(client: TestClient) -> None:
    _, image = drawn(client, encoded(Image.new("L", (3000, 100)), "TIFF"))
    assert image.size == (MAX_SIDE, 80)
    found, _ = drawn(client, document("TIFF", documents.MAX_PAGES + 5))
    assert found["pages"] == documents.MAX_PAGES
    assert found["notes"] == ["only the first 100 pages can be drawn"]
    for page in (0, documents.MAX_PAGES + 1):
        refusal(client.post(PATH, params={"page": page}, content=document("TIFF")), 422)


def test_what_cannot_be_drawn_is_one_line(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusal(client.post(PATH), 400)
    assert "no page 4" in refusal(client.post(f"{PATH}?page=4", content=document("TIFF")), 422)
    said = refusal(client.post(PATH, content=b"no picture"), 422)
    assert said.startswith("not a PNG")
    assert said.endswith("HEIC image, nor a PDF")
    ink = refusal(client.post(PATH, content=write_inkml(fraction())), 422)
    assert ink == "InkML has no pages: send it to /api/v1/ink"
    monkeypatch.setattr(documents, "find_spec", lambda name: None)
    missing = refusal(client.post(PATH, content=document("PDF")), 422)
    assert missing.startswith("a PDF: pip install")
    sent_to_read = refusal(client.post("/api/v1/read", content=document("PDF")), 422)
    assert sent_to_read.startswith("a PDF: send its pages as images")


@pytest.mark.parametrize("path", ["/api/v1/read", "/api/v1/page"])
def test_a_tiff_of_several_pages_is_not_read_as_its_first(client: TestClient, path: str) -> None:
    said = refusal(client.post(path, content=document("TIFF")), 422)
    assert said == "a TIFF of 3 pages: send its pages as images, which /api/v1/document draws"
    as_form = client.post(path, files={"file": ("a.tif", document("TIFF"))})
    assert refusal(as_form, 422) == said


def test_what_takes_long_to_pack_is_slow_from_the_start() -> None:
    """Though it is opened in no time: a crowd of them held up everybody's ink."""
    noise = encoded(Image.effect_noise((2400, 2400), 200), "JPEG")
    assert price_of(noise, REQUEST_LIMITS) < LARGE_IMAGE
    assert price_of(document_source(noise, "", 1), REQUEST_LIMITS) > LARGE_IMAGE


def test_a_pdf_is_slow_from_the_start(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes nobody's place among the quick."""
    assert price_of(document_source(document("PDF"), "", 1), REQUEST_LIMITS) > LARGE_IMAGE
    assert price_of(document_source(document("TIFF"), "", 1), REQUEST_LIMITS) < LARGE_IMAGE
    put_back: list[bool] = []
    monkeypatch.setattr(documents, "find_spec", lambda name: None)  # and is not drawn at all
    keep = RequestQueue.put_back
    monkeypatch.setattr(
        RequestQueue, "put_back", lambda self, job: (put_back.append(job.slow), keep(self, job))
    )
    refusal(client.post(PATH, content=document("PDF")), 422)
    assert put_back == [True]


@pytest.mark.live
def test_answers_that_nobody_takes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has left one for the longest time makes room; who has just asked does not."""
    monkeypatch.setattr(server, "MAX_UNTAKEN", 3_000_000)
    noise = encoded(Image.effect_noise((2400, 2400), 200), "JPEG")  # an answer of 7 MB
    head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(noise)}\r\n\r\n"
    with live(create_app(recognizer())) as port, ExitStack() as held:
        deaf = []
        for _ in range(2):
            one = held.enter_context(socket.socket())
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            one.settimeout(20)
            one.connect(("127.0.0.1", port))
            one.sendall(head.encode() + noise)
            assert one.recv(9) == b"HTTP/1.1 "
            deaf.append(one)
        assert b'"milliseconds"' in _end(deaf[1])
        assert b'"milliseconds"' not in _end(deaf[0])


def _end(connection: socket.socket) -> bytes:
    """The last that comes: of an answer, or of the connection."""
    end = b""
    with suppress(ConnectionResetError):
        while not end.endswith(b"}") and (said := connection.recv(1 << 20)):
            end = (end + said)[-100:]
    return end
