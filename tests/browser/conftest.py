"""The page in a real browser, before a real service.

- The system's Chromium, driven by playwright; where either is missing these tests skip.
  Its headless shell draws nothing but pages, and takes half the time.
- One service for all tests, as `san serve` starts it, on a port of its own.
- A page may log no error: a script that the security policy stops, a missing file, an exception.
"""

import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # this file is also read where playwright is missing, and the tests skip
    from playwright.sync_api import Browser, BrowserContext, CDPSession, Page

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
START = "from san.cli.main import main; main()"
STARTING = 60.0  # seconds
PATIENCE = 20.0  # with the page, on a machine that has other work too


class Service:
    """`san serve` in a process of its own."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *options: str) -> None:
        command = [sys.executable, "-c", START, "serve", "--port", str(self.port), *options]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until = time.monotonic() + STARTING
        while not self._answers():
            assert self._process.poll() is None, "san serve ended by itself"
            assert time.monotonic() < until, "san serve does not answer"
            time.sleep(0.1)

    def stop(self) -> None:
        if self._process:
            self._process.terminate()
            self._process.wait(30)
            self._process = None

    @property
    def running(self) -> bool:
        return self._process is not None

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}readyz", timeout=1):
                return True
        except OSError:
            return False


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    pytest.importorskip("fastapi", reason="the service is not installed: pip install '.[serve]'")
    own = Service(free_port())
    own.start()
    yield own
    own.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=1000 * PATIENCE)
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        # Chromium refuses its sandbox to root, as whom a container's tests run.
        opened = playwright.chromium.launch(executable_path=path, chromium_sandbox=False)
        yield opened
        opened.close()


@pytest.fixture
def settings() -> dict[str, Any]:
    """Of the browser's window; a test module may have its own."""
    return {"viewport": {"width": 1280, "height": 800}}


@pytest.fixture(scope="session")
def windows(browser: "Browser") -> Iterator[dict[str, tuple["BrowserContext", "CDPSession"]]]:
    """Windows by their settings, each with an empty page: what a test has loaded, the next finds
    in the cache."""
    opened: dict[str, tuple[BrowserContext, CDPSession]] = {}
    yield opened
    for window, _ in opened.values():
        window.close()


@pytest.fixture
def context(
    browser: "Browser",
    windows: dict[str, tuple["BrowserContext", "CDPSession"]],
    service: Service,
    settings: dict[str, Any],
) -> Iterator["BrowserContext"]:
    """A window in which nothing is stored, for one test."""
    if not service.running:
        service.start()
    if (name := repr(settings)) not in windows:
        opened = browser.new_context(base_url=service.url, **settings)
        opened.set_default_timeout(1000 * PATIENCE)
        windows[name] = opened, opened.new_cdp_session(opened.new_page())
    window, devtools = windows[name]
    yield window
    for page in window.pages[1:]:
        page.close()
    stored = {"origin": service.url, "storageTypes": "cookies,local_storage,indexeddb"}
    devtools.send("Storage.clearDataForOrigin", stored)


@pytest.fixture(scope="module")
def scripts(browser: "Browser", service: Service) -> Iterator["Page"]:
    """A page for tests of single scripts: one for all tests of a module, and nothing is written."""
    if not service.running:
        service.start()
    opened = browser.new_page(base_url=service.url, viewport={"width": 1280, "height": 800})
    opened.goto("")
    yield opened
    opened.close()


@pytest.fixture
def faults() -> list[str]:
    """What the page logged as errors; a test that provokes some takes them out."""
    return []


@pytest.fixture
def page(context: "BrowserContext", faults: list[str]) -> Iterator["Page"]:
    opened = context.new_page()
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    opened.goto("")
    yield opened
    assert faults == []
