"""One reader for all tests of the room."""

import pytest

from san.reader import Recognizer


@pytest.fixture(scope="session")
def reader() -> Recognizer:
    return Recognizer(threads=1)
