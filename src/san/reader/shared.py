"""`san.read`: one recognizer for all callers, made at the first call."""

from functools import cache
from threading import Lock

from san.reader.recognizer import Recognizer
from san.reader.result import Formula
from san.reader.source import Source

_making = Lock()


def read(source: Source) -> Formula:
    """Read one formula, with one `Recognizer` for all calls.

    Args:
        source: The path of an image or an InkML file, its bytes, or the file opened in binary mode;
            an array of pixels, a Pillow image, or strokes: `Ink.of([[(x, y), ...], ...])`.

    Raises:
        SanError: if the source cannot be read; one line says why.
    """
    return shared_recognizer().read(source)


def shared_recognizer() -> Recognizer:
    """The one of all callers."""
    with _making:  # so that threads that come together make one, not one each
        return _made()


@cache
def _made() -> Recognizer:
    return Recognizer()
