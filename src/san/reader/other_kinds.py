"""Networks that are not SAN, as an engine of the recognizer: torch reads them, image by image.

They are for comparison (docs/paper.md): no ONNX graphs, no second pass, no boxes.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from san.decoding.engine import DecodingLimits, Memory, Outcome
from san.decoding.reading import Reading
from san.errors import SanError
from san.extras import missing_package
from san.grammar.languages import Kind
from san.grammar.vocabulary import Vocabulary
from san.model.spec import read_metadata
from san.models import is_folder

if TYPE_CHECKING:
    from san.model.torch.readers import NetworkReader


def kind_of(weights: Path) -> Kind:
    """The kind of network of a weights file; what cannot be read is left to who reads SAN."""
    if is_folder(weights):
        return "san"
    try:
        with safe_open(weights, "np") as file:
            return read_metadata(file.metadata() or {}, str(weights))[0].kind
    except (OSError, SafetensorError, SanError):
        return "san"


class WholeEngine:
    """An engine that hands out readings, not steps."""

    def __init__(self, weights: Path) -> None:
        try:
            from san.model.torch.readers import open_reader
            from san.model.torch.weights import load_weights
        except ModuleNotFoundError as error:
            raise missing_package(error, "train") from None
        network = load_weights(weights)
        self._reader: NetworkReader = open_reader(network)
        self.vocabulary: Vocabulary = network.vocabulary

    def encode(self, images: Sequence[NDArray[np.generic]]) -> Memory:
        none = np.zeros((len(images), 0), np.float32)
        return Memory([self._reader.encode([image]) for image in images], none, none)

    def alone(self, memory: Memory, number: int) -> Memory:
        """One image of several, as if it had been encoded by itself."""
        only = slice(number, number + 1)
        return Memory([memory.content[number]], memory.hidden[only], memory.path[only])

    def on_one_core(self) -> "WholeEngine":
        return self  # torch's cores are the process's

    def step(self, *_: Any) -> Outcome:
        raise NotImplementedError("it has no steps that could be asked for one by one")

    def read(self, memory: Memory, limits: DecodingLimits, beam: int) -> list[list[Reading]]:
        """For each image its readings, the best first."""
        return [self._reader.read(each, limits, beam)[0] for each in memory.content]
