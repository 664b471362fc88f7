"""What a decoder asks of a network, whatever runs it: numpy in, numpy out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from san.grammar.vocabulary import Vocabulary

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Limits:
    """What makes decoding end, whatever the weights. The longest tree of CROHME has 158 steps."""

    steps: int = 400  # of one image
    depth: int = 200  # of one path


@dataclass(frozen=True)
class Memory:
    """Some encoded images. `content` is the engine's own business."""

    content: Any
    hidden: Floats  # images x H: the state that the first step is given
    path: Floats  # images x rows x columns: no attention yet


class Outcome(NamedTuple):
    """What N steps came to."""

    symbols: Floats  # N x targets, before softmax
    relations: Floats  # N x 7, before sigmoid
    hidden: Floats  # N x H
    path: Floats  # N x rows x columns: path attention with this step's own added


class Engine(Protocol):
    @property
    def vocabulary(self) -> Vocabulary: ...

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        """Images of any size, ink 1 on 0."""
        ...

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        """N steps at once; each says which image it reads."""
        ...
