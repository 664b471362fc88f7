"""Typed configuration: TOML -> frozen dataclasses, each value checked.

- The dataclasses are the documentation: names, types, ranges and defaults stand there alone.
- An unknown key, a wrong type or a value out of range is one clear line.
"""

import dataclasses
import tomllib
import typing
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, TypeVar

from san.errors import SanError, reason

Section = TypeVar("Section")


def ranged(default: Any, least: float, most: float = float("inf")) -> Any:
    """A number with its range."""
    return field(default=default, metadata={"least": least, "most": most})


def load(kind: type[Section], path: Path, changes: Sequence[str] = ()) -> Section:
    """A configuration from a TOML file; `changes` are `section.key=value`, values as in TOML."""
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
    return build(kind, table)


def build(kind: type[Section], table: Mapping[str, Any]) -> Section:
    """A configuration from a parsed TOML table."""
    return typing.cast("Section", _build(kind, table, ""))


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
