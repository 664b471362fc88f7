"""A training run's whole configuration: TOML -> frozen dataclasses, each value checked.

- The dataclasses are the documentation: names, types, ranges and defaults stand here alone.
- The defaults are the paper's recipe. A file names only what it changes.
- An unknown key, a wrong type or a value out of range is one clear line.
"""

import dataclasses
import tomllib
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from san.errors import SanError, reason
from san.nn.config import NetworkConfig


def ranged(default: Any, least: float, most: float = float("inf")) -> Any:
    """A number with its range."""
    return field(default=default, metadata={"least": least, "most": most})


@dataclass(frozen=True)
class DataConfig:
    """Packed corpora (`san data pack`)."""

    train: str = ""
    validation: str = ""  # empty: none
    buckets: int = ranged(14, 1, 200)  # how many image shapes at most
    levels: int = ranged(9, 1, 100)  # how many tree depths are told apart at most
    window: int = ranged(8, 1, 1000)  # batches' worth of samples sorted by depth at a time


class Shares(NamedTuple):
    """How much of an epoch each kind of samples is; see `ComposeConfig`."""

    composed: float
    varied: float
    schooled: float
    photographed: float
    plain: float


@dataclass(frozen=True)
class ComposeConfig:
    """Samples that are made while training runs, instead of the corpus as it is.

    Five kinds in shares that need not add up to one; towards the end of the run they may become
    others, for what is to be read in the end is writing as people leave it.
    """

    samples: int = ranged(0, 0, 1_000_000)  # in an epoch; 0: none are made
    formulas: str = ""  # a file of LaTeX, a formula a line: what is composed
    school: str = ""  # another: what is written at school
    photos: str = ""  # a pack of cleaned photographs (`san data pack --clean`)
    harvest: str = ""  # glyphs of photographs (`san ink harvest`), for the school's formulas
    places: str = ""  # where symbols of the photographs stand (`--places`), to recombine them
    blend: float = ranged(0.0, 0.0, 1.0)  # of what is made of ink: by hands between hands
    composed: float = ranged(0.5, 0.0, 1.0)  # formulas in ink put together from the corpus's
    varied: float = ranged(0.35, 0.0, 1.0)  # the corpus's ink, varied
    plain: float = ranged(0.15, 0.0, 1.0)  # the corpus as it is
    schooled: float = ranged(0.0, 0.0, 1.0)  # the school's formulas, as on cleaned photographs
    photographed: float = ranged(0.0, 0.0, 1.0)  # photographs, each time as if taken once more
    worn: float = ranged(0.0, 0.0, 1.0)  # of the composed and varied: as on cleaned photographs
    fade: float = ranged(1.0, 0.0, 1.0)  # the part of the run after which shares begin to change
    last_composed: float = ranged(0.0, 0.0, 1.0)  # the shares at its end
    last_varied: float = ranged(0.5, 0.0, 1.0)
    last_plain: float = ranged(0.5, 0.0, 1.0)
    last_schooled: float = ranged(0.0, 0.0, 1.0)
    last_photographed: float = ranged(0.0, 0.0, 1.0)
    workers: int = ranged(0, 0, 1000)  # processes that make them; 0: as many as there are cores

    def __post_init__(self) -> None:
        if not self.samples:
            return
        for prefix, shares in (("", self._first), ("last_", self._last)):
            if not sum(shares):
                names = ", ".join(prefix + name for name in Shares._fields)
                raise SanError(f"compose: of {names} one must be above 0")
        used = Shares(*map(max, self._first, self._last))
        for name, kind, share in (
            ("formulas", "composed", used.composed),
            ("school", "schooled", used.schooled),
            ("photos", "photographed", used.photographed),
        ):
            if share and not getattr(self, name):
                raise SanError(f"compose.{name} names no file, but some are to be {kind}")
        if self.places and not (self.photos and self.harvest):
            raise SanError("compose.places needs compose.photos and compose.harvest")

    @property
    def _first(self) -> Shares:
        return Shares(
            self.composed, self.varied, self.schooled, self.photographed, self.plain
        )  # fmt: skip

    @property
    def _last(self) -> Shares:
        return Shares(
            self.last_composed,
            self.last_varied,
            self.last_schooled,
            self.last_photographed,
            self.last_plain,
        )

    def shares(self, done: float) -> Shares:
        """Adding up to one, where so much of the run is done."""
        first, last = self._first, self._last
        faded = (done - self.fade) / (1 - self.fade) if done > self.fade else 0.0
        return Shares(
            *(
                (1 - faded) * one / sum(first) + faded * other / sum(last)
                for one, other in zip(first, last, strict=True)
            )
        )


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
    compose: ComposeConfig = field(default_factory=ComposeConfig)


def load_config(path: Path, changes: Sequence[str] = ()) -> Config:
    """The configuration of a TOML file; `changes` are `section.key=value`, values as in TOML."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SanError(f"{path}: {reason(error)}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SanError(f"{path}: not TOML: {error}") from None
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise SanError(f"{change!r}: a change is written section.key=value")
        at: dict[str, Any] = table
        *sections, last = key.strip().split(".")
        for section in sections:
            at = at.setdefault(section, {})
            if not isinstance(at, dict):
                raise SanError(f"{key}: {section} is no section")
        at[last] = _value(value.strip())
    return read_config(table)


def read_config(table: Mapping[str, Any]) -> Config:
    """The configuration of a parsed TOML table."""
    return typing.cast("Config", _build(Config, table, ""))


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text  # a bare word is a string


def _build(kind: type[Any], table: Mapping[str, Any], within: str) -> Any:
    hints = typing.get_type_hints(kind)
    known = {own.name: own for own in dataclasses.fields(kind)}
    values: dict[str, Any] = {}
    for key, value in table.items():
        where = f"{within}{key}"
        if key not in known:
            raise SanError(f"{where}: unknown; known here are {', '.join(known)}")
        if dataclasses.is_dataclass(hints[key]):
            if not isinstance(value, Mapping):
                raise SanError(f"{where}: a section, not {value!r}")
            values[key] = _build(typing.cast("type[Any]", hints[key]), value, f"{where}.")
        else:
            values[key] = _check(where, value, hints[key], known[key].metadata)
    return kind(**values)


def _check(where: str, value: Any, hint: Any, metadata: Mapping[str, Any]) -> Any:
    if typing.get_origin(hint) is Literal:
        choices = typing.get_args(hint)
        if value not in choices:
            raise SanError(f"{where}: one of {', '.join(map(str, choices))}, not {value!r}")
        return value
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    assert isinstance(hint, type), "options are plain values"
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise SanError(f"{where}: {hint.__name__} is wanted, not {value!r}")
    least, most = metadata.get("least", -float("inf")), metadata.get("most", float("inf"))
    if isinstance(value, int | float) and not least <= value <= most:
        raise SanError(f"{where}: {value} is not between {least} and {most}")
    return value
