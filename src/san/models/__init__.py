"""The networks that come with san, by name: anywhere that takes weights, `san-paper` will do.

Without any runtime: where networks are trained there may be none.
"""

import hashlib
from functools import cache
from pathlib import Path

from san.errors import SanError, brief, printable

FOLDER = Path(__file__).resolve().parent
SUFFIX = ".safetensors"
NETWORK, RESCORING = FOLDER / f"san{SUFFIX}", FOLDER / f"rescoring{SUFFIX}"
OPINION = FOLDER / f"san-densenet{SUFFIX}"
"""Which `san` asks where it is unsure; a network like others."""
ORIENTATION, STROKES = FOLDER / f"orientation{SUFFIX}", FOLDER / f"strokes{SUFFIX}"
FACTS = "san.json"
"""What every folder of an exported network has."""
SUMS = FOLDER / "SHA256SUMS"
"""Digests of the files that come with san, as `sha256sum *.safetensors` writes them."""


def find_model(source: Path) -> Path:
    """What lies at a path or, where nothing does, the weights that come with san by that name.

    A folder that holds no network hides none: whoever has cloned this has one called `san`.
    """
    if source.name != str(source) or source.suffix == SUFFIX or _is_model(source):
        return source
    shipped = shipped_models()
    if source.name not in shipped:
        name = printable(brief(source.name))
        there = ", ".join(shipped)
        raise SanError(f"{name}: no such file, nor a model that comes with san; those are: {there}")
    return shipped[source.name]


def shipped_models() -> dict[str, Path]:
    """By name. `rescoring`, `orientation` and `strokes`, beside them, read no formulas."""
    return dict(sorted((path.stem, path) for path in FOLDER.glob(f"san*{SUFFIX}")))


def check_shipped(path: Path, content: bytes | None = None) -> None:
    """SanError where a file that comes with san is not the one that came with it: a disk or a copy
    may have changed numbers that still look like weights. Without its content it is read here."""
    if path.resolve().parent != FOLDER or path.name not in (digests := shipped_digests()):
        return
    found = hashlib.sha256(path.read_bytes() if content is None else content).hexdigest()
    if found != digests[path.name]:
        raise SanError(f"{path}: damaged (not as {SUMS.name} beside it says): install san again")


@cache
def shipped_digests() -> dict[str, str]:
    """The SHA-256 of each file, by its name."""
    lines = (line.split() for line in SUMS.read_text().splitlines())
    return {name: digest for digest, name in lines}


def rescoring_for(weights: Path) -> Path:
    """What readings are rescored with: the file beside the weights, or the one of san."""
    beside = weights.parent / RESCORING.name
    try:
        return beside if weights.is_file() and beside.is_file() else RESCORING
    except (OSError, ValueError):
        return RESCORING


def is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name that is too long, or holds a zero
        return False


def _is_model(path: Path) -> bool:
    try:
        return (path / FACTS).is_file() if path.is_dir() else path.exists()
    except (OSError, ValueError):
        return False
