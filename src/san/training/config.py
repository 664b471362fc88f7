"""A training run's whole configuration. The defaults are the paper's recipe.

A training that is longer than one stretch of GPU time is made of stages, all declared in one file:
`[[stages]]` have a name and the sections of the file once more, with those values alone that differ
from it; `like` names an earlier stage whose values they have as well. So each stage is a whole
`Config`. One that is the `mean_of` earlier stages is not trained. A `trial` is trained only
when it is named, and nothing but a trial is made of it.
"""

import dataclasses
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, Literal

from san import config
from san.config import described, ranged
from san.errors import SanError, brief
from san.model.spec import NetworkConfig
from san.synth.config import SynthConfig
from san.training.rescoring_config import SECTIONS
from san.training.warp import WarpConfig


@dataclass(frozen=True)
class DataConfig:
    """Packed corpora (`san data pack`)."""

    train: str = described("", "the corpus to train on")
    validation: str = described("", "the corpus to validate on; empty: none")
    buckets: int = ranged(14, 1, 200, "image shapes at most, to which images are padded")
    depth_buckets: int = ranged(9, 1, 100, "tree depths that are told apart at most")
    batches: Literal["bucketed", "random"] = described(
        "bucketed",
        "bucketed: of images of one shape; random: of any, in the smallest bucket for all of them",
    )
    sort_window: int = ranged(
        8, 1, 1000, "bucketed batches' worth of samples sorted by depth at a time"
    )
    validation_photos: tuple[str, ...] = described(
        (), "packs of photographs to validate on beside it; no sample may be made of them"
    )


@dataclass(frozen=True)
class TrainingConfig:
    """Optimiser, schedule, losses, and what is written when."""

    epochs: int = ranged(200, 1, doc="the schedule's length")
    minutes: float = ranged(0.0, 0.0, doc="the schedule's length by the clock instead; 0: epochs")
    batch_size: int = ranged(8, 4, 1024, "images of a step on one device, a multiple of 4")
    optimiser: Literal["adadelta", "adamw", "muon"] = described(
        "adadelta", "adadelta, adamw, or muon: matrices by their momentum made orthogonal"
    )
    learning_rate: float = ranged(1.0, 0.0, 10.0, "the highest; half a cosine takes it down")
    final_rate: float = ranged(0.0, 0.0, 1.0, "part of the highest that is left at the end")
    weight_decay: float = ranged(1e-4, 0.0, 1.0, "of AdamW and Muon it spares vectors")
    rho: float = ranged(0.95, 0.0, 1.0, "Adadelta's decay of squared gradients")
    epsilon: float = ranged(1e-6, 1e-12, 1.0, "Adadelta's")
    warmup_epochs: float = ranged(1.0, 0.0, doc="until the learning rate is at its highest")
    clip_norm: float = ranged(100.0, 1e-9, doc="the gradient's largest norm")
    partner_noise: float = ranged(
        0.0, 0.0, 1.0, "share of symbols given to the next step that are replaced by others"
    )
    label_smoothing: float = ranged(
        0.0, 0.0, 0.99, "part of a symbol's target that is spread over all symbols"
    )
    relation_steps: Literal["extend", "all"] = described(
        "extend", "relations are trained at extend: E steps alone; all: every step, most open none"
    )
    divergence: Literal["reversed", "forward"] = described(
        "reversed",
        "eq. 12 is reversed: KL(reversed || forward), as printed; forward: KL(forward || reversed)",
    )
    steps_per_image: float = ranged(
        0.0, 0.0, 10_000.0, "losses are sums over batch_size times so many steps; 0: over a batch's"
    )
    attention_loss: float = ranged(
        0.0, 0.0, 100.0, "weight of the loss that puts attention on the symbol's box"
    )
    attention_loss_end: float = ranged(0.0, 0.0, 100.0, "the same at the end of the run")
    init_weights: str = described("", "weights to begin with; empty: random ones")
    keep_symbols: bool = described(
        False, "their symbols stay in the vocabulary, though the corpus may lack some"
    )
    frozen: tuple[str, ...] = described(
        (), "parts of the network that stay as they are, as encoder.stages.0; on a CPU alone"
    )
    ema: float = ranged(0.999, 0.0, 1.0, "decay of the moving average of weights")
    norm_batches: int = ranged(
        0, 0, 10_000, "batches that the average's batch norms are measured on anew; 0: they are not"
    )
    precision: Literal["bf16", "fp32"] = described("bf16", "bf16 or fp32; on a CPU always fp32")
    seed: int = ranged(0, 0, 2**31 - 1, "of weights, batches, dropout and samples")
    validate_every: int = ranged(10, 1, doc="epochs from one validation to the next")
    keep_best: bool = described(
        False, "the weights of the validation with the highest ExpRate are kept beside the last"
    )
    save_every: int = ranged(10, 1, doc="epochs from one saved state to the next")
    save_minutes: float = ranged(
        5.0, 0.0, doc="minutes from one saved state to the next at most; 0: no matter"
    )
    warp: WarpConfig = field(default_factory=WarpConfig)

    def __post_init__(self) -> None:
        if self.batch_size % 4:
            raise SanError(f"training.batch_size: {self.batch_size} is no multiple of 4")
        if self.frozen and self.norm_batches:
            raise SanError("training.norm_batches: what is frozen would not stay as it is")


