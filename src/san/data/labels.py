"""Files of labels -> LaTeX by id.

Two forms: `id<TAB>LaTeX`, a line each (.tsv, .txt), and JSON lines (.jsonl) such as
{"id": "a", "latex": "x^2"}, where "file" serves for "id" as well. A bad line is skipped and named.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from san.data.files import id_of
from san.data.sample import DataError, Fault, Skip

SUFFIXES = (".tsv", ".jsonl", ".txt")


@dataclass(frozen=True)
class Labels:
    """What a file of labels says, and what of it could not be used."""

    name: str
    latex: dict[str, str]
    skipped: tuple[Skip, ...] = ()


def load_labels(path: Path) -> Labels:
    """Read a file of labels from disk."""
    try:
        return read_labels(path.read_bytes(), path.name)
    except OSError as error:
        raise DataError(f"{path}: {(error.strerror or str(error)).lower()}") from error


def read_labels(content: bytes, name: str) -> Labels:
    """Read the bytes of a file of labels; its name tells the form."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not UTF-8 text: byte {error.start + 1}") from error
    split = _json_line if name.lower().endswith(".jsonl") else _tab_line
    latex: dict[str, str] = {}
    skipped = []
    for place, line in _lines(text, name):
        try:
            key, label = split(line)
        except ValueError as error:
            skipped.append(Skip(place, Fault.LINE, str(error)))
            continue
        if key in latex:
            skipped.append(Skip(place, Fault.TWICE, f"a second label for {key!r}"))
        else:
            latex[key] = label
    if not latex:
        first = f" ({skipped[0].name}: {skipped[0].detail})" if skipped else ""
        raise DataError(f"{name}: no labels in it{first}; a line is id<TAB>LaTeX")
    return Labels(name, latex, tuple(skipped))


def _lines(text: str, name: str) -> Iterator[tuple[str, str]]:
    # Not splitlines(): it would also cut at rarer characters, which a label may hold.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{name} line {number}", line.strip("\r")


def _tab_line(line: str) -> tuple[str, str]:
    key, tab, label = line.partition("\t")
    if not tab or not key.strip():
        raise ValueError("no tab between an id and its LaTeX")
    return id_of(key), label.strip()


def _json_line(line: str) -> tuple[str, str]:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError("not JSON") from error
    if not isinstance(entry, dict):
        raise ValueError("not a JSON object")
    key, label = entry.get("id", entry.get("file")), entry.get("latex")
    if not isinstance(key, str) or not key.strip() or not isinstance(label, str):
        raise ValueError('an object needs "id" (or "file") and "latex", both text')
    return id_of(key), label.strip()
