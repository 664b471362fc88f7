"""The one exception that people are meant to see, and what keeps its text a single clear line."""

from collections.abc import Callable

MAX_ECHOED = 60
"""Characters of what a stranger wrote in one error's line."""


class SanError(Exception):
    """Something the caller can put right: bad input, a missing file, a wrong option."""


def reason(error: OSError) -> str:
    """Why the system refused, as the end of a line."""
    return (error.strerror or str(error)).lower()


def brief(text: str) -> str:
    """Text of strangers, to be echoed: its beginning will do."""
    return text if len(text) <= MAX_ECHOED else f"{text[:MAX_ECHOED]}..."


def printable(text: str) -> str:
    """Text of strangers (a name in a zip, an id) without line breaks or orders to the terminal."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)


def run_or_exit(main: Callable[[], object]) -> None:
    """Run a script; a SanError, or what the system refuses, ends it with a line instead of a
    traceback."""
    try:
        main()
    except SanError as error:
        raise SystemExit(str(error)) from None
    except OSError as error:
        name = "" if error.filename is None else f"{error.filename}: "
        raise SystemExit(f"{name}{reason(error)}") from None
