"""Weights on disk: one safetensors file that says by itself what it is.

- Half precision, except batch norm, whose variances need more range than fp16 has.
- The reversed decoder stays behind: only training needs it.
- A network may be initialised with weights of one that knows other symbols: rows of a symbol are
  found by its name, and rows of new symbols stay random.
- Metadata: vocabulary, configuration and scores as JSON. A file that does not fit is refused with
  one line.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from san.errors import SanError
from san.files import whole_file
from san.grammar.vocabulary import Vocabulary
from san.model.checksum import CHECKSUM, checksum
from san.model.spec import FORMAT, NetworkConfig, is_float32, read_metadata
from san.model.torch.base import Network
from san.model.torch.kinds import build_network
from san.model.torch.network import SAN
from san.models import check_shipped


def save_weights(
    path: Path,
    tensors: Mapping[str, Tensor],
    config: NetworkConfig,
    vocabulary: Vocabulary,
    facts: Mapping[str, object] | None = None,
) -> None:
    """Write what reading needs of a state dict; whole or not at all. `facts` is for people."""
    kept = {
        name: tensor.detach().cpu().to(torch.float32 if is_float32(name) else torch.float16)
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
    """A safetensors file, whole or not at all, whenever the process or the machine ends."""
    kept = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    metadata = {**metadata, CHECKSUM: checksum_of(kept)}
    try:
        with whole_file(path) as partial:
            # safetensors puts a file of its own there, which nobody else may read: this one, made
            # as any other, tells what the umask allows. What a killed process left does not.
            partial.unlink(missing_ok=True)
            partial.touch()
            mode = partial.stat().st_mode
            save_file(kept, partial, metadata)
            partial.chmod(mode)
    except SafetensorError as error:
        why = str(error).splitlines()[0].lower()
        raise SanError(f"{path}: cannot be written ({why})") from error


def checksum_of(tensors: Mapping[str, Tensor]) -> str:
    return checksum({name: tensor.numpy() for name, tensor in tensors.items()})


def check_tensors(tensors: Mapping[str, Tensor], facts: Mapping[str, str], name: str) -> None:
    """SanError for numbers that are not those that were written, or that are none."""
    if facts.get(CHECKSUM) not in (None, checksum_of(tensors)):
        raise SanError(f"{name}: damaged (the checksum is another)")
    for tensor_name, tensor in tensors.items():
        if tensor.is_floating_point() and not bool(tensor.isfinite().all()):
            raise SanError(f"{name}: damaged ({tensor_name} is not of finite numbers)")


def read_facts(path: Path) -> dict[str, str]:
    """The metadata of a weights file."""
    try:
        with safe_open(path, "pt") as file:
            return dict(file.metadata() or {})
    except (OSError, SafetensorError) as error:
        raise SanError(f"{path}: no weights can be read from it ({error})") from None


def load_weights(path: Path) -> Network:
    """The network of a weights file, ready to read."""
    facts = read_facts(path)
    config, vocabulary = read_metadata(facts, str(path))
    try:
        network = build_network(dataclasses.replace(config, reversed=False), vocabulary)
        with safe_open(path, "pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        network.load_state_dict({name: tensor.float() for name, tensor in tensors.items()})
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        first = str(error).splitlines()[0]
        raise SanError(f"{path}: weights and configuration do not fit ({first})") from None
    check_tensors(tensors, facts, str(path))
    check_shipped(path)
    return network.eval()


def load_san(path: Path) -> SAN:
    """The same, for those who need steps: SAN, SAN-GS or DWAP."""
    network = load_weights(path)
    if not isinstance(network, SAN):
        raise SanError(f"{path}: a network of kind {network.config.kind} has no steps of SAN")
    return network


OPTIONAL = (
    "reversed.", "decoder.fine_attention.", "decoder.context.", "decoder.head_in.",
    "decoder.head_out.",
)  # fmt: skip
BY_PARTNER = ("decoder.embedding.weight",)
BY_TARGET = tuple(
    f"decoder.{head}_head.{part}" for head in ("symbol", "parent") for part in ("weight", "bias")
)


def init_from(network: Network, path: Path) -> str:
    """Initialise a network with the weights of a file; the message says how many symbols it knew.

    A reversed decoder is not in the file and stays random. Fine attention, context transformer, the
    heads' MLP and the last residual blocks of a stage may be missing, too: what they add begins at
    zero.
    """
    source = load_weights(path)
    optional = (*OPTIONAL, *_added_blocks(source.config, network.config))
    old, new = source.vocabulary, network.vocabulary
    tensors, random = source.state_dict(), network.state_dict()
    for names, before, after in (
        (BY_PARTNER, old.partners, new.partners),
        (BY_TARGET, old.targets, new.targets),
    ):
        place = {partner: number for number, partner in enumerate(before)}
        here = [number for number, partner in enumerate(after) if partner in place]
        there = [place[after[number]] for number in here]
        for name in set(names) & tensors.keys() & random.keys():
            rows = random[name].clone()
            # New rows are as small as trained ones, or they would drown them out.
            rows *= min(1.0, float(tensors[name].std() / rows.std().clamp(min=1e-9)))
            if rows.shape[1:] == tensors[name].shape[1:]:
                rows[here] = tensors[name][there]
                tensors[name] = rows
    try:
        keys = network.load_state_dict(tensors, strict=False)
        fits = not keys.unexpected_keys and all(n.startswith(optional) for n in keys.missing_keys)
    except RuntimeError:
        fits = False
    if not fits:
        raise SanError(f"{path}: these are weights of another network")
    kept = len(set(old.symbols) & set(new.symbols))
    return (
        f"{path}: weights of {kept} symbols taken over, {len(new.symbols) - kept} are new, "
        f"{len(old.symbols) - kept} dropped"
    )


def _added_blocks(old: NetworkConfig, new: NetworkConfig) -> Iterator[str]:
    """What the names of residual blocks begin with that only the new network has."""
    stages = zip(old.residual_blocks, new.residual_blocks, strict=True)
    for stage, (before, after) in enumerate(stages):
        for block in range(before, after):
            yield f"encoder.stages.{stage}.{block}."
