"""Many InkML files at once: a folder or a zip, in the order of their names.

One bad file among thousands must neither stop a run nor vanish from it: it is skipped and named.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from san.files import FileError, Files
from san.ink.inkml import AMPLE, InkLimits, is_ink, read_inkml
from san.ink.strokes import InkError, Sheet

OnSkip = Callable[[str, str], None]
"""Called with the name of a file that cannot be read, and the reason."""


def read_many(
    source: str | Path, on_skip: OnSkip | None = None, limits: InkLimits = AMPLE
) -> Iterator[Sheet]:
    """Read every `.inkml` file of a folder (and its folders) or of a zip.

    Without `on_skip` the first file that cannot be read raises its InkError.
    """
    try:
        files = Files(source)
    except FileError as error:
        raise InkError(str(error)) from error
    for name in sorted(filter(is_ink, (*files.names, *files.strange))):
        try:
            yield _read(files, name, limits)
        except InkError as error:
            if on_skip is None:
                raise
            on_skip(name, str(error).removeprefix(f"{name}: "))


def _read(files: Files, name: str, limits: InkLimits) -> Sheet:
    try:
        if name in files.strange:
            raise FileError(files.strange[name])
        content = files.read(name, limits.bytes)
    except FileError as error:
        raise InkError(f"{name}: {error}") from error
    return read_inkml(content, limits, name)
