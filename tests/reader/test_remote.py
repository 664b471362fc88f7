"""`Recognizer.connect`: the same results as reading here; nothing that a server may do harms."""

import asyncio
import json
import threading
from collections.abc import Iterator
from functools import cache
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from san.errors import SanError
from san.ink import Box, Ink
from san.ink.alphabet import compose
from san.reader import AnnotatedInk, Failure, KnownSymbol, Recognizer, Source
from san.reader.remote.client import RemoteRecognizer
from san.reader.remote.connection import MAX_ANSWER_BYTES
from tests.images.test_documents import document
from tests.ink.formulas import fraction
from tests.reader.pages.written import lines_of
from tests.reader.remote_service import answering, send

pytest.importorskip("fastapi", reason="the service is not installed: pip install '.[serve]'")

from san.serve.app import create_app
from san.serve.settings import Settings
from tests.serve.conftest import live, picture, recognizer

pytestmark = pytest.mark.live

TOKEN = "open-sesame"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with live(create_app(recognizer(), Settings(token=TOKEN))) as port:
        yield f"http://127.0.0.1:{port}/"


@pytest.fixture(scope="module")
def remote(url: str) -> RemoteRecognizer:
    return Recognizer.connect(url, TOKEN)


SAMPLES = [Path("samples/euler.png"), Path("samples/cube-root.inkml"), picture(), fraction().ink]


@pytest.mark.parametrize("source", SAMPLES)
def test_what_is_read_is_the_same(remote: RemoteRecognizer, source: Source) -> None:
    there, here = remote.read(source), recognizer().read(source)
    assert there.to_dict(["mathml", "lg"]) == here.to_dict(["mathml", "lg"])
    assert json.loads(there.json) == json.loads(here.json)
    for form in (
        "latex",
        "stretchy",
        "mathml",
        "typst",
        "tokens",
        "lg",
        "tree",
        "notes",
        "doubts",
        "name",
    ):
        assert getattr(there, form) == getattr(here, form)
    assert there.expression == here.expression
    assert there._repr_latex_() == here._repr_latex_()
    shown = there._repr_html_()
    assert "<img src=" in shown
    assert there.mathml in shown


def test_other_kinds_of_sources(remote: RemoteRecognizer) -> None:
    opened = Image.open(BytesIO(picture())).convert("RGB")
    with Path("samples/euler.png").open("rb") as file:
        assert remote.read(file).latex == r"e^{i\pi}+1=0"
    for source in (opened, np.asarray(opened)):
        assert remote.read(source).to_dict() == recognizer().read(source).to_dict()


def test_alternatives_and_attention(url: str) -> None:
    asked = Recognizer.connect(url, TOKEN, n_best=3, attention=True).read(fraction().ink)
    here = recognizer().with_beam(3, 3).read(fraction().ink)
    assert asked.to_dict(attention=True) == here.to_dict(attention=True)
    assert len(asked.alternatives) == 2
    assert asked.rival is asked.alternatives[0]


def test_an_alternative_is_as_sure_as_it_is_and_not_as_the_best(url: str) -> None:
    source = np.rot90(np.asarray(Image.open("samples/gravity.png").convert("L")), 2)
    asked = Recognizer.connect(url, TOKEN, n_best=3).read(source)
    here = recognizer().with_beam(3, 3).read(source)
    assert asked.words == here.words == "sure"
    for there, own in zip(asked.alternatives, here.alternatives, strict=True):
        assert there.words == own.words == "doubtful"
        assert there.notes == own.notes == ("turned upside down",)
        assert there.doubts[0] == own.doubts[0] == "this may be no formula"
        assert there.to_dict()["words"] == "doubtful"


def test_it_is_told_that_pictures_are_upright(url: str) -> None:
    upside_down = np.rot90(np.asarray(Image.open("samples/gravity.png").convert("L")), 2)
    asked = Recognizer.connect(url, TOKEN, upright=True).read(upside_down)
    assert asked.turned == 0
    assert asked.to_dict() == recognizer().with_upright().read(upside_down).to_dict()


@pytest.mark.slow
def test_known_symbols_are_held_there_too(remote: RemoteRecognizer) -> None:
    ink = compose([("a", Box(0, 30, 40, 70)), ("b", Box(70, 10, 102, 72))]).ink
    last = len(ink.strokes) - 1
    known = AnnotatedInk(ink, (KnownSymbol("6", (last,)),))
    assert remote.read(known).to_dict() == recognizer().read(known).to_dict()
    assert [remote.read(known).latex, remote.read_page(known).formulas[0].latex] == ["a6", "a6"]
    with pytest.raises(SanError, match="not among"):
        remote.read(AnnotatedInk(ink, (KnownSymbol("6", (last + 1,)),)))


