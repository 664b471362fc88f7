"""Files by path or URL, on a disk or in an object store: their names, and their bytes."""

import zipfile
from collections.abc import Iterator
from typing import Any

from san.bulk.locations import located, why
from san.bulk.parquet_rows import ParquetRows, is_parquet
from san.errors import SanError, brief, printable
from san.files import UNPACKING, FileError

MAX_OPEN_ZIPS = 4


class Storage:
    """Reads files; zips stay open, for the next of their members."""

    def __init__(self) -> None:
        self._zips: dict[str, zipfile.ZipFile] = {}
        self._tables = ParquetRows()

    def read(self, path: str, max_bytes: int, member: str | None = None) -> bytes:
        """A file, a member of a zip, or the row of a Parquet file with this number; FileError where
        it cannot be had."""
        content: bytes
        try:
            if member is not None and is_parquet(path):
                content = self._tables.read(path, int(member))
            elif member is None:
                files, name = located(path)
                with files.open_input_stream(name) as file:
                    content = file.read(max_bytes + 1)
            else:
                with self._zip(path).open(member) as file:
                    content = file.read(max_bytes + 1)
        except (OSError, KeyError, SanError, *UNPACKING) as error:
            raise FileError(why(error)) from None
        if len(content) > max_bytes:
            raise FileError(f"larger than {max_bytes:,} bytes")
        return content

    def names(self, path: str) -> Iterator[str]:
        """Of the members of a zip."""
        try:
            members = self._zip(path).infolist()
        except (OSError, *UNPACKING) as error:
            raise SanError(f"{path}: {why(error)}") from None
        return (member.filename for member in members if not member.is_dir())

    def _zip(self, path: str) -> zipfile.ZipFile:
        if path not in self._zips:
            while len(self._zips) >= MAX_OPEN_ZIPS:
                self._zips.pop(next(iter(self._zips))).close()
            files, name = located(path)
            self._zips[path] = zipfile.ZipFile(files.open_input_file(name))
        return self._zips[path]


def is_folder(path: str) -> bool:
    """SanError where there is nothing."""
    from pyarrow.fs import FileType

    found = _info(path).type
    if found == FileType.NotFound:
        raise SanError(f"{printable(brief(path))}: no such file or folder")
    return bool(found == FileType.Directory)


def files_below(folder: str) -> Iterator[str]:
    """Names of all files of a folder and its folders, relative to it."""
    from pyarrow.fs import FileSelector, FileType

    files, name = located(folder)
    try:
        found = files.get_file_info(FileSelector(name, recursive=True))
    except OSError as error:
        raise SanError(f"{printable(brief(folder))}: {why(error)}") from None
    below = name.rstrip("/") + "/"
    return (
        info.path.removeprefix(below) for info in found if info.type == FileType.File
    )  # fmt: skip


def _info(path: str) -> Any:
    files, name = located(path)
    try:
        return files.get_file_info(name)
    except OSError as error:
        raise SanError(f"{printable(brief(path))}: {why(error)}") from None
