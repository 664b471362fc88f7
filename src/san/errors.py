"""The one exception that people are meant to see, and what keeps its text a single clear line."""


class SanError(Exception):
    """Something the caller can put right: bad input, a missing file, a wrong option."""


def reason(error: OSError) -> str:
    """Why the system refused, as the end of a line."""
    return (error.strerror or str(error)).lower()


def printable(text: str) -> str:
    """Text of strangers (a name in a zip, an id) without line breaks or orders to the terminal."""
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in text)
