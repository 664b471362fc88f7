"""Weights on disk: one safetensors file that says by itself what it is.

- Half precision, except batch norm, whose variances need more range than fp16 has.
- The reversed decoder stays behind: only training needs it.
- Metadata: vocabulary, configuration and scores as JSON. A file that does not fit is refused with
  one line.
"""

import dataclasses
import json
import os
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from san.errors import SanError
from san.grammar.vocabulary import Vocabulary
from san.nn.config import NetworkConfig
from san.nn.network import SAN

FORMAT = "san-1"


def save_weights(
    path: Path,
    tensors: Mapping[str, Tensor],
    config: NetworkConfig,
    vocabulary: Vocabulary,
    facts: Mapping[str, object] | None = None,
) -> None:
    """Write what reading needs of a state dict; whole or not at all. `facts` is for people."""
    kept = {
        name: tensor.detach().cpu().to(torch.float32 if "norm" in name else torch.float16)
        for name, tensor in tensors.items()
        if not name.startswith("reversed.")
    }
    metadata = {
        "format": FORMAT,
        "network": json.dumps(dataclasses.asdict(config)),
        "vocabulary": vocabulary.to_json(),
        "facts": json.dumps(dict(facts or {})),
    }
    save_whole(path, kept, metadata)


def save_whole(path: Path, tensors: Mapping[str, Tensor], metadata: dict[str, str]) -> None:
    """A safetensors file, whole or not at all, whenever the process or the machine ends.

    What a process that was killed left of its own `.partial` is overwritten by the next.
    """
    partial = path.with_name(path.name + ".partial")
    kept = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    save_file(kept, partial, metadata)
    with partial.open("rb+") as file:
        os.fsync(file.fileno())  # else the new name may reach the disk before what it names
    partial.replace(path)


def read_facts(path: Path) -> dict[str, str]:
    """The metadata of a weights file."""
    try:
        with safe_open(path, "pt") as file:
            return dict(file.metadata() or {})
    except (OSError, SafetensorError) as error:
        raise SanError(f"{path}: no weights can be read from it ({error})") from None


def load_weights(path: Path) -> SAN:
    """The network of a weights file, ready to read."""
    facts = read_facts(path)
    if facts.get("format") != FORMAT:
        raise SanError(f"{path}: these are no weights of this network")
    try:
        config = NetworkConfig(**{**json.loads(facts["network"]), "reversed": False})
        network = SAN(config, Vocabulary.from_json(facts["vocabulary"]))
        with safe_open(path, "pt") as file:
            tensors = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
        network.load_state_dict(tensors)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        raise SanError(f"{path}: weights and configuration do not fit ({first})") from None
    return network.eval()
