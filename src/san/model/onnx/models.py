"""Two ONNX models in memory: made from a weights file, or read from a folder they were written to.

The repository keeps one copy of the numbers, the weights file. A folder is for other programs that
run ONNX; beside the models lies `san.json`, which says what their numbers mean.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from san.decoding.confidence import Calibration
from san.errors import SanError
from san.files import make_folder, read_regular_file, write_file
from san.grammar.vocabulary import Vocabulary
from san.model.onnx.encoder import encoder_graph
from san.model.onnx.int8_ranges import load_ranges
from san.model.onnx.int8_support import counts_exactly
from san.model.onnx.step import step_graph
from san.model.onnx.weights import Weights
from san.model.spec import MAX_BYTES, UNREADABLE
from san.models import FACTS, find_model, is_folder

FORMAT = "san-onnx-2"
ENCODER, STEP = "encoder.onnx", "step.onnx"


class Models(NamedTuple):
    """What a runtime needs to read."""

    encoder: bytes  # an ONNX file
    step: bytes  # another
    vocabulary: Vocabulary
    hidden: int  # size of a state
    calibration: Calibration = Calibration()
    fine_attention: int = 0  # size of its keys; 0: the network has none
    folder: Path | None = None  # where both lie, if they were read


def load_models(source: Path, exact: bool = True) -> Models:
    """The models of a weights file, by path or name, or of a folder that `write_models` made."""
    path = find_model(source)
    return _read_models(path) if is_folder(path) else build_models(path, exact)


def build_models(source: Path | bytes, exact: bool = True) -> Models:
    """The models of a weights file, given as its path or as its bytes.

    Where they need not be exact, the encoder is the fast one, if the ranges that it takes lie
    beside the file and this processor is made for it.
    """
    weights = Weights(source)
    ranges = None
    if not exact and isinstance(source, Path) and counts_exactly():
        ranges = load_ranges(source)
    encoder = encoder_graph(weights, ranges)
    step = step_graph(weights)
    weights.finish()
    calibration = Calibration() if isinstance(source, bytes) else Calibration.load(source)
    sizes = weights.config.hidden, calibration, weights.config.fine_attention
    return Models(encoder, step, weights.vocabulary, *sizes)


def write_models(models: Models, folder: Path) -> list[Path]:
    """Both models and `san.json`, into a folder that is made where need be."""
    facts = {
        "format": FORMAT,
        "hidden": models.hidden,
        "fine_attention": models.fine_attention,
        "calibration": asdict(models.calibration),
        "symbols": models.vocabulary.symbols,
        "targets": models.vocabulary.targets,
        "partners": [p if isinstance(p, str) else p.value for p in models.vocabulary.partners],
    }
    text = json.dumps(facts, ensure_ascii=False, indent=1) + "\n"
    contents = {ENCODER: models.encoder, STEP: models.step, FACTS: text.encode()}
    make_folder(folder)
    for name, content in contents.items():
        write_file(folder / name, content)
    return [folder / name for name in contents]


def _read_models(folder: Path) -> Models:
    encoder, step, text = (
        read_regular_file(folder / name, MAX_BYTES) for name in (ENCODER, STEP, FACTS)
    )
    try:
        facts = json.loads(text)
        if facts["format"] != FORMAT:
            raise ValueError(f'"format" is not "{FORMAT}"')
        vocabulary = Vocabulary.from_json(json.dumps(facts["symbols"]))
        curve = Calibration.of_facts(facts["calibration"])
        sizes = int(facts["hidden"]), curve, int(facts["fine_attention"])
        return Models(encoder, step, vocabulary, *sizes, folder)
    except (*UNREADABLE, AttributeError) as error:
        line = " ".join(str(error).split())[:200]
        raise SanError(f"{folder / FACTS}: cannot be read ({line})") from None
