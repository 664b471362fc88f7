"""From bodies to what the reader takes."""

import json

import pytest
from PIL import Image

from san.ink import Ink, InkError
from san.reader import Limits
from san.serve import sources
from san.serve.problems import Problem
from tests.serve.conftest import encoded
from tests.serve.test_refusals import claims

HEAD = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n'
KIND = "multipart/form-data; boundary=x"


def test_a_form_keeps_every_byte() -> None:
    content = bytes(range(256)) * 20_000 + b"\r\n--y\r\n\r\n--"  # more than fits a parser's buffer
    for head in (HEAD, HEAD.replace(b'; filename="a.png"', b"")):
        assert sources.image_source(head + b"\r\n" + content + b"\r\n--x--\r\n", KIND) == content


def test_a_form_may_be_in_base64() -> None:
    body = HEAD + b"Content-Transfer-Encoding: base64\r\n\r\nc2Fu\r\n--x--\r\n"
    assert sources.image_source(body, KIND) == b"san"
    with pytest.raises(Problem, match="not a form"):
        sources.image_source(body.replace(b"base64", b"rot13"), KIND)


def test_one_file_at_a_time() -> None:
    part = HEAD + b"\r\nsan\r\n"
    with pytest.raises(Problem, match="not 2"):
        sources.image_source(part + part + b"--x--\r\n", KIND)


def test_ink_is_told_by_its_first_letter() -> None:
    assert isinstance(sources.ink_source(b' {"strokes": [[[1, 2]]]}', Limits()), Ink)
    for inkml in (b"<ink/>", b"\n <ink/>", b"\xef\xbb\xbf<ink/>"):
        assert sources.ink_source(inkml, Limits()) == inkml


def test_how_large_an_image_claims_to_be() -> None:
    limits = Limits(pixels=25_000_000)
    assert 600 < sources.price_of(encoded(Image.new("L", (30, 20)), "JPEG"), limits) < 900
    assert sources.price_of(claims(5_000, 4_000), limits) > 20_000_000
    assert sources.price_of(claims(9_000, 4_000), limits) == 0  # refused without being opened
    assert sources.price_of(b"nonsense", limits) == 0
    assert sources.price_of(Ink.of([[[1, 2]]]), limits) == 0


def test_strokes_are_counted_before_they_are_built(monkeypatch: pytest.MonkeyPatch) -> None:
    def built(*_: object) -> None:
        raise AssertionError("it was taken apart")

    limits = Limits(strokes=1_000, points=50_000)
    exact = json.dumps({"strokes": [[[0, 0]] * 50] * 1_000}).encode()
    assert len(sources.ink_source(exact, limits).strokes) == 1_000  # type: ignore[union-attr]
    monkeypatch.setattr(sources.requests.InkRequest, "model_validate_json", built)
    many = json.dumps({"strokes": [[[0, 0]]] * 200_000}).encode()
    with pytest.raises(InkError, match="more than 1,000 strokes or 50,000 points"):
        sources.ink_source(many, limits)
