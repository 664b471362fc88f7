"""`python -m san` is the command `san`."""

import subprocess
import sys

import pytest

from san import __version__

pytestmark = pytest.mark.slow


def run(*command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, timeout=120, check=False
    )


def test_the_package_is_run_as_the_command() -> None:
    done = run("-m", "san", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"san {__version__}\n", "")
    done = run("-m", "san", "tree")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("san: Missing argument")
    assert done.stderr.count("\n") == 1
