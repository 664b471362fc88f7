"""Firefox without a driver: Marionette, the protocol that it speaks itself, is JSON over a socket.

Playwright drives a Firefox of its own alone, and geckodriver, which Selenium needs, is not among
Debian's packages; it would translate for Marionette. Only what a test of the page needs is here.
"""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

FIREFOXES = ("firefox-esr", "firefox")
STARTING = 30.0  # seconds
PATIENCE = 20.0
POLL = 0.05
PREFERENCES = {
    "dom.events.testing.asyncClipboard": True,  # nobody is asked whether a test may use it
    "intl.accept_languages": "en-US",
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.disabledForTesting": True,
}


def installed() -> str | None:
    return next(filter(None, map(shutil.which, FIREFOXES)), None)


class Firefox:
    """A headless Firefox with an empty profile, on one page."""

    def __init__(self, program: str, profile: Path, port: int) -> None:
        lines = (
            f"user_pref({json.dumps(name)}, {json.dumps(value)});\n"
            for name, value in {**PREFERENCES, "marionette.port": port}.items()
        )
        (profile / "user.js").write_text("".join(lines), "utf-8")
        command = [program, "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdout=quiet, stderr=quiet)
        self._socket = self._connected(port)
        self._number = 0
        self._received()  # it introduces itself
        self.ask("WebDriver:NewSession", capabilities={})

    def ask(self, command: str, **parameters: Any) -> Any:
        """What Firefox answers to a command of WebDriver."""
        self._number += 1
        message = json.dumps([0, self._number, command, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self._received()
        assert not error, f"{command}: {error}"
        return result["value"] if isinstance(result, dict) and "value" in result else result

    def run(self, script: str, *arguments: Any) -> Any:
        """The result of JavaScript on the page; it may be a promise."""
        return self.ask("WebDriver:ExecuteScript", script=script, args=list(arguments))

    def wait_for(self, script: str, wanted: Any) -> None:
        until = time.monotonic() + PATIENCE
        while (found := self.run(script)) != wanted:
            assert time.monotonic() < until, f"{script}: {found!r}, not {wanted!r}"
            time.sleep(POLL)

    def point(self, moves: Iterable[tuple[str, float, float]]) -> None:
        """The mouse: each move goes "to" a place, and then the button goes "down" or "up" there."""
        actions: list[dict[str, Any]] = []
        for what, x, y in moves:
            actions.append({"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0})
            if what != "to":
                actions.append({"type": f"pointer{what.capitalize()}", "button": 0})
        self._act("pointer", actions)

    def press(self, keys: str) -> None:
        """Keys by their characters, one after the other, as WebDriver writes them."""
        kinds = ("keyDown", "keyUp")
        self._act("key", [{"type": kind, "value": key} for key in keys for kind in kinds])

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(10)
        self._socket.close()

    def _act(self, kind: str, actions: list[dict[str, Any]]) -> None:
        self.ask(
            "WebDriver:PerformActions", actions=[{"type": kind, "id": kind, "actions": actions}]
        )

    def _connected(self, port: int) -> socket.socket:
        until = time.monotonic() + STARTING
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), PATIENCE)
            except OSError:
                assert self._process.poll() is None, "Firefox ended by itself"
                assert time.monotonic() < until, "Firefox does not answer"
                time.sleep(POLL)

    def _received(self) -> Any:
        """A message: its length, a colon, and JSON."""
        head = b""
        while not head.endswith(b":"):
            head += self._socket.recv(1)
        content = b""
        while len(content) < int(head[:-1]):
            content += self._socket.recv(1 << 16)
        return json.loads(content)
