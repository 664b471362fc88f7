"""`san.read`: one reader for everybody, made when it is first asked."""

from functools import cache
from threading import Lock

from san.reader.recognizer import Recognizer
from san.reader.result import Formula
from san.reader.source import Source

_making = Lock()


def read(source: Source) -> Formula:
    """Read one formula: a path, a file's bytes, an array of pixels, a Pillow image, or ink."""
    with _making:  # so that threads that come together make one, not one each
        reader = _shared()
    return reader.read(source)


@cache
def _shared() -> Recognizer:
    return Recognizer()
