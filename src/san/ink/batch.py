"""Many InkML files at once: a folder or a zip, in the order of their names.

One bad file among thousands must neither stop a run nor vanish from it: it is skipped and named.
"""

import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from san.ink.inkml import AMPLE, Limits, read_inkml
from san.ink.strokes import InkError, Sheet

OnSkip = Callable[[str, str], None]
"""Called with the name of a file that cannot be read, and the reason."""


def read_many(
    source: str | Path, on_skip: OnSkip | None = None, limits: Limits = AMPLE
) -> Iterator[Sheet]:
    """Read every `.inkml` file of a folder (and its folders) or of a zip.

    Without `on_skip` the first file that cannot be read raises its InkError.
    """
    path = Path(source)
    if not path.is_dir() and not zipfile.is_zipfile(path):
        raise InkError(f"{path}: neither a folder nor a zip of InkML files")
    files = _folder(path, limits) if path.is_dir() else _zip(path, limits)
    for name, read in files:
        try:
            yield read()
        except InkError as error:
            if on_skip is None:
                raise
            on_skip(name, str(error).removeprefix(f"{name}: "))


Files = Iterator[tuple[str, Callable[[], Sheet]]]


def _folder(path: Path, limits: Limits) -> Files:
    for file in sorted(path.rglob("*.inkml")):
        yield str(file), partial(read_inkml, file, limits, str(file))


def _zip(path: Path, limits: Limits) -> Files:
    with zipfile.ZipFile(path) as archive:
        for member in sorted(archive.infolist(), key=lambda member: member.filename):
            if member.filename.endswith(".inkml"):
                yield member.filename, partial(_member, archive, member, limits)


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, limits: Limits) -> Sheet:
    # The size a zip declares may be a lie; reading stops at the limit whatever it says.
    try:
        with archive.open(member) as file:
            content = file.read(limits.bytes + 1)
    except (OSError, RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise InkError(f"{member.filename}: cannot be unpacked: {error}") from error
    return read_inkml(content, limits, member.filename)
