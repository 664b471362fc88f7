"""Reads and writes named arrays in one file: a zip of .npy members, which numpy knows as .npz.

Design choices
- Reading is stricter than numpy's: the caller says which type each array has, anything else is
  refused, so that no pickle is ever loaded; and sizes are checked before memory is taken.
- An array is the member's bytes, seen without a copy and therefore read-only.
- Writing is reproducible (equal arrays, equal file) and all or nothing: the file appears when it is
  complete.
"""

import io
import json
import math
import warnings
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from san.data.sample import DataError
from san.errors import brief, reason
from san.files import UNPACKING, FileError, open_zip, whole_file

MAX_BYTES = 8 << 30
"""Unpacked: all photographs of HME100K are about 1 GB."""
DEFLATE_LEVEL = 6
"""Of deflate: the highest takes ten times as long to save 4%."""

Arrays = dict[str, NDArray[Any]]


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write the arrays as one file, replacing what was there; a link stays one."""
    with (
        whole_file(path) as partial,
        zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=DEFLATE_LEVEL) as archive,
    ):
        for name, array in arrays.items():
            member = zipfile.ZipInfo(f"{name}.npy")  # dated 1980, whenever it is written
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w", force_zip64=True) as file:
                npy.write_array(file, array, allow_pickle=False)


def read_index(
    content: NDArray[Any], form: str, version: int, lists: Iterable[str]
) -> dict[str, list[str]]:
    """What a file says it is, as JSON, and its lists of texts; ValueError where it is another."""
    try:
        index = json.loads(content.tobytes())
    except (ValueError, RecursionError) as error:
        raise ValueError("its index is not JSON") from error
    if not isinstance(index, dict) or index.get("format") != form:
        raise ValueError(f"it does not call itself {form}")
    version_read = index.get("version")
    if (
        type(version_read) is not int or version_read != version
    ):  # JSON's true and 1.0 are 1 to Python
        said = brief(repr(version_read))
        raise ValueError(f"it has version {said} and this san reads {version}: make it again")
    for name in lists:
        texts = index.get(name)
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError(f"its index has no {name}")
    return index


def read_arrays(path: Path, types: Mapping[str, DTypeLike]) -> Arrays:
    """Read the arrays of these names and types; a damaged or foreign file is a ValueError."""
    members = _unpack(path, [f"{name}.npy" for name in types])
    return {
        name: _array(name, content, types[name])
        for name, content in zip(types, members, strict=True)
    }


def _unpack(path: Path, names: Iterable[str]) -> list[bytes]:
    try:
        with open_zip(path) as archive:
            members = [archive.getinfo(name) for name in names]
            if sum(member.file_size for member in members) <= MAX_BYTES:
                return [_member(archive, member) for member in members]
    except FileError as error:
        raise DataError(str(error)) from error
    except OSError as error:
        raise DataError(f"{path}: {reason(error)}") from error
    except KeyError as error:
        raise ValueError(f"{error.args[0]}".lower()) from error
    except UNPACKING as error:
        raise ValueError(
            f"not a pack, or cut short or damaged ({brief(str(error))})".lower()
        ) from error
    raise ValueError(f"it unpacks to more than {MAX_BYTES:,} bytes")


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with archive.open(member) as file:
        return file.read(member.file_size)  # no more than was counted: the size may be a lie


def _array(name: str, content: bytes, expected: DTypeLike) -> NDArray[Any]:
    file = io.BytesIO(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # numpy mends old headers and says so: not our writing
            if npy.read_magic(file) != (1, 0):
                raise ValueError("unknown version")
            shape, fortran, dtype = npy.read_array_header_1_0(file)
    except Exception as error:  # a header is Python text, and numpy's reader of it raises anything
        raise ValueError(f"{name} is not an array") from error
    if dtype != np.dtype(expected) or (fortran and len(shape) > 1):
        raise ValueError(f"{name} has not the type that it should have")
    if any(side < 0 for side in shape):
        raise ValueError(f"{name} is not an array")
    if math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise ValueError(f"{name} has not the length that it claims")
    return np.frombuffer(content, dtype, offset=file.tell()).reshape(shape)
