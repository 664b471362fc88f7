"""Files of labels -> LaTeX by id.

Two forms: `id<TAB>LaTeX`, a line each (.tsv, .txt), and JSON lines (.jsonl) such as
{"id": "a", "latex": "x^2"}, where "file" serves for "id" as well. A bad line is skipped and named.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from san.data.ids import id_of
from san.data.sample import DataError, Fault, Skip
from san.errors import brief
from san.files import read_file

SUFFIXES = (".tsv", ".jsonl", ".txt")


@dataclass(frozen=True)
class Labels:
    """What a file of labels says, and what of it could not be used."""

    name: str
    latex: dict[str, str]
    skipped: tuple[Skip, ...] = ()
    path: Path | None = None  # None: inside a zip, or no file at all


def load_labels(path: Path) -> Labels:
    """Read a file of labels from disk; it must hold some."""
    return read_labels(read_file(path), path.name, path)


def read_labels(content: bytes, name: str, path: Path | None = None) -> Labels:
    """Read the bytes of a file of labels; its name tells the form."""
    return demand_some(parse_labels(content, name, id_of, path))


def demand_some(labels: Labels, what: str = "labels") -> Labels:
    """The same labels, unless there are none."""
    if not labels.latex:
        bad = labels.skipped[0] if labels.skipped else None
        first = f" ({bad.name}: {bad.detail})" if bad else ""
        raise DataError(f"{labels.name}: no {what} in it{first}; a line is id<TAB>LaTeX")
    return labels


def parse_labels(
    content: bytes, name: str, key_of: Callable[[str], str], path: Path | None = None
) -> Labels:
    """Whatever lines there are; `key_of` makes of a written id the one to know it by."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataError(f"{name}: not UTF-8 text: byte {error.start + 1}") from error
    split = _json_line if name.lower().endswith(".jsonl") else _tab_line
    latex: dict[str, str] = {}
    skipped = []
    for place, line in _lines(text, name):
        try:
            written, label = split(line)
        except ValueError as error:
            skipped.append(Skip(place, Fault.LINE, str(error)))
            continue
        key = key_of(written)
        if key in latex:
            skipped.append(Skip(place, Fault.TWICE, f"a second line for {brief(key)!r}"))
        else:
            latex[key] = label
    return Labels(name, latex, tuple(skipped), path)


def _lines(text: str, name: str) -> Iterator[tuple[str, str]]:
    # Not splitlines(): it would also cut at rarer characters, which a label may hold.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"{name} line {number}", line.strip("\r")


def _tab_line(line: str) -> tuple[str, str]:
    key, tab, label = line.partition("\t")
    if not tab or not key.strip():
        raise ValueError("no tab between an id and its LaTeX")
    if "\t" in label.rstrip():
        raise ValueError("more than one tab: an id, its LaTeX and nothing else")
    return key, label.strip()


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
    return key, label.strip()
