"""A checksum of tensors, kept in the metadata of a safetensors file: bits that have changed on a
disk or on the way are noticed, where their numbers would only read worse."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

CHECKSUM = "sha256"
"""The key in the metadata; files that were written before it was have none."""


def checksum(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Of names, types, shapes and numbers, whatever their order in the file."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
