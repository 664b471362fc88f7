"""`san` and `python -m san` are one command, which may be interrupted while it begins."""

import subprocess
import sys
import tomllib

import pytest

from san import __version__
from tests.conftest import REPOSITORY

pytestmark = pytest.mark.slow

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
MODULE, _, FUNCTION = PROJECT["scripts"]["san"].partition(":")
BEGINNINGS = (
    f"from {MODULE} import {FUNCTION}; {FUNCTION}()",  # as the installed script does
    "import runpy; runpy.run_module('san', run_name='__main__')",
)
INTERRUPTED = """
import signal, sys

class Interrupter:
    def find_spec(self, name, *_):
        if name == "san.cli.console":
            signal.raise_signal(signal.SIGINT)

signal.signal(signal.SIGINT, signal.{handler})
sys.meta_path.insert(0, Interrupter())
{beginning}
"""


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


@pytest.mark.parametrize("beginning", BEGINNINGS)
@pytest.mark.parametrize(
    ("handler", "code", "printed"),
    [("default_int_handler", 130, ""), ("SIG_IGN", 0, f"san {__version__}\n")],
)
def test_who_interrupts_the_imports_sees_no_traceback(
    beginning: str, handler: str, code: int, printed: str
) -> None:
    done = run("-c", INTERRUPTED.format(handler=handler, beginning=beginning), "--version")
    assert (done.returncode, done.stdout, done.stderr) == (code, printed, "")


def test_once_it_runs_an_interrupt_is_pythons_again() -> None:
    begun = "import signal; from san.cli import main as cli; "
    told = "cli.main = lambda: print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    heard = "; signal.signal(signal.SIGINT, signal.default_int_handler); "
    assert run("-c", begun + told + heard + BEGINNINGS[0]).stdout == "True\n"
