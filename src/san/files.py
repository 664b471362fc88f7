"""Reads untrusted files (one, or all of a folder or zip); writes a file whole or not at all.

Design choices
- Nothing is ever unpacked to disk, so a member named `../../x` is just an odd name.
- Reading stops at a limit whatever size a zip or a disk declares, since it may lie.
- Pipes, devices and links that lead nowhere are never opened where files are gathered; they are
  named in `strange`, and so are links to folders, which could lead round in circles.
- Hidden files and what macOS adds to zips are not there.
"""

import contextlib
import hashlib
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from lzma import LZMAError
from pathlib import Path, PurePosixPath

from san.errors import SanError, brief, reason

MAX_BYTES = 64 << 20
"""Of one file: a large photograph has 20 MB, and the labels of HME100K have 6."""
MAX_PARTIAL_NAME = 60
"""Characters of a file's name that its temporary file repeats: names end at 255 bytes."""

UNPACKING = (
    zipfile.BadZipFile,
    zlib.error,
    LZMAError,
    struct.error,
    EOFError,
    ValueError,  # an offset below zero
    RuntimeError,  # a password; NotImplementedError, which is one, for a method
    OverflowError,
    MemoryError,
)
"""What opening or unpacking a damaged zip may raise, besides OSError."""


class FileError(SanError):
    """A file that cannot be had; the message is one line that says why."""


def read_file(path: Path, max_bytes: int = MAX_BYTES) -> bytes:
    """The bytes of a file, or of a pipe that the caller names."""
    try:
        with path.open("rb") as file:
            # Not stat(): a pipe has no size, a growing file lies.
            content = file.read(max_bytes + 1)
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error
    except ValueError as error:  # a zero byte, half of a surrogate pair
        raise FileError(f"{path}: no name that a file can have") from error
    if len(content) > max_bytes:
        raise FileError(f"{path}: larger than {max_bytes:,} bytes")
    return content


def read_regular_file(path: Path, max_bytes: int) -> bytes:
    """The same, of what may be large: a device or a pipe, which may have no end, is not opened, and
    what is too large is not read."""
    if _regular_size(path) > max_bytes:
        raise FileError(f"{path}: larger than {max_bytes:,} bytes")
    return read_file(path, max_bytes)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a regular file however large: it is never in memory as a whole."""
    _regular_size(path)
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error


def _regular_size(path: Path) -> int:
    """In bytes."""
    try:
        if path.exists() and not path.is_file():
            raise FileError(f"{path}: not a regular file")
        return path.stat().st_size
    except OSError as error:
        raise FileError(f"{path}: {reason(error)}") from error


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of `path` when the block ends without an error.

    So `path` is the old file or the whole new one, whenever the process or the machine ends. What a
    killed process left is overwritten by the next. A link stays a link. An OSError in the block is
    raised as a FileError.
    """
    target, partial = _target_of(path)
    try:
        yield partial
        with partial.open("rb+") as file:
            os.fsync(file.fileno())  # else the new name may reach the disk before what it names
        partial.replace(target)
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({reason(error)})") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def check_place(path: Path) -> None:
    """FileError where `whole_file` could not begin: it is known before the work that it is for."""
    _, partial = _target_of(path)
    try:
        partial.open("wb").close()
        partial.unlink()
    except OSError as error:
        raise FileError(f"{path}: cannot be written ({reason(error)})") from error


def _target_of(path: Path) -> tuple[Path, Path]:
    """What a path leads to, and the temporary file beside it."""
    target = Path(os.path.realpath(path))
    return target, target.with_name(f"{target.name[:MAX_PARTIAL_NAME]}.partial")


def write_file(path: Path, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8, whole or not at all."""
    with whole_file(path) as partial:
        partial.write_bytes(content.encode() if isinstance(content, str) else content)


def make_folder(path: Path) -> None:
    """Make a folder, and those that it lies in, where they are not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise FileError(f"{path}: is no folder; name another") from error
    except OSError as error:
        raise FileError(f"{path}: cannot be made ({reason(error)})") from error


def open_zip(path: Path) -> zipfile.ZipFile:
    """A zip on disk. What OSError and UNPACKING errors mean, the caller knows best."""
    if path.exists() and not path.is_file():  # opening a pipe would wait, a device may have no end
        raise FileError(f"{path}: not a regular file")
    return zipfile.ZipFile(path)


class Files:
    """Named files under one folder or in one zip."""

    def __init__(self, source: str | Path) -> None:
        self.path = Path(source)
        self.strange: dict[str, str] = {}  # what is no file, and why
        self._zip: zipfile.ZipFile | None = None
        try:
            if self.path.is_dir():
                names = list(self._gather())
            else:
                self._zip = open_zip(self.path)
                names = [m.filename for m in self._zip.infolist() if not m.is_dir()]
        except OSError as error:
            raise FileError(f"{error.filename or self.path}: {reason(error)}") from error
        except UNPACKING as error:
            raise FileError(
                f"{self.path}: neither a folder nor a zip that opens ({_words(error).lower()})"
            ) from error
        self.names: list[str] = sorted(name for name in names if not is_hidden(name))

    @property
    def folder(self) -> Path | None:
        """Where the files lie on disk; None for a zip."""
        return None if self._zip else self.path

    def read(self, name: str, max_bytes: int = MAX_BYTES) -> bytes:
        """A file's bytes; FileError, without the name, where they cannot be had."""
        try:
            file = self._zip.open(name) if self._zip else (self.path / name).open("rb")
            with file:
                content = file.read(max_bytes + 1)
        except OSError as error:
            raise FileError(reason(error)) from error
        except UNPACKING as error:
            raise FileError(f"cannot be unpacked ({_words(error)})") from error
        if len(content) > max_bytes:
            raise FileError(f"larger than {max_bytes:,} bytes")
        return content

    def _gather(self) -> Iterator[str]:
        for root, folders, files in os.walk(self.path, onerror=_refuse):
            here = Path(root)
            for entry in (*folders, *files):
                path = here / entry
                name = path.relative_to(self.path).as_posix()
                if path.is_file():
                    yield name
                elif is_hidden(name):
                    continue
                elif not path.is_dir():
                    self.strange[name] = "neither a file nor a folder"
                elif path.is_symlink():
                    self.strange[name] = "a link to a folder is not followed"


def _refuse(error: OSError) -> None:
    raise error  # else a folder that may not be read would vanish


def _words(error: Exception) -> str:
    return brief(str(error)) or "it ends too early"  # an EOFError says nothing


def is_hidden(name: str) -> bool:
    """Whether a file, or a folder that it lies in, is not meant to be seen."""
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or any(part.startswith(".") and part != ".." for part in parts)
