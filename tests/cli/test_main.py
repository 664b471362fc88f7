import os
import subprocess
import sys
from pathlib import Path

import pytest

from san import __version__
from san.cli import main
from tests.cli.console import complaint, san

pytestmark = pytest.mark.slow

DRAWN = Path(__file__).parents[2] / "samples" / "pythagoras.png"


def test_version() -> None:
    done = san("--version")
    assert (done.returncode, done.stdout) == (0, f"san {__version__}\n")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc here")
def test_products_of_numpy_start_no_threads() -> None:
    script = (
        "import os, san.cli.main, numpy; numpy.ones((500, 500)) @ numpy.ones((500, 500));"
        "print(len(os.listdir('/proc/self/task')))"
    )
    unset = {name: value for name, value in os.environ.items() if "_NUM_THREADS" not in name}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=unset
    )
    assert done.stdout == "1\n"


@pytest.mark.parametrize("locale", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": ""}])
def test_a_file_gets_utf_8(locale: dict[str, str]) -> None:
    unaltered = {"PYTHONCOERCECLOCALE": "0"}
    done = san("tree", r"\sum_i", "--format", "typst", environment=locale | unaltered)
    assert (done.returncode, done.stdout) == (0, "∑_(i)\n")


def test_an_encoding_that_was_asked_for_damages_no_formula() -> None:
    asked = {"PYTHONIOENCODING": "cp1252"}
    assert san("tree", r"x\pm", "--format", "latex", environment=asked).stdout == "x\\pm\n"
    done = san("tree", r"x\sum_i", "--format", "typst", environment=asked)
    assert (done.returncode, done.stdout) == (2, "")
    refusal = "cp1252 has no U+2211; unset PYTHONIOENCODING"
    assert done.stderr == f"san: cannot write the output: {refusal}\n"
    asked["PYTHONIOENCODING"] += ":xmlcharrefreplace"
    done = san("tree", r"\sum_i", "--format", "typst", environment=asked)
    assert (done.returncode, done.stdout) == (0, "&#8721;_(i)\n")


def test_a_terminal_that_knows_no_greek_gets_the_rest() -> None:
    ours, theirs = os.openpty()
    with os.fdopen(ours, "rb") as terminal:
        process = subprocess.Popen(
            [sys.executable, "-c", "from san.cli.main import main; main()", "tree", r"\sum_i"],
            stdout=theirs,
            env=os.environ | {"PYTHONIOENCODING": "ascii"},
        )
        os.close(theirs)
        assert process.wait() == 0
        assert b"below  i" in terminal.read1()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line() -> None:
    command = 'exec "$0" -c "from san.cli.main import main; main()" tree x >/dev/full'
    done = subprocess.run(
        ["sh", "-c", command, sys.executable], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "san: cannot write the output: No space left on device\n"


@pytest.mark.parametrize("becomes", [ImportError, RuntimeError])  # in C, in a class's body
def test_an_interrupt_while_a_library_is_imported_is_no_fault_of_it(
    monkeypatch: pytest.MonkeyPatch, becomes: type[Exception]
) -> None:
    def interrupted(**_: object) -> None:
        raise becomes("initialization failed") from cause

    monkeypatch.setattr(main, "app", interrupted)
    cause: BaseException = KeyboardInterrupt()
    with pytest.raises(SystemExit, match="130"):
        main.main()
    cause = OSError()
    with pytest.raises(becomes):
        main.main()


def _closing(closed: str, *words: str | Path) -> "subprocess.CompletedProcess[str]":
    command = f'exec "$0" -c "from san.cli.main import main; main()" "$@" {closed}'
    return subprocess.run(
        ["sh", "-c", command, sys.executable, *words], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("words", [("tree", "x"), ("read", DRAWN), ("score", "absent", "absent")])
def test_a_closed_output_is_one_line(words: tuple[str | Path, ...]) -> None:
    done = _closing(">&-", *words)
    assert done.returncode == 2
    assert done.stderr == "san: standard output is closed: there is nothing to print to\n"


def test_who_writes_a_file_needs_no_open_output(tmp_path: Path) -> None:
    file = tmp_path / "out.tsv"
    done = _closing(">&-", "read", "--quick", DRAWN, "-o", file)
    assert (done.returncode, done.stderr) == (0, f"1 read: {file}\n")
    assert file.read_text().startswith(f"{DRAWN.stem}\t")


def test_nothing_is_said_where_both_outputs_are_closed() -> None:
    for closed, code in ((">&- 2>&-", 2), ("2>&-", 0)):
        done = _closing(f"{closed} <&-", "tree", "x")
        assert (done.returncode, done.stderr) == (code, "")
    done = _closing("2>&-", "tree", "x^")
    assert (done.returncode, done.stdout) == (2, "")


COMMANDS = [
    (),
    *((name,) for name in ("read", "serve", "tree", "score", "evaluate", "train", "export")),
    *(("data", name) for name in ("pack", "show")),
    *(("ink", name) for name in ("show", "compose", "formulas")),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_shown(command: tuple[str, ...]) -> None:
    wide = {"COLUMNS": "200"}
    done = san(*command, "--help", environment=wide)
    assert done.returncode == 0
    assert "Usage:" in done.stdout
    assert "bool" not in done.stdout.lower()  # flags ask for nothing
    assert san(*command, "-h", environment=wide).stdout == done.stdout


@pytest.mark.parametrize("command", [(), ("data",), ("ink",)])
def test_without_a_command_the_help_is_laid_out_as_ever(command: tuple[str, ...]) -> None:
    done = san(*command)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == san(*command, "--help").stdout


def test_the_shell_completes() -> None:
    assert {"--install-completion", "--show-completion"} <= set(san("--help").stdout.split())
    asked = {"_SAN_COMPLETE": "complete_bash", "COMP_WORDS": "san re", "COMP_CWORD": "1"}
    assert san(environment=asked).stdout.split() == ["read"]
    asked |= {"COMP_WORDS": "san read --format t", "COMP_CWORD": "3"}
    assert san(environment=asked).stdout.split() == ["typst", "tokens", "tree"]


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
