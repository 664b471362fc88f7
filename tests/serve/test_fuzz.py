"""Strangers: whatever is sent, the answer is a formula or a problem, never an error of ours."""

import random
from collections import Counter
from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)  # fmt: skip

from san.ink import write_inkml
from san.serve.app import create_app
from tests.ink.formulas import fraction
from tests.serve.conftest import picture, recognizer
from tests.serve.test_refusals import refusal

pytestmark = pytest.mark.slow

IMAGES = {name: picture(name) for name in ("PNG", "JPEG", "GIF", "TIFF", "WEBP", "BMP")}
INKML = write_inkml(fraction())
CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance,
    response_headers_conformance, response_schema_conformance,
]  # fmt: skip
QUICK = settings(
    max_examples=12, deadline=None, database=None, derandomize=True,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


def mutated(content: bytes, seed: int) -> bytes:
    """A few bytes changed, cut out, doubled or put in."""
    dice, changed = random.Random(seed), bytearray(content)
    for _ in range(dice.randint(1, 6)):
        at = dice.randrange(len(changed))
        # Headers are where the harm is: most changes fall there.
        at = at if dice.random() < 0.5 else at % 64
        span = slice(at, at + dice.randint(1, 40))
        match dice.randrange(4):
            case 0:
                changed[at] = dice.randrange(256)
            case 1:
                del changed[span]
            case 2:
                changed[at:at] = changed[span]
            case 3:
                changed[at:at] = dice.randbytes(dice.randint(1, 8))
        changed = changed or bytearray(b"\0")
    return bytes(changed)


def check(answer: Any) -> None:
    if answer.status_code != 200:
        refusal(answer, 422 if answer.status_code == 422 else 400)


@pytest.mark.parametrize("format", IMAGES)
@QUICK
@given(seed=st.integers(0, 2**32))
def test_images(client: TestClient, format: str, seed: int) -> None:
    content = mutated(IMAGES[format], seed)
    check(client.post("/api/v1/read?n_best=1", content=content))


@settings(QUICK, max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_inkml(client: TestClient, seed: int) -> None:
    check(client.post("/api/v1/ink?n_best=1", content=mutated(INKML, seed)))


@settings(QUICK, max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_forms(client: TestClient, seed: int) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n'
    form = head + b"Content-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--x--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    content = mutated(form, seed)
    check(client.post("/api/v1/read?n_best=1", content=content, headers=headers))


@settings(QUICK, max_examples=40)
@given(content=st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
@pytest.mark.parametrize("path", ["read", "ink", "document"])
def test_noise(client: TestClient, path: str, content: bytes) -> None:
    check(client.post(f"/api/v1/{path}", content=content))


def test_all_that_the_document_allows_and_more() -> None:
    schema = schemathesis.openapi.from_asgi("/openapi.json", create_app(recognizer()))
    asked = Counter[str]()

    @settings(QUICK, max_examples=8)
    @given(data=st.data())
    def ask(data: st.DataObject) -> None:
        case: Any = data.draw(cases)
        case.call_and_validate(checks=CHECKS)
        asked[case.operation.label] += 1

    for operation in (one.ok() for one in schema.get_all_operations()):
        # What takes nothing can be given nothing wrong.
        for mode in GenerationMode if operation.method == "post" else [GenerationMode.POSITIVE]:
            cases = operation.as_strategy(generation_mode=mode)
            ask()
    assert len(asked) == 9
    assert min(asked["POST /api/v1/read"], asked["POST /api/v1/ink"]) >= 12
