"""Whatever is said stays one line."""

from san.errors import MAX_ECHOED, brief, printable, reason


def test_reasons_are_the_ends_of_lines() -> None:
    assert reason(FileNotFoundError(2, "No such file or directory")) == "no such file or directory"
    assert reason(OSError("Invalid data stream")) == "invalid data stream"


def test_names_cannot_speak_to_the_terminal() -> None:
    assert printable("a\x1b[2J\nb\u202ec é∑") == "a\ufffd[2J\ufffdb\ufffdc é∑"


def test_strangers_are_not_quoted_at_length() -> None:
    assert brief("x" * MAX_ECHOED) == "x" * MAX_ECHOED
    assert brief("x" * 10_000) == "x" * MAX_ECHOED + "..."
