"""Typed configuration: TOML -> frozen dataclasses, each value checked.

- The dataclasses are the documentation: names, types, ranges and defaults stand there alone.
- An unknown key, a wrong type or a value out of range is one clear line.
"""

import dataclasses
import json
import tomllib
import typing
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import Any, Literal, TypeVar

from san.errors import SanError
from san.files import read_file

MAX_BYTES = 1_000_000
"""Of a file of TOML."""

Section = TypeVar("Section")


def ranged(default: Any, low: float, high: float = float("inf"), doc: str = "") -> Any:
    """A field that holds a number, or a tuple of numbers, each of them from `low` to `high`.

    `doc` says what it is: `to_toml` prints it beside the value.
    """
    return field(default=default, metadata={"low": low, "high": high, "doc": doc})


def described(default: Any, doc: str) -> Any:
    """A field that is no number; `doc` says what it is, as in `ranged`."""
    return field(default=default, metadata={"doc": doc})


def load(kind: type[Section], path: Path, changes: Sequence[str] = ()) -> Section:
    """A configuration from a TOML file; `changes` are `section.key=value`, values as in TOML."""
    return build(kind, changed(read_table(path), changes))


def read_table(path: Path) -> dict[str, Any]:
    """A TOML file, parsed."""
    try:
        return tomllib.loads(read_file(path, MAX_BYTES).decode())
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SanError(f"{path}: not TOML: {error}") from None


def merged(table: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """A table with the values of another in place of its own, section by section."""
    result = dict(table)
    for key, value in over.items():
        section = result.get(key)
        both = isinstance(section, Mapping) and isinstance(value, Mapping)
        result[key] = merged(section, value) if both else value  # type: ignore[arg-type]
    return result


def changed(table: Mapping[str, Any], changes: Sequence[str]) -> dict[str, Any]:
    """A parsed TOML table with some values changed, each written `section.key=value`."""
    table = merged({}, table)
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals:
            raise SanError(f"{change!r}: a change is written section.key=value")
        at: dict[str, Any] = table
        *sections, last = key.strip().split(".")
        for section in sections:
            inner = _copy(at.get(section, {}), f"{key}: {section}")
            at[section] = inner
            at = inner
        at[last] = _value(value.strip())
    return table


def _copy(section: object, name: str) -> dict[str, Any]:
    if not isinstance(section, Mapping):
        raise SanError(f"{name} is no section")
    return dict(section)


def build(kind: type[Section], table: Mapping[str, Any]) -> Section:
    """A configuration from a parsed TOML table."""
    return typing.cast("Section", _build(kind, {}, table, ""))


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text  # a bare word is a string


def _build(
    kind: type[Any], defaults: Mapping[str, Any], table: Mapping[str, Any], within: str
) -> Any:
    """`defaults`: fields that differ from those of `kind`, as a section's factory sets them."""
    hints = typing.get_type_hints(kind)
    known = {option.name: option for option in dataclasses.fields(kind)}
    values = dict(defaults)
    for key, value in table.items():
        where = f"{within}{key}"
        if key not in known:
            raise SanError(f"{where}: unknown; known here are {', '.join(known)}")
        if dataclasses.is_dataclass(hints[key]):
            if not isinstance(value, Mapping):
                raise SanError(f"{where}: a section, not {value!r}")
            section = typing.cast("type[Any]", hints[key])
            preset = values[key] if key in values else _default(known[key])
            values[key] = _build(section, _shallow(preset), value, f"{where}.")
        else:
            values[key] = _check(where, value, hints[key], known[key].metadata)
    return kind(**values)


def _default(option: "dataclasses.Field[Any]") -> Any:
    factory = option.default_factory
    return option.default if factory is dataclasses.MISSING else factory()


def _shallow(section: Any) -> dict[str, Any]:
    """The fields of a section; none where there is no default."""
    if section is dataclasses.MISSING:
        return {}
    return {option.name: getattr(section, option.name) for option in dataclasses.fields(section)}


def _check(where: str, value: Any, hint: Any, metadata: Mapping[str, Any]) -> Any:
    if typing.get_origin(hint) is Literal:
        choices = typing.get_args(hint)
        if value not in choices:
            raise SanError(f"{where}: one of {', '.join(map(str, choices))}, not {value!r}")
        return value
    if typing.get_origin(hint) is tuple:
        hints = typing.get_args(hint)
        if hints[1:] == (...,):  # any number of values of one type
            if not isinstance(value, list | tuple):
                raise SanError(f"{where}: a list is wanted, not {value!r}")
            hints = hints[:1] * len(value)
        if not isinstance(value, list | tuple) or len(value) != len(hints):
            raise SanError(f"{where}: a list of {len(hints)} values is wanted, not {value!r}")
        return tuple(
            _check(f"{where}[{place}]", item, item_hint, metadata)
            for place, (item, item_hint) in enumerate(zip(value, hints, strict=True))
        )
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    assert isinstance(hint, type), "options are plain values"
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise SanError(f"{where}: {hint.__name__} is wanted, not {value!r}")
    low, high = metadata.get("low", -float("inf")), metadata.get("high", float("inf"))
    if isinstance(value, int | float) and not low <= value <= high:
        raise SanError(f"{where}: {value} is not between {low} and {high}")
    return value


def to_toml(config: Any, section: str = "") -> str:
    """The whole of a configuration as TOML that `load` takes, each value with its description.

    `section`: of the file, in which it stands.
    """
    return "\n".join(_lines(config, section)).lstrip("\n") + "\n"


def _lines(config: Any, section: str) -> list[str]:
    lines: list[str] = []
    nested: list[str] = []
    for option in dataclasses.fields(config):
        value = getattr(config, option.name)
        if dataclasses.is_dataclass(value):
            nested += _lines(value, f"{section}.{option.name}".lstrip("."))
        else:
            comment = _comment(option.metadata)
            lines.append(f"{option.name} = {_toml(value)}" + (f"  # {comment}" if comment else ""))
    header = ["", f"[{section}]"] if section and lines else []
    return header + lines + nested


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    # JSON's strings are TOML's basic strings; Python's numbers are TOML's.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _comment(metadata: Mapping[str, Any]) -> str:
    low, high = metadata.get("low"), metadata.get("high")
    between = (
        "" if low is None else f"from {low:g}" + ("" if high == float("inf") else f" to {high:g}")
    )
    return "; ".join(part for part in (metadata.get("doc", ""), between) if part)
