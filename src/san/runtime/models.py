"""A weights file as two ONNX models in memory: the repository keeps one copy of the numbers."""

from pathlib import Path
from typing import NamedTuple

from san.grammar.vocabulary import Vocabulary
from san.runtime.encoder import encoder_graph
from san.runtime.step import step_graph
from san.runtime.weights import Weights


class Models(NamedTuple):
    """What a runtime needs to read."""

    encoder: bytes  # an ONNX file
    step: bytes  # another
    vocabulary: Vocabulary
    hidden: int  # size of a state


def build_models(source: Path | bytes) -> Models:
    """The models of a weights file, given as its path or as its bytes."""
    weights = Weights(source)
    encoder = encoder_graph(weights)
    step = step_graph(weights)
    weights.finish()
    return Models(encoder, step, weights.vocabulary, weights.size("hidden"))
