import pytest

from san import __version__
from tests.cli.console import complaint, san


def test_version() -> None:
    done = san("--version")
    assert (done.returncode, done.stdout) == (0, f"san {__version__}\n")


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
        (("tree", "x", "--format", "rune"), "is not one of"),
        (("score", "one"), "Missing argument"),
    ],
)
def test_bad_usage_is_one_line(arguments: tuple[str, ...], reason: str) -> None:
    assert reason in complaint(*arguments)
