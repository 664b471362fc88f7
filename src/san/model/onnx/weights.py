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
from san.errors import SanError, printable, reason
from san.grammar.errors import GrammarError
from san.grammar.vocabulary import Vocabulary

FORMAT = "san-1"
SIZES = "stem growth layers hidden embedding attention window merge".split()
LATER = "glance survey".split()
"""Older files know none of these, and a network may have none: nought."""
HEAD = 32
"""Numbers that one head of a survey compares, as in `san.model.spec`."""
UNREADABLE = (GrammarError, KeyError, TypeError, ValueError, OverflowError, RecursionError)
"""What JSON of strangers makes of the few lines that read it."""


class Arrays:
    """The arrays of a safetensors file, which wait to be taken, and what it says of itself."""

    def __init__(self, source: Path | bytes, form: str) -> None:
        self.name = "weights" if isinstance(source, bytes) else str(source)
        try:
            content = source if isinstance(source, bytes) else source.read_bytes()
        except OSError as error:
            raise SanError(f"{self.name}: cannot be opened ({reason(error)})") from None
        except ValueError:  # a name with a zero in it
            raise SanError(f"{printable(self.name)}: no file can have this name") from None
        try:
            self._arrays = load(content)
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise self.refusal("no weights can be read", error) from None
        self.facts = _metadata(content)
        if self.facts.get("format") != form:
            raise SanError(f"{self.name}: these are no weights of this network")

    def take(self, name: str, *shape: int) -> Floats:
        """The array of this name, which must have this shape."""
        array = self._arrays.pop(name, None)
        if array is None:
            raise self._misfit(f"{name} is missing")
        if array.shape != shape:
            raise self._misfit(f"{name} is {_times(array.shape)}, not {_times(shape)}")
        return np.asarray(array, np.float32)

    def finish(self) -> None:
        """Nothing must be left: these numbers would be part of another network."""
        if self._arrays:
            raise self._misfit(f"{printable(min(self._arrays))} has no place")

    def _misfit(self, why: str) -> SanError:
        return SanError(f"{self.name}: weights and configuration do not fit ({why})")

    def refusal(self, what: str, error: Exception) -> SanError:
        return SanError(f"{self.name}: {what} ({' '.join(str(error).split())[:200]})")


class Weights(Arrays):
    """Those of the network."""

    def __init__(self, source: Path | bytes) -> None:
        super().__init__(source, FORMAT)
        facts = self.facts
        try:
            self.vocabulary = Vocabulary.from_json(facts["vocabulary"])
            sizes = json.loads(facts["network"])
            self._sizes = {name: int(sizes[name]) for name in SIZES}
            if min(self._sizes.values()) < 1:
                raise ValueError("a size is less than one")
            for name in LATER:
                self._sizes[name] = int(sizes.get(name, 0))
                if self._sizes[name] < 0:
                    raise ValueError("a size is less than nought")
            if self._sizes["survey"] % HEAD:
                raise ValueError(f"a survey's size is no multiple of {HEAD}")
            coverage = sizes.get("coverage", "path")
        except UNREADABLE as error:
            raise self.refusal("its metadata cannot be read", error) from None
        if coverage != "path":  # SAN-GS: only the order of its steps makes sense of it
            raise SanError(f"{self.name}: has no path attention; only `san evaluate` can read so")

    def size(self, name: str) -> int:
        """A size of the network, by its name in its configuration; 0 of what it has not."""
        return self._sizes[name]

    @property
    def features(self) -> int:
        """Channels that the encoder returns."""
        channels = self.size("stem")
        for block in range(3):
            channels += self.size("layers") * self.size("growth")
            channels = channels // 2 if block < 2 else channels
        return channels

    @property
    def fine(self) -> int:
        """Channels that a glance sees: those behind the second transition."""
        added = self.size("layers") * self.size("growth")
        return ((self.size("stem") + added) // 2 + added) // 2


def _times(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "a number"


def _metadata(content: bytes) -> Mapping[str, str]:
    """The strings in the header of a safetensors file, which has been read without complaint."""
    length = int.from_bytes(content[:8], "little")
    facts = json.loads(content[8 : 8 + length]).get("__metadata__")
    return facts if isinstance(facts, dict) else {}
