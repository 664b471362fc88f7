"""One JSON shape: what Python, the command line and HTTP give is what the schema describes."""

import json
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from fastapi.testclient import TestClient
from tools.formula_schema import FILE, PAGE_FILE, schema

from san.grammar.formats import Format
from san.ink import draw
from san.serve.responses import PageResult
from tests.cli.console import san
from tests.data.drawn import encoded
from tests.ink.formulas import quadratic
from tests.reader.pages.written import lines_of
from tests.serve.conftest import recognizer

SCHEMA = json.loads(FILE.read_text("utf-8"))
INK = {"strokes": [stroke.tolist() for stroke in quadratic().ink.strokes]}


def closed(part: Any) -> Any:
    """The schema without room for more: a field that it does not name is a fault."""
    if isinstance(part, list):
        return [closed(one) for one in part]
    if not isinstance(part, dict):
        return part
    more = {"additionalProperties": False} if part.get("type") == "object" else {}
    return {name: closed(one) for name, one in part.items()} | more


VALIDATOR = jsonschema_rs.Draft202012Validator(closed(SCHEMA))
PAGE_SCHEMA = json.loads(PAGE_FILE.read_text("utf-8"))
PAGE_VALIDATOR = jsonschema_rs.Draft202012Validator(closed(PAGE_SCHEMA))


def test_the_schema_is_that_of_the_types() -> None:
    """After a change: python -m tools.formula_schema"""
    jsonschema_rs.meta.validate(SCHEMA)
    assert schema() == SCHEMA
    written = SCHEMA["properties"].keys() & set(Format)
    assert written == set(Format) - {"json"}
    jsonschema_rs.meta.validate(PAGE_SCHEMA)
    assert schema(PageResult) == PAGE_SCHEMA


@pytest.mark.parametrize("source", ["basel.inkml", "basel.png"])
def test_python(source: str) -> None:
    formula = recognizer().with_beam(3, 3).read(Path("samples") / source)
    VALIDATOR.validate(json.loads(formula.json))
    full = formula.to_dict(list(Format), attention=True)
    VALIDATOR.validate(json.loads(json.dumps(full)))
    assert len(full["alternatives"]) == 2


@pytest.mark.slow
def test_a_page() -> None:
    page = recognizer().read_page(lines_of("x+1=2", "a=b"))
    assert len(page) == 2
    PAGE_VALIDATOR.validate(page.to_dict(list(Format), attention=True))


@pytest.mark.slow
def test_a_page_over_http(client: TestClient) -> None:
    ink = lines_of("x+1=2", "a=b")
    strokes = {"strokes": [stroke.tolist() for stroke in ink.strokes]}
    png = encoded(255 - draw(ink))
    as_ink = client.post("/api/v1/page", json=strokes)
    as_body = client.post("/api/v1/page", content=png, headers={"Content-Type": "image/png"})
    as_form = client.post("/api/v1/page", files={"file": png})
    for answer in (as_ink, as_body, as_form):
        assert answer.status_code == 200
        PAGE_VALIDATOR.validate(answer.json())
        assert [one["latex"] for one in answer.json()["formulas"]] == ["x+1=2", "a=b"]
    second = as_ink.json()["formulas"][1]["expression"]["symbols"]
    assert max(max(symbol["strokes"]) for symbol in second) == len(ink.strokes) - 1
    assert client.post("/api/v1/page", content=b"%PDF-1.4").status_code == 422


@pytest.mark.slow
def test_the_command_line(tmp_path: Path) -> None:
    one = san("read", "samples/basel.inkml", "--format", "json", "--n-best", "2")
    VALIDATOR.validate(json.loads(one.stdout))
    output = tmp_path / "read.jsonl"
    san("read", "samples/basel.inkml", "samples/basel.png", "-o", output)
    lines = output.read_text("utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] != []
    for line in lines:
        VALIDATOR.validate(json.loads(line))


@pytest.mark.slow
def test_http(client: TestClient) -> None:
    query = "&".join(f"formats={form}" for form in Format)
    for path in ("/api/v1/ink", f"/api/v1/ink?attention=true&{query}"):
        VALIDATOR.validate(client.post(path, json=INK).json())


@pytest.mark.slow
def test_python_and_http_say_the_same(client: TestClient) -> None:
    over_http = client.post("/api/v1/ink?n_best=1&formats=lg", json=INK).json()
    over_http.pop("milliseconds")
    assert over_http == json.loads(json.dumps(recognizer().read(quadratic().ink).to_dict(["lg"])))
