"""Fields of JSON that strangers sent: each is what it should be, or an AnswerError."""

import math
from collections.abc import Mapping
from typing import Any

from san.errors import SanError, printable
from san.ink import Box

MAX_LINE = 300
"""Characters of a line that a service says; the rest is left out."""


class AnswerError(SanError):
    """What came is no answer of such a service."""

    def __init__(self, what: str) -> None:
        super().__init__(f"the service's answer is not understood: {what}")


def one_line(text: str) -> str:
    """What a service says, fit for a terminal."""
    return printable(" ".join(text[: 2 * MAX_LINE].split()))[:MAX_LINE]


class Fields:
    """One JSON object."""

    def __init__(self, content: object) -> None:
        if not isinstance(content, dict):
            raise AnswerError("no JSON object")
        self._content: Mapping[str, Any] = content

    def __contains__(self, name: str) -> bool:
        return name in self._content

    def get(self, name: str) -> Any:
        return self._content.get(name)

    def field(self, name: str) -> Any:
        if name not in self._content:
            raise AnswerError(f"it has no {name}")
        return self._content[name]

    def part(self, name: str) -> "Fields":
        return Fields(self.field(name))

    def parts(self, name: str) -> list["Fields"]:
        return [Fields(one) for one in self._list(name)]

    def line(self, name: str) -> str:
        value = self.field(name)
        if not isinstance(value, str):
            raise AnswerError(name)
        return one_line(value)

    def lines(self, name: str) -> tuple[str, ...]:
        values = self._list(name)
        if not all(isinstance(value, str) for value in values):
            raise AnswerError(name)
        return tuple(map(one_line, values))

    def number(self, name: str) -> float:
        return _number(self.field(name), name)

    def count(self, name: str) -> int:
        value = self.field(name)
        if type(value) is not int or not 0 <= value < 1 << 31:
            raise AnswerError(name)
        return value

    def probability(self, name: str) -> float:
        return _probability(self.field(name), name)

    def numbers(self, name: str) -> tuple[int, ...]:
        """Of strokes."""
        values = self._list(name)
        if not all(type(value) is int and value >= 0 for value in values):
            raise AnswerError(name)
        return tuple(values)

    def floats(self, name: str) -> list[float]:
        return [_number(value, name) for value in self._list(name)]

    def box(self, name: str) -> Box:
        values = self.floats(name)
        if len(values) != 4:
            raise AnswerError(name)
        return Box(*values)

    def lists(self, name: str) -> list[list[Any]]:
        values = self._list(name)
        if not all(isinstance(value, list) for value in values):
            raise AnswerError(name)
        return values

    def points(self, name: str) -> tuple[tuple[float, float], ...]:
        values = self.lists(name)
        if not all(len(value) == 2 for value in values):
            raise AnswerError(name)
        return tuple((_number(x, name), _number(y, name)) for x, y in values)

    def choices(self, name: str) -> tuple[tuple[str, float], ...]:
        """Names with their probabilities."""
        values = self.lists(name)
        if not all(len(value) == 2 and isinstance(value[0], str) for value in values):
            raise AnswerError(name)
        return tuple((one_line(said), _probability(chance, name)) for said, chance in values)

    def _list(self, name: str) -> list[Any]:
        value = self.field(name)
        if not isinstance(value, list):
            raise AnswerError(name)
        return value


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise AnswerError(name)
    try:
        number = float(value)
    except OverflowError:
        raise AnswerError(name) from None
    if not math.isfinite(number):
        raise AnswerError(name)
    return number


def _probability(value: object, name: str) -> float:
    number = _number(value, name)
    if not 0 <= number <= 1:
        raise AnswerError(name)
    return number
