"""The files of a run's folder: their names, and what weights and values in it say.

Without torch: whoever asks whether a stage is finished need not wait for it.
"""

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from san.errors import SanError
from san.files import make_folder, write_file
from san.training.config import Config, read_config

WEIGHTS, STATE, LOG, VALUES = "weights.safetensors", "state.safetensors", "log.jsonl", "config.json"
"""What reading needs; what going on needs; a line an epoch; what a stage is trained with."""
BEST = "best.safetensors"
"""The weights of the validation that read most (`training.keep_best`)."""


def stage_facts(folder: Path) -> dict[str, Any]:
    """What the weights of a run's folder say of themselves; nothing where there are none."""
    weights = folder / WEIGHTS
    if not weights.exists():
        return {}
    try:
        with safe_open(weights, "np") as file:
            facts = json.loads((file.metadata() or {}).get("facts", "{}"))
    except (OSError, SafetensorError, ValueError) as error:
        raise SanError(f"{weights}: no weights can be read from it ({error})") from None
    return facts if isinstance(facts, dict) else {}


def is_finished(folder: Path) -> bool:
    """Whether the weights of a run's folder are those of the end of its schedule."""
    return bool(stage_facts(folder).get("finished"))


def keep_values(folder: Path, config: Config) -> None:
    """Write down what a run is trained with."""
    make_folder(folder)
    write_file(folder / VALUES, json.dumps(dataclasses.asdict(config), indent=1) + "\n")


def check_values(folder: Path, config: Config) -> None:
    """SanError where a run was trained with other values than these."""
    file = folder / VALUES
    if not file.exists():
        return
    try:
        before = read_config(json.loads(file.read_text("utf-8")))
    except (ValueError, TypeError, SanError):
        return  # of another version: what can be compared is not known
    if before != config:
        old, new = (
            json.loads(json.dumps(dataclasses.asdict(values))) for values in (before, config)
        )
        raise SanError(
            f"{folder}: trained with other values ({_first_difference(old, new)}); "
            "move it away to train it anew"
        )


def _first_difference(old: Mapping[str, Any], new: Mapping[str, Any], within: str = "") -> str:
    key = next(key for key in new if old.get(key) != new[key])
    if isinstance(new[key], Mapping):
        return _first_difference(old[key], new[key], f"{within}{key}.")
    return f"{within}{key} was {old.get(key)!r}, is {new[key]!r}"
