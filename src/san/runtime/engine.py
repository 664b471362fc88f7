"""The network on ONNX Runtime, as an engine for `san.decoding`.

- The graphs are made in memory from the weights file, in a moment: one copy of the numbers.
- Each image is encoded alone, on the cells that it touches: no time goes into empty canvas, and a
  reading does not depend on the images beside it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

from san.decoding.engine import Floats, Memory, Outcome
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary
from san.runtime.models import build_models

CELL = 16
"""Pixels of a grid cell's side."""


class Encoded(NamedTuple):
    """One image."""

    features: Floats  # L x C
    keys: Floats  # A x L
    rows: int
    columns: int


class Session(Protocol):
    """A model that is ready to run."""

    def run(
        self, outputs: Sequence[str], inputs: Mapping[str, NDArray[np.generic]]
    ) -> list[Floats]: ...


class OnnxEngine:
    """Reads on the CPU. `threads` 0 takes all cores."""

    def __init__(self, weights: Path | bytes, threads: int = 0) -> None:
        made = build_models(weights)
        self._vocabulary = made.vocabulary
        self._encoder = self._start(made.encoder, threads)
        self._step = self._start(made.step, threads)
        self._hidden = made.hidden

    def _start(self, model: bytes, threads: int) -> Session:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.log_severity_level = 3  # errors: nothing below them concerns a reader
        session: Session = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
        return session

    @property
    def vocabulary(self) -> Vocabulary:
        return self._vocabulary

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        """Images of any size, ink 1 on 0."""
        content: list[Encoded] = []
        hidden = np.zeros((len(images), self._hidden), np.float32)
        for number, image in enumerate(images):
            pixels = _on_cells(image)
            features, keys, first = self._encoder.run(
                ("features", "keys", "first"), {"image": pixels}
            )
            rows, columns = pixels.shape[2] // CELL, pixels.shape[3] // CELL
            content.append(Encoded(features, keys, rows, columns))
            hidden[number] = first[0]
        rows = max((one.rows for one in content), default=0)
        columns = max((one.columns for one in content), default=0)
        return Memory(content, hidden, np.zeros((len(images), rows, columns), np.float32))

    def step(
        self,
        memory: Memory,
        image: NDArray[np.int64],
        hidden: Floats,
        path: Floats,
        partner: NDArray[np.int64],
    ) -> Outcome:
        """N steps at once; those of one image are one call."""
        targets, relations = len(self.vocabulary.targets), len(Relation)
        outcome = Outcome(
            np.empty((len(image), targets), np.float32),
            np.empty((len(image), relations), np.float32),
            np.empty_like(hidden),
            np.zeros_like(path),
        )
        for number in np.unique(image):
            own = np.flatnonzero(image == number)
            one: Encoded = memory.content[number]
            given: dict[str, NDArray[np.generic]] = {
                "features": one.features,
                "keys": one.keys,
                "hidden": hidden[own],
                "path": path[own, : one.rows, : one.columns],
                "partner": partner[own],
            }
            made = self._step.run(("symbols", "relations", "next_hidden", "next_path"), given)
            outcome.symbols[own], outcome.relations[own], outcome.hidden[own] = made[:3]
            outcome.path[own, : one.rows, : one.columns] = made[3]
        return outcome


def _on_cells(image: NDArray[np.generic]) -> Floats:
    """The image on exactly the cells that it touches: 1 x 1 x H x W."""
    height, width = image.shape
    cells = (max(-(-height // CELL), 1), max(-(-width // CELL), 1))
    pixels = np.zeros((1, 1, CELL * cells[0], CELL * cells[1]), np.float32)
    pixels[0, 0, :height, :width] = image
    return pixels
