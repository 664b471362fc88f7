import subprocess
import sys
from pathlib import Path

import pytest

from san import __version__
from tests.cli.console import complaint, san


def test_version() -> None:
    done = san("--version")
    assert (done.returncode, done.stdout) == (0, f"san {__version__}\n")


def test_a_terminal_that_knows_no_greek_gets_the_rest() -> None:
    done = san("tree", r"\sum_i", environment={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 0
    assert "below  i" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line() -> None:
    command = 'exec "$0" -c "from san.cli.main import main; main()" tree x >/dev/full'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "san: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("arguments", [("--help",), ("tree", "--help"), ("score", "--help")])
def test_help_is_shown(arguments: tuple[str, ...]) -> None:
    done = san(*arguments)
    assert done.returncode == 0
    assert "Usage:" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("fly",), "No such command 'fly'"),
        (("--fly",), "No such option: --fly"),
        (("tree",), "Missing argument"),
        (("tree", "x", "--format", "rune"), "'--format': 'rune' is not one of"),
        (("score", "one"), "Missing argument"),
    ],
)
def test_bad_usage_is_one_line(arguments: tuple[str, ...], reason: str) -> None:
    assert reason in complaint(*arguments)
