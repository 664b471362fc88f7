"""Typed configurations: what is checked, and that what is printed is read back."""

import tomllib
from dataclasses import dataclass, field
from typing import Literal

import pytest

from san.config import build, ranged, to_toml
from san.errors import SanError


@dataclass(frozen=True)
class Pen:
    width: float = ranged(3.0, 0.5, 9.0, "pixels")
    angles: tuple[float, float] = ranged((0.0, 0.5), -1.0, 1.0, "lowest and highest, radians")


@dataclass(frozen=True)
class Sheet:
    name: str = 'a "quoted" name'
    ruled: bool = True
    kind: Literal["plain", "squared"] = "plain"
    pen: Pen = field(default_factory=Pen)


def test_what_is_printed_is_read_back() -> None:
    sheet = Sheet(ruled=False, pen=Pen(4.0, (-0.25, 1.0)))
    text = to_toml(sheet)
    assert build(Sheet, tomllib.loads(text)) == sheet
    assert "width = 4.0  # pixels; from 0.5 to 9" in text


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"pen": {"angles": [0.0]}}, r"pen\.angles: a list of 2 values"),
        ({"pen": {"angles": [0.0, 2]}}, r"pen\.angles\[1\]: 2\.0 is not between -1\.0 and 1\.0"),
        ({"pen": {"angles": 1.0}}, r"pen\.angles: a list of 2 values"),
        ({"pen": {"width": True}}, r"pen\.width: float is wanted"),
        ({"pen": {"colour": 1}}, r"pen\.colour: unknown; known here are width, angles"),
        ({"kind": "lined"}, r"kind: one of plain, squared"),
        ({"pen": 3}, "pen: a section"),
    ],
)
def test_wrong_values_are_one_line(table: dict[str, object], message: str) -> None:
    with pytest.raises(SanError, match=message):
        build(Sheet, table)


@dataclass(frozen=True)
class Pens:
    first: Pen = field(default_factory=Pen)
    last: Pen = field(default_factory=lambda: Pen(width=7.0))


def test_a_section_that_is_partly_told_keeps_the_defaults_of_its_factory() -> None:
    told = build(Pens, {"last": {"angles": [0.2, 0.4]}})
    assert (told.first.width, told.last.width, told.last.angles) == (3.0, 7.0, (0.2, 0.4))