@dataclass(frozen=True)
class Config:
    """All of a run."""

    name: str = described("san", "the run's folder in runs/")
    network: NetworkConfig = field(default_factory=NetworkConfig)
    data: DataConfig = field(default_factory=DataConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    synth: SynthConfig = field(default_factory=SynthConfig)

    def __post_init__(self) -> None:
        path = PurePath(self.name)
        if path.is_absolute() or not path.parts or ".." in path.parts:
            raise SanError(f"name: {brief(self.name)!r} is no folder within runs/")
        if not self.data.validation:
            if self.data.validation_photos:
                raise SanError("data.validation_photos: they stand beside data.validation")
            if self.training.keep_best:
                raise SanError("training.keep_best: without data.validation there is no best")


STAGE_NAME = re.compile(r"[a-z0-9][a-z0-9-]*")


@dataclass(frozen=True)
class Stage:
    """A part of a training."""

    name: str  # empty: the file has no stages
    init: str  # the stage whose weights it begins with; empty: training.init_weights, or chance
    config: Config
    mean_of: tuple[str, ...] = ()  # two stages or more, earlier ones first: no training
    trial: bool = False  # trained only when it is named

    @property
    def origins(self) -> tuple[str, ...]:
        """The stages whose weights it takes."""
        return self.mean_of or ((self.init,) if self.init else ())


def load_stages(path: Path, changes: Sequence[str] = ()) -> tuple[Stage, ...]:
    """The stages of a TOML file; `changes` are of all of them. Without any, the file is one."""
    table = config.read_table(path)
    for own in SECTIONS:  # of networks that see no picture: no stage has them
        table.pop(own, None)
    sections = table.pop("stages", None)
    if sections is None:
        return (Stage("", "", read_config(config.changed(table, changes))),)
    if not isinstance(sections, list) or not sections:
        raise SanError(f"{path}: stages are written [[stages]], one after the other")
    stages: list[Stage] = []
    known: dict[str, Mapping[str, Any]] = {}  # what each stage says, and those that it is like
    for section in sections:
        trials = {stage.name for stage in stages if stage.trial}
        stages.append(_stage(table, section, changes, known, trials))
    return tuple(stages)


def _stage(
    table: Mapping[str, Any],
    section: object,
    changes: Sequence[str],
    known: dict[str, Mapping[str, Any]],
    trials: Collection[str],
) -> Stage:
    """`known` are the values of the stages before, `trials` among them; this one's are added."""
    before = [*known]
    where = f"stages[{len(before)}]"
    if not isinstance(section, Mapping):
        raise SanError(f"{where}: a section, not {section!r}")
    values = dict(section)
    begins = "init" in values  # with what the stage says itself
    name, like, mean_of = values.pop("name", ""), values.pop("like", ""), values.pop("mean_of", [])
    init = values.pop("init", before[-1] if before and not mean_of else "")
    trial = values.pop("trial", False)
    if not isinstance(name, str) or not STAGE_NAME.fullmatch(name) or name in before:
        raise SanError(f"{where}.name: small letters, digits and hyphens, of no other stage")
    if not isinstance(trial, bool):
        raise SanError(f"{where}.trial: true or false, not {trial!r}")
    if not isinstance(mean_of, list) or len(mean_of) == 1 or (mean_of and init):
        raise SanError(f"{where}.mean_of: the names of two stages or more, and no init beside them")
    known_or_none = {"", *before}
    for key, other, allowed in (
        ("init", init, known_or_none),
        ("like", like, known_or_none),
        *(("mean_of", other, known.keys()) for other in mean_of),
    ):
        if not isinstance(other, str) or other not in allowed:
            raise SanError(f"{where}.{key}: no stage before {name} is called {other!r}")
        if other in trials and not trial:
            raise SanError(f"{where}.{key}: {other} is a trial, and {name} is none")
    order = [before.index(other) for other in mean_of]
    if order != sorted(set(order)):
        raise SanError(f"{where}.mean_of: earlier stages first, none of them twice")
    own = values.get("training")
    given = isinstance(own, Mapping) and "init_weights" in own
    if like:
        values = config.merged(known[like], values)
    merged = config.merged(table, values)
    if (init or begins) and not given and isinstance(merged.get("training"), Mapping):
        # Those that the file or another stage begins with are not this one's.
        merged["training"] = {
            key: value for key, value in merged["training"].items() if key != "init_weights"
        }
    try:
        whole = read_config(config.changed(merged, changes))
    except SanError as error:
        raise SanError(f"{where} ({name}): {error}") from None
    if init and whole.training.init_weights:
        raise SanError(f"{where}: init = {init!r} and training.init_weights are one too many")
    known[name] = values
    whole = dataclasses.replace(whole, name=f"{whole.name}/{name}")
    return Stage(name, init, whole, tuple(mean_of), trial)


def choose_stages(stages: Sequence[Stage], name: str | None) -> Sequence[Stage]:
    """The one of this name; all but trials without a name."""
    chosen = [stage for stage in stages if stage.name == name or (name is None and not stage.trial)]
    if not chosen:
        known = ", ".join(stage.name for stage in stages if stage.name) or "none"
        if name is None:
            raise SanError(f"all stages are trials, each trained only when it is named: {known}")
        raise SanError(f"no stage is called {name!r}; there are: {known}")
    return chosen


def print_stages(stages: Sequence[Stage]) -> str:
    """All values of all stages as TOML that `load_stages` takes, each with its description."""
    if not stages[0].name:
        return config.to_toml(stages[0].config)
    name = stages[0].config.name.rpartition("/")[0]
    parts = [f"name = {json.dumps(name)}\n"]
    for stage in stages:
        parts.append(
            f"[[stages]]\nname = {json.dumps(stage.name)}\n"
            f"init = {json.dumps(stage.init)}  # the stage whose weights it begins with\n"
            f"mean_of = {json.dumps(stage.mean_of)}  # these stages; nothing: it is trained\n"
            f"trial = {json.dumps(stage.trial)}  # trained only when it is named\n"
        )
        for section in dataclasses.fields(stage.config):
            value = getattr(stage.config, section.name)
            if dataclasses.is_dataclass(value):
                parts.append(config.to_toml(value, f"stages.{section.name}"))
    return "\n".join(parts)


def load_config(path: Path, changes: Sequence[str] = (), stage: str | None = None) -> Config:
    """The configuration of a TOML file. Where it has stages: of the one of this name, or of its
    last that is no trial.

    `changes` are `section.key=value`, values as in TOML.
    """
    return choose_stages(load_stages(path, changes), stage)[-1].config


def read_config(table: Mapping[str, Any]) -> Config:
    """The configuration of a parsed TOML table."""
    return config.build(Config, table)
