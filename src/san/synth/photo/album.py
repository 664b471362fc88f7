"""Photographs whose symbols have places, as far as composing asks for them."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from san.grammar.tree import Expression
from san.ink.draw import Picture


class Photographs(Protocol):
    """What is asked of a pack of photographs."""

    ids: Sequence[str]

    def __len__(self) -> int: ...

    def tree(self, place: int) -> Expression: ...

    def image(self, place: int) -> Picture: ...


class Marked(Protocol):
    """Which pixels are whose, and how wide strokes are (`san.data.places`)."""

    @property
    def labels(self) -> NDArray[np.uint8]: ...

    @property
    def width(self) -> float: ...


class Places(Protocol):
    def of(self, name: str, /) -> Marked | None: ...


class Album(NamedTuple):
    """Both together."""

    photos: Photographs
    places: Places
