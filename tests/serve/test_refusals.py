"""What cannot be answered is one problem with one clear line."""

import gzip
import io
import json
import struct
import zlib
from base64 import b64encode

import pytest
from fastapi.testclient import TestClient
from httpx import Response
from PIL import Image
from pydantic import TypeAdapter

from san.errors import MAX_ECHOED
from san.reader import Limits
from san.serve.requests import SQUARE
from san.serve.responses import ProblemDetails
from san.serve.settings import Settings
from tests.serve.conftest import asking, encoded, picture, strokes

TROUBLE = TypeAdapter(ProblemDetails)
BOMB = b"""<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a "aaaaaaaaaa">
<!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><ink><trace>&b;</trace></ink>"""


def refusal(answer: Response, status: int = 422) -> str:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    said = TROUBLE.validate_python(answer.json(), extra="forbid")
    assert said["status"] == status
    assert said["detail"]
    assert "\n" not in said["detail"]
    assert len(said["detail"]) < 300  # what was sent is not echoed at length
    return said["detail"]


def claims(width: int, height: int) -> bytes:
    """A PNG of a few bytes that says it is large."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [header, b"IDAT" + zlib.compress(b"\0"), b"IEND"]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
        for chunk in chunks
    )


@pytest.mark.parametrize(
    ("content", "status", "detail"),
    [
        (b"", 400, "nothing was sent"),
        (b"nonsense", 422, "GIF or HEIC image"),
        (picture()[:200], 422, "damaged"),
        (claims(60_000, 60_000), 422, "more than 25,000,000 pixels"),
        (encoded(Image.new("L", (300, 200), 255)), 422, "no ink"),
        (BOMB, 422, "refused"),
    ],
)
@pytest.mark.slow
def test_images(client: TestClient, content: bytes, status: int, detail: str) -> None:
    assert detail in refusal(client.post("/api/v1/read", content=content), status)


@pytest.mark.parametrize(
    "files",
    [
        {"other": ("x.png", io.BytesIO(picture()), "image/png")},
        {"file": ("x.png", io.BytesIO(b""), "image/png")},
    ],
)
def test_forms_without_a_file(client: TestClient, files: dict[str, object]) -> None:
    refusal(client.post("/api/v1/read", files=files), 400)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "kind",
    ["multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=x"],
)
@pytest.mark.parametrize("content", [b"nonsense", b"--x\r\n\r\n", b"--x--\r\n", b"--x\r\nA" * 9])
def test_forms_that_are_none(client: TestClient, kind: str, content: bytes) -> None:
    refusal(client.post("/api/v1/read", content=content, headers={"Content-Type": kind}), 400)


def test_forms_of_many_parts(client: TestClient) -> None:
    part = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = client.post("/api/v1/read", content=part * 999 + b"--x--\r\n", headers=headers)
    assert "more than 100 parts" in refusal(answer, 400)


@pytest.mark.parametrize(
    ("content", "detail"),
    [
        (b"{", "Invalid JSON"),
        (b"[]", "object"),
        (b'{"strokes": []}', "strokes: needs 1 or more"),
        (b'{"strokes": [[]]}', "strokes.0: needs 1 or more"),
        (b'{"strokes": [[[1]]]}', "strokes.0.0: a point is [x, y]"),
        (b'{"strokes": [[1, 2], [3, 4]]}', "strokes.0.0: a point is [x, y]"),
        (b'{"strokes": [[[1, 2, 3, 4, 5, 6, 7, 8, 9]]]}', "strokes.0.0: takes 8 at most"),
        (b'{"strokes": [[["1", "2"]]]}', "valid number"),
        (b'{"strokes": [[[true, 2]]]}', "valid number"),
        (b'{"strokes": [[[1e999, 2]]]}', "finite"),
        (b'{"strokes": [[[NaN, 2]]]}', "finite"),
        (b'{"strokes": [[[1e30, 2]]]}', "coordinate"),
        (b'{"strokes": [[[1' + b"0" * 6000 + b", 2]]]}", "out of range"),
        (b'{"strokes": [[[1, 2]]], "colour": "red"}', "colour: no such field"),
        (b'{"strokes": [[[1, 2]]], "page": 2}', "page: no such field"),
        (b"{}", "strokes: is missing"),
        (b'{"strokes": ' + b"[" * 100_000, "more than 1,000 strokes or 50,000 points"),
        (b'{"strokes": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", "Invalid JSON"),
        (b'{"strokes": [' + b'"x",' * 400_000 + b"1]}", "strokes.0"),  # but one fault is told
        (b'{"strokes": [' + b"[[1, 2]]," * 1000 + b"[[1, 2]]]}", "more than 1,000 strokes"),
        (b'{"strokes": [[' + b"[1,2]," * 50_000 + b"[1,2]]]}", "more than 50,000 points"),
        (b"<ink/>", "no trace"),
        (b"<html/>", "not InkML"),
        (b"\xef\xbb\xbf<ink><trace>1 2", "not well-formed"),
        (BOMB, "refused"),
        (b"\xff\xfe\x00", "Invalid JSON"),
        (b'<?xml version="1.0" encoding="' + b"a" * 9_999 + b'"?><ink/>', "unknown encoding"),
    ],
)
def test_ink(client: TestClient, content: bytes, detail: str) -> None:
    assert detail in refusal(client.post("/api/v1/ink", content=content))


def test_an_image_where_ink_is_wanted(client: TestClient) -> None:
    said = "an image: send it to /api/v1/read"
    for content in (picture(), picture("WEBP"), picture()[:200]):
        assert refusal(client.post("/api/v1/ink", content=content)) == said
    assert refusal(client.post("/api/v1/ink", json={"image": "iVBORw0KGgo"})) == said
    assert refusal(client.post("/api/v1/ink", content=b"%PDF-1.7")).startswith("a PDF: send it")
    as_form = client.post("/api/v1/ink", files={"file": ("x.png", io.BytesIO(picture()))})
    assert refusal(as_form).startswith("a form: send ink as the body itself")


def test_an_image_that_is_called_json_is_read_as_a_page(client: TestClient) -> None:
    kind = {"Content-Type": "application/json"}
    assert client.post("/api/v1/page", content=picture(), headers=kind).status_code == 200


@pytest.mark.parametrize("path", ["read", "document"])
@pytest.mark.parametrize("content", ["[]", ' {"strokes": [[[1, 2]]]}', "null", "7", "{}"])
def test_json_that_is_no_image(client: TestClient, path: str, content: str) -> None:
    kind = {"Content-Type": "application/json"}
    answer = client.post(f"/api/v1/{path}", content=content, headers=kind)
    assert refusal(answer) == "JSON without an `image` in base64: strokes go to /api/v1/ink"


@pytest.mark.parametrize("content", ['{"picture": ', "{'image': 'aGk='}", '{"image": "aGk='])
def test_an_image_in_json_that_is_none(client: TestClient, content: str) -> None:
    kind = {"Content-Type": "application/json"}
    for path in ("read", "document", "page"):
        answer = client.post(f"/api/v1/{path}", content=content, headers=kind)
        assert refusal(answer).startswith("Invalid JSON: ")


def test_json_may_be_spelt_otherwise(client: TestClient) -> None:
    content = json.dumps({"image": b64encode(picture()).decode()}).replace("image", r"im\u0061ge")
    kind = {"Content-Type": "application/json"}
    assert client.post("/api/v1/read", content=content, headers=kind).status_code == 200


@pytest.mark.parametrize(
    ("kind", "detail"),
    [
        ("multipart/form-data", "a form without a boundary: its Content-Type is to name it"),
        ("multipart/form-data; boundary=x", "not a form: it begins without the boundary"),
    ],
)
def test_an_image_that_is_called_a_form(client: TestClient, kind: str, detail: str) -> None:
    answer = client.post("/api/v1/read", content=picture(), headers={"Content-Type": kind})
    assert refusal(answer, 400).startswith(detail)


def test_a_compressed_body(client: TestClient) -> None:
    for path, content in (("read", picture()), ("ink", b"<ink/>")):
        body, packed = gzip.compress(content), {"Content-Encoding": "gzip"}
        answer = client.post(f"/api/v1/{path}", content=body, headers=packed)
        assert refusal(answer, 415) == "Content-Encoding gzip: send the body as it is"
    plain = {"Content-Encoding": "identity"}
    assert client.post("/api/v1/read", content=picture(), headers=plain).status_code == 200


def test_names_of_fields_are_not_echoed_at_length(client: TestClient) -> None:
    answer = client.post("/api/v1/ink", json={"strokes": strokes(), "x" * 9_999: 1})
    assert "x" * MAX_ECHOED + "...: " in refusal(answer)


def test_ink_of_nothing(client: TestClient) -> None:
    refusal(client.post("/api/v1/ink", content=b" \n"), 400)


@pytest.mark.parametrize(
    "query", "n_best=0 n_best=11 n_best= nbest=3 beam=11 beam=x boxes=maybe formats=pdf".split()
)
def test_options(client: TestClient, query: str) -> None:
    name = query.partition("=")[0]
    assert name in refusal(client.post(f"/api/v1/ink?{query}", json={"strokes": strokes()}))


def test_options_that_there_are_not(client: TestClient) -> None:
    ink = {"strokes": strokes()}
    there = "those are: n_best, beam, upright, boxes, attention, formats"
    said = refusal(client.post("/api/v1/ink?nbest=3", json=ink))
    assert said == f"nbest: no such option; {there}"
    said = refusal(client.post("/api/v1/ink", json=ink | {"n_best": 3}))
    assert said == f"n_best: options go in the query, as ?n_best=; {there}"
    said = refusal(client.post("/api/v1/document?pages=3", content=picture()))
    assert said == "pages: no such option; those are: page"
    assert "x" * MAX_ECHOED + "...: " in refusal(
        client.post(f"/api/v1/ink?{'x' * 999}=1", json=ink)
    )
    said = refusal(client.post("/api/v1/write?formats=tree", json={"latex": "x"}))
    assert said == "formats: no such option; what is wanted goes in the JSON"
    assert refusal(client.post("/api/v1/inkml?x=1", json=ink | {"latex": "1"})).startswith("x: no")
    # No options there, so nothing is said of them.
    assert refusal(client.post("/api/v1/write", json={"latex": "x", "beam": 3})) == (
        "beam: no such field"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"symbols": [{"symbol": "x", "parent": 3, "relation": "sup"}]},
        {"symbols": [{"symbol": r"\nonsense"}]},
        {"symbols": [{"symbol": "x"}, {"symbol": "y", "parent": 0, "relation": "beside"}]},
        {"symbols": [{"symbol": "x"}, {"symbol": "y", "parent": -1, "relation": "sup"}]},
        {"symbols": "x"},
        {"symbols": [{"symbol": "x"}] * 2_001},
        {"symbols": [{"symbol": "x" * 9_999}]},  # not echoed
        {"symbols": [{"symbol": "\ud800"}]},  # which JSON can escape and no text can hold
        {"symbols": [{"symbol": "x"}, {"symbol": "y", "parent": 0, "relation": "\udfff"}]},
    ],
)
def test_trees(client: TestClient, change: dict[str, object]) -> None:
    content = json.dumps({"expression": SQUARE | change})
    headers = {"Content-Type": "application/json"}
    refusal(client.post("/api/v1/write", content=content, headers=headers))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ({"latex": r"\frac{1}"}, "argument 2 at the end"),
        ({"latex": r"\foo"}, r"unknown command \foo at character 1"),
        ({"latex": "x" * 2_001}, "more than 2,000 symbols"),
        ({"latex": "x" * 20_001}, "20000"),
        ({}, "either expression or latex"),
        ({"latex": "x", "expression": SQUARE}, "either expression or latex"),
    ],
)
def test_latex_that_is_none(client: TestClient, question: dict[str, object], said: str) -> None:
    found = refusal(client.post("/api/v1/write", json=question))
    assert said in found
    assert "Value error" not in found


@pytest.mark.parametrize(
    "content", [b"{", b"", b"[" * 100_000, b'{"expression": ' * 20_000, b"\xff", b"null"]
)
@pytest.mark.parametrize("path", ["write", "inkml"])
def test_json_that_is_none(client: TestClient, path: str, content: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    answer = client.post(f"/api/v1/{path}", content=content, headers=headers)
    refusal(answer, 400 if answer.status_code == 400 else 422)


@pytest.mark.parametrize(
    "change",
    [
        {"latex": r"\frac{1}"},
        {"latex": "\x00"},
        {"symbols": [{"symbol": "x", "strokes": [99]}]},
        {"symbols": [{"symbol": "x", "strokes": []}]},
        {"symbols": [{"symbol": "x", "strokes": [-1]}]},
        {"symbols": [{"symbol": "\x00", "strokes": [0]}]},
        {"symbols": [{"symbol": "<script>", "strokes": [0]}]},
        {"strokes": [[[1e30, 0]]]},
        {"strokes": [[[0, 0]]] * 1_001},
        {"strokes": [[[0, 0]] * 50_001]},
        {"latex": "x" * 20_001},
        {"latex": "\\" + "x" * 9_999},
        {"latex": r"\begin{" + "x" * 9_999 + "}"},
    ],
)
def test_truths(client: TestClient, change: dict[str, object]) -> None:
    question: dict[str, object] = {"strokes": strokes(), "latex": "x"}
    refusal(client.post("/api/v1/inkml", json=question | change))


def test_paths_and_methods(client: TestClient) -> None:
    refusal(client.get("/nothing"), 404)
    answer = client.get("/api/v1/read")
    refusal(answer, 405)
    assert answer.headers["allow"] == "POST"
    refusal(client.post("/healthz"), 405)


@pytest.mark.parametrize("path", ["../app.py", "%2e%2e/app.py", "..%2fapp.py", "js/../../app.py"])
def test_no_way_out_of_the_page(client: TestClient, path: str) -> None:
    refusal(client.get(f"/static/{path}"), 404)


def test_limits_are_the_settings() -> None:
    limits = Limits(bytes=2_000, pixels=100, strokes=2, points=50)
    with asking(Settings(limits=limits)) as client:
        said = refusal(client.post("/api/v1/read", content=bytes(2_001)), 413)
        assert said == "the body is larger than 2,000 bytes"
        chunks = (bytes(500) for _ in range(5))  # of no announced length
        assert "2,000 bytes" in refusal(client.post("/api/v1/read", content=chunks), 413)
        assert "2,000 bytes" in refusal(client.post("/api/v1/write", content=bytes(2_001)), 413)
