"""The page's files: compressed, kept by browsers under their version, asked for without it."""

import gzip
import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from starlette.datastructures import Headers

from san.serve.page_files import PageFiles
from san.serve.problems import Problem

PLAIN = Headers({})
COMPRESSED = Headers({"accept-encoding": "gzip, br"})
SCRIPT = b"export const one = 1; // and only one\n" * 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "js").mkdir()
    (tmp_path / "js" / "main.js").write_bytes(SCRIPT)
    (tmp_path / "index.html").write_bytes(b'<script src="static/js/main.js"></script>')
    return tmp_path


def test_the_page_names_its_files_by_their_version(folder: Path) -> None:
    files = PageFiles(folder)
    page = bytes(files.page(PLAIN).body).decode()
    assert page == f'<script src="static/{files.version}/js/main.js"></script>'
    kept = files.response(f"{files.version}/js/main.js", PLAIN)
    assert kept.body == SCRIPT
    assert "immutable" in kept.headers["cache-control"]
    assert files.response("js/main.js", PLAIN).headers["cache-control"] == "no-cache"
    assert files.page(PLAIN).headers["cache-control"] == "no-cache"


def test_another_file_is_another_version(folder: Path) -> None:
    before = PageFiles(folder)
    assert PageFiles(folder).version == before.version
    (folder / "js" / "main.js").write_bytes(SCRIPT + b"//")
    after = PageFiles(folder)
    assert after.version != before.version
    with pytest.raises(Problem, match="no such file"):  # which a browser would keep for good
        after.response(f"{before.version}/js/main.js", PLAIN)


def test_compressed_for_those_who_understand_it(folder: Path) -> None:
    (folder / "noise.bin").write_bytes(bytes(range(256)))
    files = PageFiles(folder)
    small = files.response("js/main.js", COMPRESSED)
    assert small.headers["content-encoding"] == "gzip"
    assert gzip.decompress(bytes(small.body)) == SCRIPT
    assert len(small.body) < len(SCRIPT) / 4
    assert "content-encoding" not in files.response("js/main.js", PLAIN).headers
    assert "content-encoding" not in files.response("noise.bin", COMPRESSED).headers


def test_what_a_browser_has_is_not_sent_again(folder: Path) -> None:
    files = PageFiles(folder)
    etag = files.response("js/main.js", PLAIN).headers["etag"]
    again = files.response("js/main.js", Headers({"if-none-match": etag}))
    assert (again.status_code, again.body) == (304, b"")
    assert files.response("js/main.js", Headers({"if-none-match": '"other"'})).status_code == 200


def test_the_page_names_all_scripts_at_once(client: TestClient) -> None:
    page = client.get("/").text
    named = re.findall(r'<link rel="modulepreload" href="static/\w+/js/([\w.]+)" />', page)
    assert len(set(named)) == len(named)
    for name in ("main.js", *named):
        script = client.get(f"/static/js/{name}").text
        assert set(re.findall(r'from "\./([\w.]+)"', script)) <= set(named), name


@pytest.mark.parametrize(
    ("languages", "texts"),
    [("de-AT,de;q=0.9,en;q=0.8", ["de"]), ("fr, zh-CN;q=0.9", ["zh"]), ("en-GB,de", []), ("", [])],
)
def test_the_page_comes_with_its_texts(
    client: TestClient, languages: str, texts: list[str]
) -> None:
    told = client.get("/", headers={"Accept-Language": languages}).headers
    assert told["Vary"] == "Accept-Encoding, Accept-Language"  # a cache between keeps them apart
    link = told.get("Link", "")
    named = re.findall(r'^<(static/\w+/js/texts\.\w+\.js)>; rel="modulepreload"$', link)
    assert [path[-5:-3] for path in named] == texts
    assert all(client.get(f"/{path}").status_code == 200 for path in named)


def test_all_that_the_page_names_is_served(client: TestClient) -> None:
    named = re.findall(r'"(static/[^"]+)"', client.get("/").text)
    assert len(named) > 5
    for path in named:
        answer = client.get(f"/{path}")
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    part = client.get(f"/{named[0]}", headers={"Range": "bytes=2-5"})
    assert part.status_code == 200  # the whole of it, as HTTP allows
