"""How the two small networks are trained that readings are rescored with.

Each has a section of its own in a configuration's file, beside those of the network that reads.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from san import config
from san.config import ranged
from san.errors import SanError

LANGUAGE_MODEL, STROKE_NETWORK = SECTIONS = ("language_model", "stroke_network")

Section = TypeVar("Section")


@dataclass(frozen=True)
class LanguageModelConfig:
    """The language model that readings are rescored with (`tools/train_language_model.py`)."""

    hidden: int = ranged(320, 1, 4096, "cells of its LSTM")
    dropout: float = ranged(0.15, 0.0, 1.0, "before and behind it")
    batch_size: int = ranged(64, 1, 4096, "formulas of a step")
    steps: int = ranged(14_000, 1, doc="of training")
    learning_rate: float = ranged(4e-3, 0.0, 1.0, "the highest, of one cycle")
    weight_decay: float = ranged(0.05, 0.0, 1.0, "AdamW's")
    seed: int = ranged(0, 0, 2**31 - 1, "of weights, dropout and batches")


@dataclass(frozen=True)
class StrokeNetworkConfig:
    """The network that tells symbols by the way of the pen (`tools/train_strokes.py`)."""

    head_width: int = ranged(32, 1, 256, "numbers of a stroke's state for each head of attention")
    dropout: float = ranged(0.1, 0.0, 1.0, "in its layers of attention")
    label_smoothing: float = ranged(0.03, 0.0, 0.5, "of its targets")
    epochs: int = ranged(20, 1, doc="of training")
    composed: float = ranged(1.5, 0.0, 100.0, "composed samples for each one of the corpus")
    pool_epochs: int = ranged(6, 1, doc="epochs after which composed samples come again")
    varied_share: float = ranged(0.55, 0.0, 1.0, "of composed samples: written ink with exchanges")
    batch_size: int = ranged(32, 1, 4096, "pieces of ink of a step")
    learning_rate: float = ranged(2e-3, 0.0, 1.0, "the highest, of one cycle")
    weight_decay: float = ranged(0.05, 0.0, 1.0, "AdamW's")
    seed: int = ranged(0, 0, 2**31 - 1, "of weights, dropout, samples and batches")


def load_language_model(path: Path) -> LanguageModelConfig:
    """The section of a TOML file that says how the language model is trained."""
    return _load_section(path, LANGUAGE_MODEL, LanguageModelConfig)


def load_stroke_network(path: Path) -> StrokeNetworkConfig:
    """The one that says how the network of strokes is trained."""
    return _load_section(path, STROKE_NETWORK, StrokeNetworkConfig)


def check_sections(path: Path) -> None:
    """SanError where one of them is wrong."""
    load_language_model(path)
    load_stroke_network(path)


def _load_section(path: Path, name: str, kind: type[Section]) -> Section:
    section = config.read_table(path).get(name, {})
    if not isinstance(section, Mapping):
        raise SanError(f"{name}: a section, not {section!r}")
    try:
        return config.build(kind, section)
    except SanError as error:
        raise SanError(f"{name}.{error}") from None
