"""Whatever is said stays one line."""

from pathlib import Path

import pytest

from san.errors import MAX_ECHOED, SanError, brief, printable, reason, run_or_exit


def test_reasons_are_the_ends_of_lines() -> None:
    assert reason(FileNotFoundError(2, "No such file or directory")) == "no such file or directory"
    assert reason(OSError("Invalid data stream")) == "invalid data stream"


def test_names_cannot_speak_to_the_terminal() -> None:
    assert printable("a\x1b[2J\nb\u202ec é∑") == "a\ufffd[2J\ufffdb\ufffdc é∑"


def test_strangers_are_not_quoted_at_length() -> None:
    assert brief("x" * MAX_ECHOED) == "x" * MAX_ECHOED
    assert brief("x" * 10_000) == "x" * MAX_ECHOED + "..."


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (SanError("too little ink"), "too little ink"),
        (FileNotFoundError(2, "No such file or directory", Path("a.npz")), "a.npz: no such file"),
        (OSError(28, "No space left on device"), "no space left on device"),
    ],
)
def test_a_script_ends_with_a_line(error: Exception, line: str) -> None:
    def main() -> None:
        raise error

    with pytest.raises(SystemExit) as end:
        run_or_exit(main)
    assert str(end.value.code).startswith(line)


def test_a_fault_of_ours_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        run_or_exit(lambda: 1 // 0)
