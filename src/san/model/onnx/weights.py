"""A weights file as numpy arrays: what `san.model.torch.weights` writes, read without torch.

Every array is asked for by name and shape, once. So a file that lacks something, has it in another
shape, or holds what nobody asks for is another network's, and is refused with one line.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from san.decoding.engine import Floats
from san.errors import SanError, printable
from san.files import FileError, read_regular_file
from san.model.checksum import CHECKSUM, checksum
from san.model.spec import MAX_BYTES, read_metadata, tensor_shapes
from san.models import check_shipped


class Arrays:
    """The arrays of a safetensors file, which wait to be taken, and what it says of itself."""

    def __init__(self, source: Path | bytes, form: str | None = None) -> None:
        self.name = "weights" if isinstance(source, bytes) else str(source)
        try:
            content = source if isinstance(source, bytes) else _content(source)
        except ValueError:  # a name with a zero in it
            raise SanError(f"{printable(self.name)}: no file can have this name") from None
        try:
            self._arrays = load(content)
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise self.refusal("no weights can be read", error) from None
        self.facts = read_facts(content)
        kept = self.facts.get(CHECKSUM)
        self._is_damaged = kept is not None and kept != checksum(self._arrays)
        if form is not None and self.facts.get("format") != form:
            raise SanError(f"{self.name}: these are no weights of this network")

    def take(self, name: str, *shape: int) -> Floats:
        """The array of this name, which must have this shape."""
        array = self.take_any(name)
        if array.shape != shape:
            raise self._misfit(f"{name} is {_times(array.shape)}, not {_times(shape)}")
        return array

    def take_any(self, name: str) -> Floats:
        """The array of this name, whatever its shape."""
        array = self._arrays.pop(name, None)
        if array is None:
            raise self._misfit(f"{name} is missing")
        if not np.isfinite(array).all():
            raise SanError(f"{self.name}: damaged weights ({name} is not of finite numbers)")
        return np.asarray(array, np.float32)

    def finish(self) -> None:
        """Nothing must be left: these numbers would be part of another network. And those that were
        taken must be those that were written."""
        if self._arrays:
            raise self._misfit(f"{printable(min(self._arrays))} has no place")
        if self._is_damaged:
            raise SanError(f"{self.name}: damaged weights (their checksum is another)")

    def _misfit(self, why: str) -> SanError:
        return SanError(f"{self.name}: weights and configuration do not fit ({why})")

    def refusal(self, what: str, error: Exception) -> SanError:
        return SanError(f"{self.name}: {what} ({' '.join(str(error).split())[:200]})")


class Weights(Arrays):
    """Those of the network; shapes are the specification's."""

    def __init__(self, source: Path | bytes) -> None:
        super().__init__(source)
        self.config, self.vocabulary = read_metadata(self.facts, self.name)
        if self.config.kind != "san":
            raise SanError(
                f"{self.name}: a network of kind {self.config.kind}; ONNX graphs are made of san "
                "alone, torch reads the others"
            )
        self._shapes = tensor_shapes(self.config, self.vocabulary)

    def tensor(self, name: str) -> Floats:
        """A tensor of the specification, by its name there."""
        return self.take(name, *self._shapes[name])


def _content(path: Path) -> bytes:
    try:
        content = read_regular_file(path, MAX_BYTES)
    except FileError as error:
        why = str(error).removeprefix(f"{path}: ")
        raise SanError(f"{path}: cannot be opened ({why})") from None
    check_shipped(path, content)
    return content


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a number"


def read_facts(content: bytes) -> Mapping[str, str]:
    """The strings in the header of a safetensors file, which has been read without complaint."""
    length = int.from_bytes(content[:8], "little")
    facts = json.loads(content[8 : 8 + length]).get("__metadata__")
    return facts if isinstance(facts, dict) else {}