@pytest.mark.slow
def test_pages(remote: RemoteRecognizer) -> None:
    ink = lines_of("x+1=2", "a=b")
    there, here = remote.read_page(ink), recognizer().read_page(ink)
    assert there.to_dict() == here.to_dict()
    assert [formula.latex for formula in there] == ["x+1=2", "a=b"]
    assert there.aligned == here.aligned
    assert repr(there) == repr(here) == "Page(['x+1=2', 'a=b'])"
    assert there.size == pytest.approx(here.size, abs=0.01)
    image = next(remote.read_document("samples/euler.png"))
    assert not isinstance(image, Failure)
    assert "<img" in image.formulas[0]._repr_html_()
    with pytest.raises(SanError, match="a service does not send the steps of a reading"):
        image.formulas[0].explain()


def test_many_in_order_and_a_failure_costs_no_other(remote: RemoteRecognizer) -> None:
    sources = [SAMPLES[0], b"nothing", SAMPLES[3], Path("absent.png")]
    there, here = list(remote.read_many(sources)), list(recognizer().read_many(sources))
    assert [str(one) for one in there if isinstance(one, Failure)] == [
        str(one) for one in here if isinstance(one, Failure)
    ]
    assert [type(one) is Failure for one in there] == [False, True, False, True]


def test_errors_are_those_of_reading_here(remote: RemoteRecognizer) -> None:
    for source in (b"nothing", b"<ink></ink>", b"", np.zeros((0, 5)), document("TIFF")):
        with pytest.raises(SanError) as here:
            recognizer().read(source)
        with pytest.raises(SanError) as there:
            remote.read(source)
        assert str(there.value) == str(here.value)


def test_side_by_side_asynchronously(remote: RemoteRecognizer) -> None:
    async def both() -> list[str]:
        formula, page = await asyncio.gather(
            remote.read_async(fraction().ink), remote.read_page_async(fraction().ink)
        )
        return [formula.latex, page.formulas[0].latex]

    assert asyncio.run(both()) == [r"x=\frac{1}{2}"] * 2


def test_a_call_that_is_cancelled_closes_its_connection() -> None:
    asked, closed = threading.Event(), threading.Event()

    def silent(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        asked.set()
        if handler.rfile.read(1) == b"":
            closed.set()

    async def cancelled(remote: RemoteRecognizer) -> None:
        reading = asyncio.create_task(remote.read_async(fraction().ink))
        await asyncio.to_thread(asked.wait, 10)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        assert await asyncio.to_thread(closed.wait, 10)

    with answering(silent) as url:
        asyncio.run(cancelled(Recognizer.connect(url)))


def test_a_token_that_is_missing(url: str) -> None:
    with pytest.raises(SanError, match=r"^ink: a bearer token is wanted$"):
        Recognizer.connect(url).read(fraction().ink)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        (None, "a service has a URL as http://127.0.0.1:8000, not None$"),
        ("127.0.0.1:8000", "a service has a URL"),
        ("ftp://127.0.0.1", "a service has a URL"),
        ("http://:80", "a service has a URL"),
        ("http://[::1", "a service has a URL"),
        ("http://127.0.0.1:99999", "a service has a URL"),
        ("http://host/\r\nX: y", "a service has a URL"),
        ("http://name:secret@host/", "no name, query or fragment"),
        ("http://host/?a=b", "no name, query or fragment"),
    ],
)
def test_what_is_no_address(url: Any, said: str) -> None:
    with pytest.raises(SanError, match=said) as refused:
        Recognizer.connect(url)
    assert "\n" not in str(refused.value)
    assert "secret" not in str(refused.value)


def test_options_out_of_range() -> None:
    wrong = (
        {"timeout": 0},
        {"timeout": "5"},
        {"timeout": None},
        {"token": b"a"},
        {"timeout": float("nan")},
        {"n_best": 0},
        {"token": "a b"},
        {"limits": 5},
    )
    for options in wrong:
        with pytest.raises(SanError):
            Recognizer.connect("http://127.0.0.1", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"n_best": 11}, {"beam": 30}])
def test_more_readings_than_a_service_gives_are_refused_at_once(options: dict[str, int]) -> None:
    said = r"^a beam and a number of readings of a service lie between 1 and 10$"
    with pytest.raises(SanError, match=said):
        Recognizer.connect("http://127.0.0.1", **options)  # type: ignore[arg-type]


def test_nobody_answers() -> None:
    with live(create_app(recognizer())) as port:
        pass
    with pytest.raises(SanError, match=f"^ink: http://127.0.0.1:{port}: cannot be reached: "):
        Recognizer.connect(f"http://127.0.0.1:{port}").read(fraction().ink)


