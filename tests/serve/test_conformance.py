"""HEAD on every path, and problems where the framework would answer in plain text."""

import pytest
from fastapi.testclient import TestClient

from san.serve.settings import Settings
from tests.serve.conftest import asking
from tests.serve.test_refusals import refusal


@pytest.mark.parametrize(
    "path", ["/", "/healthz", "/readyz", "/metrics", "/docs", "/openapi.json", "/static/manual.css"]
)
def test_head_is_get_without_its_body(client: TestClient, path: str) -> None:
    asked, told = client.head(path), client.get(path)
    assert asked.status_code == 200
    assert asked.content == b""
    names = ["content-type", "content-security-policy"]
    if path != "/metrics":  # which grows
        names.append("content-length")
    assert [asked.headers[name] for name in names] == [told.headers[name] for name in names]


def test_head_where_there_is_nothing_to_get(client: TestClient) -> None:
    assert client.head("/nothing").status_code == 404
    answer = client.head("/api/v1/read")
    assert (answer.status_code, answer.content) == (405, b"")
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("path", ["/docs/", "/healthz/", "/api/v1/read/"])
def test_a_slash_at_the_end_leads_nowhere_else(client: TestClient, path: str) -> None:
    # Behind a proxy the address here is neither with TLS nor below the proxy's path.
    answer = client.post(path) if path.startswith("/api") else client.get(path)
    assert "nothing" in refusal(answer, 404)
    assert "location" not in answer.headers


def test_head_is_counted_under_its_path() -> None:
    with asking() as client:
        client.head("/healthz")
        assert 'san_requests_total{path="/healthz",status="200"}' in client.get("/metrics").text


def test_sites_that_may_not_ask() -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    with asking(Settings(allowed_origins=("https://notes.example.org",))) as client:
        answer = client.options("/api/v1/read", headers=headers)
    assert "origin" in refusal(answer, 400)
    assert "access-control-allow-origin" not in answer.headers
