"""The OpenAPI document: valid, complete, and kept to."""

from html.parser import HTMLParser
from typing import Any

import jsonschema_rs
import pytest
from fastapi.testclient import TestClient

from san.serve.problems import PROBLEM_TYPE
from tests.serve.conftest import picture

DRAFT = "https://json-schema.org/draft/2020-12/schema"


@pytest.fixture(scope="module")
def document(client: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/openapi.json").json()
    return found


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    def look(part: Any) -> None:
        if isinstance(part, dict):
            if "$ref" in part:
                name = part["$ref"].removeprefix("#/components/schemas/")
                assert name in document["components"]["schemas"]
            for inner in part.values():
                look(inner)
        elif isinstance(part, list):
            for inner in part:
                look(inner)

    look(document)
    assert document["openapi"].startswith("3.1")
    for schema in document["components"]["schemas"].values():
        jsonschema_rs.meta.validate({**schema, "$schema": DRAFT})


def test_troubles_are_told(document: dict[str, Any]) -> None:
    for path in ("/api/v1/read", "/api/v1/ink"):
        responses = document["paths"][path]["post"]["responses"]
        assert responses.keys() == {"200", "400", "401", "408", "413", "415", "422", "500", "503"}
        assert "Retry-After" in responses["503"]["headers"]
        assert all(
            PROBLEM_TYPE in responses[code]["content"] for code in responses.keys() - {"200"}
        )
    assert document["components"]["responses"].keys() == {"404", "405"}
    kinds = document["paths"]["/api/v1/read"]["post"]["requestBody"]["content"]
    as_file = {"image/*", "application/octet-stream", "multipart/form-data"}
    assert kinds.keys() == {*as_file, "application/json"}
    kinds = document["paths"]["/api/v1/ink"]["post"]["requestBody"]["content"]
    assert kinds.keys() == {"application/json", "application/inkml+xml", "text/xml"}


@pytest.mark.parametrize("path", ["read", "ink", "document", "write", "inkml"])
def test_examples_work(client: TestClient, document: dict[str, Any], path: str) -> None:
    body = document["paths"][f"/api/v1/{path}"]["post"]["requestBody"]["content"]
    name = body["application/json"]["schema"]["$ref"].rpartition("/")[2]
    for example in document["components"]["schemas"][name]["examples"]:
        assert client.post(f"/api/v1/{path}", json=example).status_code == 200


def test_answers_keep_to_it(client: TestClient, document: dict[str, Any]) -> None:
    answer = client.post("/api/v1/read?attention=true&formats=lg", content=picture())
    schema = {"$ref": "#/components/schemas/Result", "components": document["components"]}
    jsonschema_rs.Draft202012Validator(schema).validate(answer.json())


class Checked(HTMLParser):
    """Every element that is opened is closed."""

    void = ("meta", "link")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert not any(name.startswith("on") or name == "style" for name, _ in attributes)
        self.names.add(tag)
        if tag not in self.void:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_manual_is_a_page_without_scripts(client: TestClient) -> None:
    page = Checked()
    page.feed(client.get("/docs").text)
    page.close()
    assert page.open == []
    assert "table" in page.names
    assert not page.names & {"script", "style", "iframe", "img"}


def test_the_manual_shows_the_address_it_was_opened_at(client: TestClient) -> None:
    text = client.get("/docs", headers={"Host": "formulas.example:81"}).text
    assert "curl http://formulas.example:81/api/v1/read" in text
    assert "127.0.0.1:8000" not in text
    assert "Authorization" not in text  # no token is asked for
    assert "<script" not in client.get("/docs", headers={"Host": "<script>"}).text
    assert 'href="docs"' in client.get("/").text