def test_an_address_beside_the_service(url: str) -> None:
    with pytest.raises(SanError, match=r"/docs: no service of san is there: name the address of"):
        Recognizer.connect(f"{url}docs", TOKEN).read(fraction().ink)
    with pytest.raises(SanError, match=r"may speak http:// alone$"):
        Recognizer.connect(url.replace("http:", "https:"), TOKEN).read(fraction().ink)


@pytest.mark.slow
def test_a_busy_service_is_asked_again() -> None:
    calls: list[bytes] = []

    def busy(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        calls.append(body)
        problem = json.dumps({"detail": "too many requests are waiting"}).encode()
        again = "1" if len(calls) == 1 else "99"
        send(handler, 503, problem, Retry_After=again)

    with answering(busy) as url:
        waiting = "too many requests are waiting; it asks to come again in 99 seconds"
        with pytest.raises(SanError, match=f"^ink: {waiting}$"):
            Recognizer.connect(url, timeout=30).read(fraction().ink)
    assert len(calls) == 2


@cache
def _answer() -> str:
    return recognizer().read(fraction().ink).json


def _broken(**fields: object) -> bytes:
    return json.dumps({**json.loads(_answer()), **fields}).encode()


HOSTILE = [
    (b"", "no JSON"),
    (b"<html>", "no JSON"),
    (b"[" * 100_000, "no JSON"),
    (b"[]", "no JSON object"),
    (b"{}", "it has no format"),
    (b'{"format": "san-result", "version": 2}', "no san-result of version 1"),
    ({"expression": []}, "not an expression"),
    ({"confidence": 7}, "confidence"),
    ({"confidence": float("nan")}, "confidence"),
    ({"notes": [1]}, "notes"),
    ({"unread": [{"box": [1, 2, 3]}]}, "box"),
    ({"outline": [[1, 2]]}, "outline"),
    ({"source": {"kind": "ink", "width": "x", "height": 1}}, "width"),
    ({"alternatives": [{}]}, "it has no expression"),
]


@pytest.mark.parametrize(("body", "said"), HOSTILE, ids=[said for _, said in HOSTILE])
def test_answers_of_strangers_are_one_clear_line(
    body: bytes | dict[str, object], said: str
) -> None:
    content = _broken(**body) if isinstance(body, dict) else body
    answered = answering(lambda handler, _: send(handler, 200, content))
    with answered as url, pytest.raises(SanError) as refused:
        Recognizer.connect(url).read(fraction().ink)
    assert str(refused.value).startswith("ink: the service's answer is not understood: ")
    assert said in str(refused.value)
    assert str(refused.value).isprintable()


def test_lines_of_strangers_are_bounded() -> None:
    body = json.dumps({"detail": "\x1b[2J" + "no\n" * 10_000}).encode()
    answered = answering(lambda handler, _: send(handler, 422, body))
    with answered as url, pytest.raises(SanError) as refused:
        Recognizer.connect(url).read(fraction().ink)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 400
    noted = _broken(notes=["<b>\n\x07" * 1000])
    with answering(lambda handler, _: send(handler, 200, noted)) as url:
        formula = Recognizer.connect(url).read(fraction().ink)
    assert len(formula.notes[0]) <= 300
    assert "<b>" not in formula._repr_html_()


def test_a_redirection_is_not_followed() -> None:
    def elsewhere(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        send(handler, 307, b"", Location="http://127.0.0.1:1/")

    with answering(elsewhere) as url, pytest.raises(SanError, match="the service is elsewhere"):
        Recognizer.connect(url, TOKEN).read(fraction().ink)


@pytest.mark.parametrize("announced", [True, False])
def test_an_endless_answer(announced: bool) -> None:
    def endless(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        handler.send_response(200)
        if announced:
            handler.send_header("Content-Length", str(10**12))
        handler.end_headers()
        for _ in range(MAX_ANSWER_BYTES // 10**6 + 2):
            handler.wfile.write(bytes(10**6))

    with answering(endless) as url, pytest.raises(SanError, match="more than 16,000,000 bytes"):
        Recognizer.connect(url).read(fraction().ink)


def test_a_server_that_drips() -> None:
    stop = threading.Event()

    def dripping(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Drip: ")
        while not stop.wait(0.05):
            handler.wfile.write(b"x")

    with answering(dripping) as url:
        with pytest.raises(SanError, match=r"no answer in time$"):
            Recognizer.connect(url, timeout=0.4).read(Ink.of([[(0, 0), (9, 9)]]))
        stop.set()


def test_what_is_no_http() -> None:
    def nonsense(handler: BaseHTTPRequestHandler, body: bytes) -> None:
        handler.wfile.write(b"SSH-2.0-nonsense\r\n\r\n")

    with answering(nonsense) as url, pytest.raises(SanError, match="does not speak HTTP"):
        Recognizer.connect(url).read(fraction().ink)
