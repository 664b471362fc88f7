"""Named arrays in one file: a zip of .npy members, which numpy knows as .npz.

Design choices
- Reading is stricter than numpy's: the caller says which type each array has, anything else is
  refused, so that no pickle is ever loaded; and sizes are checked before memory is taken.
- An array is the member's bytes, seen without a copy and therefore read-only.
- Writing is reproducible (equal arrays, equal file) and all or nothing: the file appears when it is
  complete.
"""

import io
import math
import os
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import DTypeLike, NDArray

from san.data.sample import DataError

MOST_BYTES = 8 << 30
"""Unpacked: all photographs of HME100K are about 1 GB."""
LEVEL = 6
"""Of deflate: the highest takes ten times as long to save 4%."""

Arrays = dict[str, NDArray[Any]]


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write the arrays as one file, replacing what was there."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as archive:
            for name, array in arrays.items():
                member = zipfile.ZipInfo(f"{name}.npy")  # dated 1980, whenever it is written
                member.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(member, "w", force_zip64=True) as file:
                    npy.write_array(file, array, allow_pickle=False)
        partial.replace(path)
    except OSError as error:
        raise DataError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    finally:
        partial.unlink(missing_ok=True)


def read_arrays(path: Path, types: Mapping[str, DTypeLike]) -> Arrays:
    """Read the arrays of these names and types; a damaged or foreign file is a ValueError."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.getinfo(f"{name}.npy") for name in types}
            if sum(member.file_size for member in members.values()) > MOST_BYTES:
                raise ValueError(f"it unpacks to more than {MOST_BYTES:,} bytes")
            return {
                name: _array(name, archive.read(member), types[name])
                for name, member in members.items()
            }
    except OSError as error:
        raise DataError(f"{path}: {(error.strerror or str(error)).lower()}") from error
    except KeyError as error:
        raise ValueError(f"{error.args[0]}".lower()) from error
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(f"not a pack, or cut short or damaged ({error})".lower()) from error
    except (NotImplementedError, RuntimeError, MemoryError) as error:
        raise ValueError(f"it cannot be unpacked ({error})") from error


def _array(name: str, content: bytes, expected: DTypeLike) -> NDArray[Any]:
    file = io.BytesIO(content)
    try:
        if npy.read_magic(file) != (1, 0):
            raise ValueError("unknown version")
        shape, fortran, dtype = npy.read_array_header_1_0(file)
    except (ValueError, EOFError, SyntaxError, TypeError) as error:
        raise ValueError(f"{name} is not an array") from error
    if dtype != np.dtype(expected) or (fortran and len(shape) > 1):
        raise ValueError(f"{name} has not the type that it should have")
    if any(side < 0 for side in shape):
        raise ValueError(f"{name} is not an array")
    if math.prod(shape) * dtype.itemsize != len(content) - file.tell():
        raise ValueError(f"{name} has not the length that it claims")
    return np.frombuffer(content, dtype, offset=file.tell()).reshape(shape)
