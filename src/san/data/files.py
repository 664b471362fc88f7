"""The files of a folder or of a zip, seen alike: names, and bytes on demand.

Design choices
- Nothing is ever unpacked to disk, so a member named `../../x` is just an odd name.
- Reading stops at a limit whatever size a zip declares, since it may lie.
- Hidden files and what macOS adds to zips are not there.
"""

import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from san.data.sample import DataError
from san.images.open import MOST_BYTES, SUFFIXES

INK_SUFFIX = ".inkml"


class Files:
    """Named files under one folder or in one zip."""

    def __init__(self, source: str | Path) -> None:
        self.path = Path(source)
        self._zip: zipfile.ZipFile | None = None
        try:
            if self.path.is_dir():
                found = (file for file in self.path.rglob("*") if file.is_file())
                names = [file.relative_to(self.path).as_posix() for file in found]
            else:
                self._zip = zipfile.ZipFile(self.path)
                names = [m.filename for m in self._zip.infolist() if not m.is_dir()]
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
            reason = str(error).lower()
            raise DataError(
                f"{self.path}: neither a folder nor a zip that opens ({reason})"
            ) from error
        except OSError as error:
            raise DataError(f"{self.path}: {(error.strerror or str(error)).lower()}") from error
        self.names: list[str] = sorted(name for name in names if not _hidden(name))

    def read(self, name: str) -> bytes:
        """A file's bytes; DataError, without the name, where they cannot be had."""
        try:
            file = self._zip.open(name) if self._zip else (self.path / name).open("rb")
            with file:
                content = file.read(MOST_BYTES + 1)
        except OSError as error:
            raise DataError((error.strerror or str(error)).lower()) from error
        except (RuntimeError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
            raise DataError(f"cannot be unpacked ({error})") from error
        except EOFError as error:
            raise DataError("cannot be unpacked (the zip ends too early)") from error
        if len(content) > MOST_BYTES:
            raise DataError(f"larger than {MOST_BYTES:,} bytes")
        return content


def id_of(name: str) -> str:
    """A file's name without folders and without the suffix of an image or of ink.

    Labels are written for `train_0.jpg`, `train_0` and `images/train_0.jpg` alike.
    """
    path = PurePosixPath(name.strip().replace("\\", "/"))
    return path.stem if is_ink(name) or is_image(name) else path.name


def is_ink(name: str) -> bool:
    return name.strip().lower().endswith(INK_SUFFIX)


def is_image(name: str) -> bool:
    return name.strip().lower().endswith(SUFFIXES)


def _hidden(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return "__MACOSX" in parts or any(part.startswith(".") and part != ".." for part in parts)
