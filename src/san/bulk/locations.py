"""Where a path or a URL leads: a disk, or an object store."""

from typing import TYPE_CHECKING

from san.errors import SanError, brief, printable

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem


def located(path: str) -> "tuple[FileSystem, str]":
    """Where a path or a URL leads: a file system, and the name there."""
    from pyarrow import ArrowException
    from pyarrow.fs import FileSystem, LocalFileSystem

    if "://" not in path:
        return LocalFileSystem(), path
    try:
        return FileSystem.from_uri(path)  # type: ignore[no-any-return]
    except (ArrowException, OSError, ValueError) as error:
        raise SanError(f"{printable(brief(path))}: {why(error)}") from None


def why(error: Exception) -> str:
    """An error of a file, in a few words."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return brief(" ".join(str(error).split())) or "it ends too early"
