"""Who may ask, and what every answer carries."""

import logging

import pytest
from fastapi.testclient import TestClient

from san.errors import SanError
from san.serve import app as module
from san.serve.app import create_app
from san.serve.guard import HEADERS
from san.serve.settings import Settings
from tests.serve.conftest import asking, recognizer, strokes
from tests.serve.test_refusals import refusal

INK = {"strokes": strokes()}


def test_every_answer_has_security_headers(client: TestClient) -> None:
    answers = [
        client.get(path)
        for path in ("/", "/docs", "/healthz", "/metrics", "/openapi.json", "/static/manual.css")
    ]
    answers += [client.get("/nothing"), client.post("/api/v1/ink", json=INK), client.put("/")]
    answers += [client.post("/api/v1/ink", content=bytes(3_000_000))]
    for answer in answers:
        for name, value in HEADERS.items():
            assert answer.headers[name] == value, answer.url
    policy = answers[0].headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "http" not in policy  # no other host
    assert answers[7].headers["Cache-Control"] == "no-store"


def test_an_error_of_ours_says_so_and_no_more(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*given: object) -> None:
        raise RuntimeError("the inside")

    monkeypatch.setattr(module, "_as_json", broken)
    with asking() as client, caplog.at_level(logging.ERROR):
        answer = client.post("/api/v1/ink", json=INK)
        assert "inside" not in refusal(answer, 500)
        assert answer.headers["Content-Security-Policy"]
        assert "the inside" in caplog.text
        monkeypatch.undo()
        assert client.post("/api/v1/ink", json=INK).status_code == 200  # it lives on


def test_a_token() -> None:
    with asking(Settings(token="s3cret")) as client:
        for path in ("/", "/docs", "/healthz", "/readyz", "/static/manual.css"):
            assert client.get(path).status_code == 200
        for path in ("/metrics", "/openapi.json", "/nothing"):
            refusal(client.get(path), 401)
        assert "Authorization: Bearer" in client.get("/docs").text
        for given in ("", "Bearer", "Bearer wrong", "Basic s3cret", "s3cret", "Bearer s3cretX"):
            answer = client.post("/api/v1/ink", json=INK, headers={"Authorization": given})
            wrong = given in ("Bearer wrong", "Bearer s3cretX")
            said = "the bearer token is wrong" if wrong else "a bearer token is wanted"
            assert refusal(answer, 401) == said
            assert answer.headers["www-authenticate"] == "Bearer"
        for given in ("Bearer s3cret", "bearer  s3cret"):
            answer = client.post("/api/v1/ink", json=INK, headers={"Authorization": given})
            assert answer.status_code == 200
        document = client.get("/openapi.json", headers={"Authorization": "Bearer s3cret"}).json()
        assert document["security"] == [{"token": []}]


def test_names() -> None:
    hosts = ("localhost", "127.0.0.1", "[::1]", "san.example")
    with asking(Settings(allowed_hosts=hosts)) as client:
        for host in (
            "localhost",
            "LOCALHOST:8000",
            "127.0.0.1:1",
            "[::1]",
            "[::1]:80",
            "san.example",
        ):
            assert client.get("/healthz", headers={"Host": host}).status_code == 200, host
        for host in ("evil.example", "localhost.evil.example", "[::2]", "", "127.0.0.1:x"):
            answer = client.get("/healthz", headers={"Host": host})
            refusal(answer, 400)
            assert answer.headers["Content-Security-Policy"]


def test_other_sites_are_kept_out_unless_named() -> None:
    asked = {"Origin": "https://site.example", "Access-Control-Request-Method": "POST"}
    with asking() as client:
        assert "access-control-allow-origin" not in client.get("/healthz", headers=asked).headers
        refusal(client.options("/api/v1/ink", headers=asked), 405)
    settings = Settings(allowed_origins=("https://site.example",), token="t")
    with asking(settings) as client:
        allowed = client.options("/api/v1/ink", headers=asked)
        assert allowed.status_code == 200
        assert allowed.headers["access-control-allow-origin"] == "https://site.example"
        assert allowed.headers["X-Content-Type-Options"] == "nosniff"
        other = client.get("/healthz", headers={"Origin": "https://evil.example"})
        assert "access-control-allow-origin" not in other.headers


@pytest.mark.parametrize(
    ("origin", "complaint"),
    [
        ("https://site.example/", "browsers call it https://site.example$"),
        ("HTTPS://Site.example", "browsers call it https://site.example$"),
        ("https://site.example:443", "browsers call it https://site.example$"),
        ("https://site.example/notes", "browsers call it https://site.example$"),
        ("site.example", "with its scheme, as https://notes.example.org$"),
        ("http://[", "with its scheme, as https://notes.example.org$"),
        ("https://a b", "with its scheme, as https://notes.example.org$"),
        ("localhost:3000", "with its scheme, as https://notes.example.org$"),
    ],
)
def test_an_origin_that_no_browser_sends_is_refused(origin: str, complaint: str) -> None:
    with pytest.raises(SanError, match=complaint):
        Settings(allowed_origins=(origin,))


@pytest.mark.parametrize(
    "host",
    ["http://site.example/", "site.example/", "site.example:8000", "*", "*.example", "", "a b"],
)
def test_a_host_that_no_request_names_is_refused(host: str) -> None:
    with pytest.raises(SanError, match=r"a name alone, as formulas.example.org$"):
        Settings(allowed_hosts=(host,))


def test_origins_and_hosts_as_they_are_sent_are_taken() -> None:
    origins = ("*", "null", "http://localhost:3000", "https://site.example", "http://[::1]:8080")
    hosts = ("localhost", "::1", "[::1]", "san.example")
    settings = Settings(allowed_origins=origins, allowed_hosts=hosts)
    assert (settings.allowed_origins, settings.allowed_hosts) == (origins, hosts)


def test_two_services_in_one_process_count_for_themselves() -> None:
    one, two = (TestClient(create_app(recognizer())) for _ in range(2))
    one.get("/healthz")
    assert "/healthz" in one.get("/metrics").text
    assert "/healthz" not in two.get("/metrics").text
