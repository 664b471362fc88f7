"""A shape of ink -> the strokes of a pen that could have drawn it.

Design choices
- The middle line of the shape (`san.images.clean.thinning`) is a graph: pixels that touch more than
  two others are knots, those between are lines. A line that ends within half a stroke's width of
  its knot is no writing but a corner of the shape, and is pruned.
- A pen goes straight on where lines cross: at each knot the two lines that bend least are one
  stroke, then the next two; who is left over begins or ends there.
- The stairs of pixels are smoothed, and points kept only where the stroke turns.
- `fidelity` draws the strokes as wide as the shape was: what does not come out alike was no
  strokes, but a blot.
"""

from collections import defaultdict
from math import hypot
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Mask
from san.images.clean.components import stroke_width
from san.images.clean.thinning import thin
from san.ink.strokes import Points
from san.synth.extraction.config import TraceConfig

SUBPIXEL_BITS = 4
"""Bits behind the point, as OpenCV draws."""

Pixel = tuple[int, int]  # row, column
Line = list[Pixel]
_AROUND = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]


def trace(mask: Mask, config: TraceConfig = TraceConfig()) -> tuple[list[Points], float]:
    """The strokes in pixels (x, y), and their width."""
    width = stroke_width(mask)
    edged = np.pad(mask, 1)
    ys, xs = np.nonzero(thin(edged))
    pixels = set(zip((ys - 1).tolist(), (xs - 1).tolist(), strict=True))
    lines, knot_of = _lines(pixels)
    lines = _pruned(lines, knot_of, config.min_spur * width)
    straight = _Straight(config.max_cosine, config.direction_reach * width)
    lines, knot_of = _bridged(lines, knot_of, config.max_bridge * width, straight)
    joined = _joined(lines, knot_of, straight)
    return [_stroke(line, config) for line in joined], width


class _Straight(NamedTuple):
    """When two lines go straight on in one another."""

    max_cosine: float
    reach: float  # pixels from a knot to where a line shows its direction


def fidelity(mask: Mask, strokes: list[Points], width: float) -> float:
    """How much the strokes, drawn as wide as the shape, have in common with it: 0 to 1."""
    redrawn = np.zeros(mask.shape, np.uint8)
    for stroke in strokes:
        points = np.round(stroke * (1 << SUBPIXEL_BITS)).astype(np.int32).reshape(-1, 1, 2)
        cv2.polylines(redrawn, [points], False, 1, max(round(width), 1), cv2.LINE_8, SUBPIXEL_BITS)
    both = int(np.count_nonzero(redrawn & mask))
    return both / max(int(np.count_nonzero(redrawn | mask)), 1)


def _neighbours(pixel: Pixel, pixels: set[Pixel]) -> list[Pixel]:
    """Those that it touches; over a corner only where there is no way around it."""
    y, x = pixel
    touching = []
    for dy, dx in _AROUND:
        other = (y + dy, x + dx)
        around = dy and dx and ((y + dy, x) in pixels or (y, x + dx) in pixels)
        if other in pixels and not around:
            touching.append(other)
    return touching


def _lines(pixels: set[Pixel]) -> tuple[list[Line], dict[Pixel, int]]:
    """The lines between knots, their first and last pixels within them; and which knot is where."""
    near = {pixel: _neighbours(pixel, pixels) for pixel in pixels}
    crossing = {pixel for pixel, around in near.items() if len(around) > 2}
    knot_of: dict[Pixel, int] = {}
    for number, start in enumerate(sorted(crossing)):
        todo = [start]
        while todo:
            pixel = todo.pop()
            if pixel not in knot_of:
                knot_of[pixel] = number
                todo += [other for other in near[pixel] if other in crossing]
    lines: list[Line] = []
    gone: set[Pixel] = set()

    def follow(line: Line) -> Line:
        while line[-1] not in crossing:
            gone.add(line[-1])
            before = line[-2] if len(line) > 1 else None
            after = [pixel for pixel in near[line[-1]] if pixel != before and pixel not in gone]
            if not after:
                closed = len(line) > 2 and line[0] in near[line[-1]]
                return [*line, line[0]] if closed else line
            line.append(after[0])
        return line

    for knot in sorted(crossing):
        for start in near[knot]:
            if start not in crossing and start not in gone:
                lines.append(follow([knot, start]))
    plain = sorted(pixels - crossing, key=lambda pixel: (len(near[pixel]), pixel))
    for pixel in plain:  # ends come first, and what is left has none
        if pixel not in gone:
            lines.append(follow([pixel]))
    return lines, knot_of


def _pruned(lines: list[Line], knot_of: dict[Pixel, int], min_length: float) -> list[Line]:
    """Without what ends freely near its knot; of a knot's lines one always stays."""
    meeting: dict[int, int] = defaultdict(int)
    for line in lines:
        for end in (line[0], line[-1]):
            if end in knot_of:
                meeting[knot_of[end]] += 1
    kept = []
    for line in sorted(lines, key=len):
        knots = [knot_of[end] for end in (line[0], line[-1]) if end in knot_of]
        if len(knots) == 1 and len(line) <= min_length and meeting[knots[0]] > 2:
            meeting[knots[0]] -= 1
        else:
            kept.append(line)
    return kept


