"""The interface of a network to the decoders, whatever runs it: encode images, run steps.

Scores come as numpy. What a step hands on to those that follow from it (its state, its path
attention) stays where the engine keeps it: a decoder indexes it by slots, takes the difference of
two, lays them end to end (`np.concatenate`), and asks numpy for the result (`np.asarray`) when all
is read. Numpy arrays do.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from san.grammar.vocabulary import Vocabulary

Floats = NDArray[np.float32]
Rows = Any
"""Numbers by slot, where the engine keeps them; `np.asarray` makes Floats of them."""


@dataclass(frozen=True)
class DecodingLimits:
    """What makes decoding end, whatever the weights. The longest tree of CROHME has 158 steps.

    The frontier decoder and beam search heed all of them, Algorithm 1 steps and depth.
    """

    steps: int = 400  # of one image
    depth: int = 200  # of one path
    min_probability: float = 0.0  # of one image's steps together; what is less is given up


@dataclass(frozen=True)
class Memory:
    """Some encoded images. What `content` is only the engine knows."""

    content: Any
    hidden: Rows  # images x H: the state that the first step receives
    path: Rows  # images x rows x columns: no attention yet


class Outcome(NamedTuple):
    """Scores, states and path attention of N steps."""

    symbols: Floats  # N x targets, before softmax
    relations: Floats  # N x 7, before sigmoid
    hidden: Rows  # N x H
    path: Rows  # N x rows x columns: path attention with this step's own added


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
        hidden: Rows,
        path: Rows,
        partner: NDArray[np.int64],
    ) -> Outcome:
        """N steps at once; each says which image it reads."""
        ...
