"""InkML's points: the texts of traces -> strokes.

Design choices
- Nearly all files write plain numbers: those of all traces are parsed in one numpy call. Only what
  that cannot read is read value by value.
- Of the recommendation's encodings, only x and y are decoded: first and second differences, hex
  numbers and `*`. Values of other channels need only look like values, and are skipped.
"""

import re

import numpy as np

from san.ink.inkml_formats import TraceFormat
from san.ink.strokes import InkError, Points

VALUE = re.compile(
    r"""\s*+(?:
        ([!'"]?+)\s*+([+-]?+)\s*+    # the order of the difference; the sign
        (?:\#([0-9A-Fa-f]++) | ((?:[0-9]++\.?+[0-9]*+ | \.[0-9]++)(?:[Ee][+-]?+[0-9]++)?+))
        | ([TF*?])
    )""",
    re.VERBOSE,
)
"""One value of a point. Blanks may be left out: `3-5*T` is four. Nothing is tried twice (`++`), or
a stranger's million blanks would take hours."""

ORDERS = {"!": 0, "'": 1, '"': 2}
"""What a value's mark makes of it: the place itself, its change, the change of its change."""


def strokes_of(
    texts: list[str], formats: dict[TraceFormat, list[int]], max_points: int
) -> tuple[Points, ...]:
    """The strokes in the order of their texts; `formats` tells which texts have which format."""
    lengths = [text.count(",") + 1 for text in texts]
    if sum(lengths) > max_points:
        raise InkError(f"more than {max_points:,} points")
    strokes: dict[int, Points] = {}
    for form, indices in formats.items():
        some = {index: texts[index] for index in indices}
        _refuse_lines(some, form)
        read = _plain(list(some.values()), [lengths[index] for index in indices], form)
        if read is None:
            read = _encoded(some, form)
        if form.signs != (1, 1):
            read = [stroke * np.array(form.signs, np.float32) for stroke in read]
        strokes.update(zip(indices, read, strict=True))
    return tuple(strokes[index] for index in range(len(texts)))


def _refuse_lines(texts: dict[int, str], form: TraceFormat) -> None:
    """A line for each point, without commas, would be one point with the rest for its channels."""
    for index, text in texts.items():
        lines = "\n" in text and "," not in text
        if lines and len(text.split()) > form.regular + form.intermittent:
            raise InkError(f"stroke {index + 1}: line ends part its points, where commas have to")


def _plain(texts: list[str], lengths: list[int], form: TraceFormat) -> list[Points] | None:
    """Parse "x y t, x y t, ..." of all traces at once: one array, cut into strokes. None where
    not every point is as many plain numbers as the first."""
    # A file may write fewer channels than it declares, or more: the first point tells.
    width = len(texts[0].split(",", 1)[0].split())
    if max(form.x, form.y) >= width:
        return None
    try:
        with np.errstate(over="ignore"):  # too large becomes inf, which Ink refuses
            # A NaN stands for each comma: where points differ in width, it leaves its column.
            numbers = ",".join([*texts, ""]).replace(",", " nan ")
            table = np.fromstring(numbers, sep=" ").reshape(sum(lengths), width + 1)
            points = np.ascontiguousarray(table[:, [form.x, form.y]], np.float32)
    except ValueError:
        return None
    if not np.isnan(table[:, -1]).all():
        return None
    return np.split(points, np.cumsum(lengths[:-1]))


def _encoded(texts: dict[int, str], form: TraceFormat) -> list[Points]:
    """The same value by value, in every encoding; raises the fault of the first bad point."""
    least, most = form.regular, form.regular + form.intermittent
    if not form.intermittent:  # as above, the first point tells
        least = most = _values(next(iter(texts.values())).split(",", 1)[0], form)[0]
    least = max(least, form.x + 1, form.y + 1)
    most = max(most, least)
    strokes = []
    for index, text in texts.items():
        x, y = _Coordinate(), _Coordinate()
        points = []
        for point in text.split(","):
            try:
                count, x_value, y_value = _values(point, form)
                if x_value is None or y_value is None or not least <= count <= most:
                    wanted = least if least == most else f"{least} to {most}"
                    raise InkError(f"not a point of {wanted} numbers")
                points.append((x.next(x_value), y.next(y_value)))
            except InkError as error:
                raise InkError(f"stroke {index + 1}: {error}: {point.strip()[:40]!r}") from None
        with np.errstate(over="ignore"):
            strokes.append(np.array(points, np.float32))
    return strokes


Value = re.Match[str] | None


def _values(point: str, form: TraceFormat) -> tuple[int, Value, Value]:
    """How many values a point has, and those of x and y; 0 where it is not made of values."""
    point = point.rstrip()
    x = y = None
    count = place = 0
    while value := VALUE.match(point, place):
        if count == form.x:
            x = value
        if count == form.y:
            y = value
        place = value.end()
        count += 1
    return (count if place == len(point) else 0), x, y


class _Coordinate:
    """x or y along one trace. Each trace begins anew, with a value that is no difference."""

    def __init__(self) -> None:
        self._order = 0
        self._number: float | None = None  # as it was written last
        self._place: float | None = None
        self._change: float | None = None

    def next(self, value: re.Match[str]) -> float:
        mark, sign, hexadecimal, decimal, letter = value.groups()
        if letter == "*":  # goes on as before: the same place, the same change
            number = self._number
        elif letter:
            kind = "unknown (?)" if letter == "?" else "a boolean (T, F)"
            raise InkError(f"x or y is {kind}, not a number")
        else:
            number = _hex(hexadecimal) if hexadecimal else float(decimal)
            number = -number if sign == "-" else number
        if number is None:
            raise InkError("a wildcard (*) without a value before it")
        self._order = ORDERS.get(mark, self._order)  # a mark holds until the next
        self._number = number
        self._place = self._moved(number)
        return self._place

    def _moved(self, number: float) -> float:
        if self._order == 0:
            self._change = None
            return number
        if self._place is None:
            raise InkError("a difference (' or \") without a value before it")
        if self._order == 1:
            self._change = number
        elif self._change is None:
            raise InkError("a second difference (\") without a first (') before it")
        else:
            self._change += number
        return self._place + self._change


def _hex(digits: str) -> float:
    try:
        return float(int(digits, 16))
    except OverflowError:
        return np.inf  # which Ink refuses
