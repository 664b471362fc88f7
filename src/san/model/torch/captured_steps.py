"""A frontier's steps as captured graphs: one launch a depth instead of a hundred.

- A graph has a fixed number of slots, a power of two. Slots that fill it up read image 0 and are
  not `used`; nobody looks at what comes of them.
- A graph finds its numbers at fixed places. A memory's images are copied there when its first step
  comes; another memory of that shape takes the places, and gives them back the same way.
- Capturing takes as long as some ten steps, and what is captured stays on the device: it is for
  shapes that come again. The first memory of a shape is left to the engine, and so are frontiers
  that are too wide for one graph.
- What a step hands on is copied out of the graph, so an outcome stays what it is.
"""

import weakref
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from san.decoding.engine import Memory
from san.model.torch.attention import Memory as Encoded
from san.model.torch.fine_attention import FineFeatures

MIN_SLOTS = 16
MAX_SHAPES = 8
"""Shapes whose images and graphs stay on the device; that of the oldest goes first."""


class StepTensors(NamedTuple):
    """N steps, of which some may only fill up a graph."""

    image: Tensor
    partner: Tensor
    used: Tensor  # 1, or 0
    hidden: Tensor  # N x H
    path: Tensor  # N x rows x columns


Results = tuple[Tensor, Tensor, Tensor]
"""Scores of symbols and relations side by side, states, paths."""
StepWork = Callable[[Encoded, StepTensors], Results]
Capture = Callable[[Callable[[], Results]], tuple[Callable[[], None], Results]]


class CapturedSteps:
    def __init__(self, work: StepWork, capture: Capture, max_cells: int) -> None:
        self._work, self._capture, self._max_cells = work, capture, max_cells
        self._shapes: dict[tuple[object, ...], _Shape] = {}

    def run(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Tensor,
        path: Tensor,
        partner: NDArray[np.int64],
    ) -> Results | None:
        """The results of N steps, or None where the engine is to compute them."""
        content: Encoded = memory.content
        slots = max(1 << (len(image) - 1).bit_length(), MIN_SLOTS)
        if slots * path[0].numel() > self._max_cells:
            return None
        key = (content.features.shape, content.grid)
        if key not in self._shapes:
            if len(self._shapes) == MAX_SHAPES:
                del self._shapes[next(iter(self._shapes))]
            self._shapes[key] = _Shape(memory)
        shape = self._shapes[key]
        if not shape.bind(memory):
            return None
        if slots not in shape.graphs:
            shape.graphs[slots] = self._captured(shape.content, slots, hidden, path)
        return shape.graphs[slots].run(image, hidden, path, partner)

    def _captured(self, content: Encoded, slots: int, hidden: Tensor, path: Tensor) -> "_Graph":
        numbers = torch.zeros(3, slots, dtype=torch.int64, device=path.device)
        states, paths = (like.new_zeros(slots, *like.shape[1:]) for like in (hidden, path))
        given = StepTensors(numbers[0], numbers[1], numbers[2], states, paths)
        return _Graph(numbers, given, *self._capture(lambda: self._work(content, given)))


class _Shape:
    """Where the images of a shape lie, and the graphs that read them there."""

    def __init__(self, first: Memory) -> None:
        self._first: weakref.ref[Memory] | None = weakref.ref(first)
        self._bound: weakref.ref[Memory] | None = None
        self.graphs: dict[int, _Graph] = {}
        self.content: Encoded

    def bind(self, memory: Memory) -> bool:
        """Lay the memory's images here; False for the first one."""
        if self._first is not None:
            if self._first() is memory:
                return False
            self._first, self._bound = None, weakref.ref(memory)
            self.content = _copy(memory.content)
        elif self._bound is None or self._bound() is not memory:
            self._bound = weakref.ref(memory)
            for mine, part in zip(_parts(self.content), _parts(memory.content), strict=True):
                mine.copy_(part)
        return True


class _Graph(NamedTuple):
    numbers: Tensor  # image, partner, used
    given: StepTensors
    replay: Callable[[], None]
    results: Results

    def run(
        self, image: NDArray[np.int64], hidden: Tensor, path: Tensor, partner: NDArray[np.int64]
    ) -> Results:
        count = len(image)
        numbers = np.zeros(self.numbers.shape, np.int64)
        numbers[:, :count] = image, partner, np.ones(count)
        self.numbers.copy_(torch.from_numpy(numbers), non_blocking=True)
        self.given.hidden[:count].copy_(hidden)
        self.given.path[:count].copy_(path)
        self.replay()
        scores, state, paths = (result[:count].clone() for result in self.results)
        return scores, state, paths


def _parts(content: Encoded) -> list[Tensor]:
    return [*content[:4], *(content.fine or ())]


def _copy(content: Encoded) -> Encoded:
    features, keys, mask, init_state, *fine = (part.clone() for part in _parts(content))
    finer = FineFeatures(*fine) if fine else None
    return Encoded(features, keys, mask, init_state, content.grid, finer)