def _bridged(
    lines: list[Line], knot_of: dict[Pixel, int], max_length: float, straight: _Straight
) -> tuple[list[Line], dict[Pixel, int]]:
    """The knots at both ends of a short line become one, and the line is gone.

    Not where a stroke goes straight through one of them: that line is the bar of an H.
    """
    knot_of = dict(knot_of)
    kept = sorted(lines, key=len)
    for line in [short for short in kept if len(short) <= max_length]:
        first, last = knot_of.get(line[0]), knot_of.get(line[-1])
        if first is None or last is None or first == last:
            continue
        rest = [longer for longer in kept if longer is not line]
        if all(_parts(rest, knot_of, knot, straight) for knot in (first, last)):
            kept = rest
            knot_of.update([(pixel, first) for pixel, knot in knot_of.items() if knot == last])
    return kept, knot_of


def _parts(lines: list[Line], knot_of: dict[Pixel, int], knot: int, straight: _Straight) -> bool:
    """Whether two lines meet in a knot, neither of them going on in the other."""
    ways = [
        _direction(line, side, straight.reach)
        for line in lines
        for side in (0, -1)
        if knot_of.get(line[side]) == knot
    ]
    return len(ways) == 2 and sum(x * y for x, y in zip(*ways, strict=True)) > straight.max_cosine


def _joined(lines: list[Line], knot_of: dict[Pixel, int], straight: _Straight) -> list[Line]:
    """Lines that go on in one another are one."""
    ends: dict[int, list[tuple[int, int]]] = defaultdict(list)  # of a knot: line, and which end
    for number, line in enumerate(lines):
        for side in (0, -1):
            if line[side] in knot_of:
                ends[knot_of[line[side]]].append((number, side))
    mate: dict[tuple[int, int], tuple[int, int]] = {}
    for meeting in ends.values():
        ways = {end: _direction(lines[end[0]], end[1], straight.reach) for end in meeting}
        bends = sorted(
            (first_way[0] * second_way[0] + first_way[1] * second_way[1], first, second)
            for first, first_way in ways.items()
            for second, second_way in ways.items()
            if first < second
        )
        for bend, first, second in bends:
            if bend < straight.max_cosine and first not in mate and second not in mate:
                mate[first], mate[second] = second, first
    strokes = []
    used: set[int] = set()
    for start in range(len(lines)):
        free = [side for side in (0, -1) if (start, side) not in mate]
        if free and start not in used:
            strokes.append(_run(lines, mate, (start, free[0]), used))
    for start in range(len(lines)):
        if start not in used:  # a ring of several lines
            strokes.append(_run(lines, mate, (start, 0), used))
    return strokes


def _run(
    lines: list[Line],
    mate: dict[tuple[int, int], tuple[int, int]],
    begin: tuple[int, int],
    used: set[int],
) -> Line:
    """From one end on, through all that follows."""
    run: Line = []
    end: tuple[int, int] | None = begin
    while end is not None and end[0] not in used:
        number, side = end
        used.add(number)
        run += lines[number] if side == 0 else lines[number][::-1]
        end = mate.get((number, -1 if side == 0 else 0))
    return run


def _direction(line: Line, side: int, reach: float) -> tuple[float, float]:
    """Where a line goes from its end."""
    outwards = line if side == 0 else line[::-1]
    (y, x), (far_y, far_x) = outwards[0], outwards[min(len(outwards) - 1, max(round(reach), 2))]
    length = hypot(far_y - y, far_x - x) or 1.0
    return (far_y - y) / length, (far_x - x) / length


def _stroke(line: Line, config: TraceConfig) -> Points:
    """The points of a line of pixels, smoothed, where it turns."""
    points = np.array(line, np.float64)[:, ::-1]
    closed = len(points) > 3 and (points[0] == points[-1]).all()
    reach = min(config.smoothing_reach, len(points) - 1)
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / (2 * config.smoothing**2))
    weights /= weights.sum()
    if closed:
        padded = np.concatenate((points[-1 - reach : -1], points, points[1 : 1 + reach]))
    else:  # mirrored at its ends, which so stay where they are
        head, tail = points[1 : 1 + reach][::-1], points[-1 - reach : -1][::-1]
        padded = np.concatenate((2 * points[0] - head, points, 2 * points[-1] - tail))
    smooth = np.stack(
        [np.convolve(coordinate, weights, "valid") for coordinate in padded.T], axis=1
    )
    if not closed:
        return _simplified(smooth, config.tolerance)
    half = len(smooth) // 2  # OpenCV would leave the last point of a ring out
    return np.concatenate(
        (
            _simplified(smooth[: half + 1], config.tolerance),
            _simplified(smooth[half:], config.tolerance)[1:],
        )
    )


def _simplified(points: NDArray[np.float64], tolerance: float) -> Points:
    kept = cv2.approxPolyDP(points.astype(np.float32).reshape(-1, 1, 2), tolerance, closed=False)
    return np.asarray(kept, np.float32).reshape(-1, 2)
