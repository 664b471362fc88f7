"""A training run's whole configuration. The defaults are the paper's recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from san import config
from san.config import ranged
from san.errors import SanError
from san.model.spec import NetworkConfig
from san.synth.config import SynthConfig


@dataclass(frozen=True)
class DataConfig:
    """Packed corpora (`san data pack`)."""

    train: str = ""
    validation: str = ""  # empty: none
    buckets: int = ranged(14, 1, 200)  # how many image shapes at most
    levels: int = ranged(9, 1, 100)  # how many tree depths are told apart at most
    window: int = ranged(8, 1, 1000)  # batches' worth of samples sorted by depth at a time


@dataclass(frozen=True)
class TrainingConfig:
    epochs: int = ranged(200, 1)
    minutes: float = ranged(0.0, 0.0)  # the schedule's length by the clock instead; 0: by epochs
    batch: int = ranged(8, 4, 1024)
    optimiser: Literal["adadelta", "adamw", "muon"] = "adadelta"
    rate: float = ranged(1.0, 0.0, 10.0)  # the highest learning rate
    decay: float = ranged(1e-4, 0.0, 1.0)  # weight decay
    rho: float = ranged(0.95, 0.0, 1.0)  # Adadelta's memory
    epsilon: float = ranged(1e-6, 1e-12, 1.0)
    warm_up: float = ranged(1.0, 0.0)  # epochs until the learning rate is at its highest
    clip: float = ranged(100.0, 0.0)  # of the gradient's norm
    noise: float = ranged(0.0, 0.0, 1.0)  # share of symbols given to the next step that are wrong
    eyes: float = ranged(0.0, 0.0, 100.0)  # weight of the loss that shows attention the symbols
    eyes_end: float = ranged(0.0, 0.0, 100.0)  # the same at the end of the run
    start: str = ""  # weights to begin with, instead of chance
    average: float = ranged(0.999, 0.0, 1.0)  # of the moving average of weights
    precision: Literal["bf16", "fp32"] = "bf16"
    seed: int = ranged(0, 0, 2**31 - 1)
    validate: int = ranged(10, 1)  # epochs from one validation to the next
    save: int = ranged(10, 1)  # epochs from one saved state to the next
    save_minutes: float = ranged(5.0, 0.0)  # minutes from one to the next at most; 0: no matter

    def __post_init__(self) -> None:
        if self.batch % 4:
            raise SanError(f"training.batch: {self.batch} is no multiple of 4")


@dataclass(frozen=True)
class Config:
    name: str = "san"
    network: NetworkConfig = field(default_factory=NetworkConfig)
    data: DataConfig = field(default_factory=DataConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    synth: SynthConfig = field(default_factory=SynthConfig)


def load_config(path: Path, changes: Sequence[str] = ()) -> Config:
    """The configuration of a TOML file; `changes` are `section.key=value`, values as in TOML."""
    return config.load(Config, path, changes)


def read_config(table: Mapping[str, Any]) -> Config:
    """The configuration of a parsed TOML table."""
    return config.build(Config, table)
