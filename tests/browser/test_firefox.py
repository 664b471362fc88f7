"""A second browser: what everybody does first, in Firefox."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the service is not installed: pip install '.[serve]'")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

from tests.browser.conftest import Service, free_port
from tests.browser.firefox import Firefox, installed
from tests.browser.pen import placed_on, thinned, total

LATEX = """const old = document.body.classList.contains("stale");
return old ? "" : document.getElementById("source").textContent"""
ENTER = "\ue007"


@pytest.fixture
def firefox(service: Service, tmp_path: Path) -> Iterator[Firefox]:
    program = installed()
    if program is None:
        pytest.skip("no Firefox here: apt-get install firefox-esr")
    opened = Firefox(program, tmp_path, free_port())
    opened.ask("WebDriver:Navigate", url=service.url)
    yield opened
    opened.close()


def box_of(firefox: Firefox, selector: str) -> dict[str, float]:
    find = "return document.querySelector(arguments[0]).getBoundingClientRect().toJSON()"
    found: dict[str, float] = firefox.run(find, selector)
    return found


def click(firefox: Firefox, selector: str) -> None:
    box = box_of(firefox, selector)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    firefox.point([("down", x, y), ("up", x, y)])


def test_write_read_correct_and_copy(firefox: Firefox) -> None:
    faults = "window.faults = []; addEventListener('error', ({ message }) => faults.push(message))"
    firefox.run(faults)
    box = box_of(firefox, "#ink")
    for stroke in placed_on((box["x"], box["y"]), (box["width"], box["height"]), total()):
        first, *points = stroke
        moves = [("to", *point) for point in thinned(points)]
        firefox.point([("down", *first), *moves, ("up", *stroke[-1])])
    firefox.wait_for(LATEX, "a+b")
    assert firefox.run("return [...document.fonts].map(({ status }) => status)") == ["loaded"]
    click(firefox, '#formula [data-symbol="0"]')
    firefox.press(f"alpha{ENTER}")
    firefox.wait_for(LATEX, r"\alpha+b")
    click(firefox, "#copy")
    firefox.wait_for("return document.getElementById('notice-text').textContent", "LaTeX copied")
    assert firefox.run("return navigator.clipboard.readText()") == r"\alpha+b"
    assert firefox.run("return window.faults") == []
