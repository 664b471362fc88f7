"""Clippings side by side on one line.

Design choices
- A main line's em and axis are what its symbols with places say, each by what is usual for its
  name: the middle one says how large, the few nearest to the seam how high. Where they contradict
  one another, nothing is joined.
- What would have to grow or shrink more than one hand's writing differs is not joined.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import hypot, isfinite
from typing import NamedTuple

import cv2
import numpy as np

from san.grammar.normal import chain
from san.grammar.tree import NOTHING
from san.ink.draw import FIELD_PEN
from san.synth.layout.outline import outline
from san.synth.photo.collage_glyph import Usual
from san.synth.photo.collage_source import Clipping, Source
from san.synth.sample import Boxes

LEAST = 2
"""Symbols that tell how large a line is."""
STEADIEST = ("=", "+", r"\times", "(", ")", r"\angle")
"""Signs that do so as well as letters and digits: others are as wide as there is room."""
NEAR = 4
"""Symbols that tell how high a line is at its end."""
UNSTEADY = 1.8
"""Times: how much larger the largest symbols are than the smallest, less a quarter of each."""
UNEVEN = 0.6
"""Em: how far the nearest symbols may lie apart in height."""
RESIZED = (0.65, 1.55)
"""How much larger what is joined may become."""
AS_IT_IS = 0.06
"""A difference in size that nobody sees."""
WIDEST = FIELD_PEN.longest - 200
"""Pixels of a line: photographs that are taken again grow a little."""


class Level(NamedTuple):
    """How large a line is written at one of its ends, and how high, in pixels."""

    em: float
    axis: float


def em_of(source: Source, usual: dict[str, Usual]) -> float | None:
    """How large the main line of a photograph is; None where it does not tell."""
    names, boxes = source.shape.names, source.boxes
    sizes = [
        hypot(*np.maximum(boxes[place, 2:] - boxes[place, :2] - source.width, 1))
        / usual[names[place]][0]
        for place in _known(source.line, names, boxes, usual)
        if names[place].isalnum() or names[place] in STEADIEST
    ]
    if len(sizes) < LEAST:
        return None
    low, em, high = np.quantile(sizes, (0.25, 0.5, 0.75)).tolist()
    return float(em) if high <= UNSTEADY * low else None


def level_of(page: Clipping, usual: dict[str, Usual], at_end: bool) -> Level | None:
    """None where nobody knows how large or how high it is there."""
    known = _known(page.line, page.shape.names, page.boxes, usual)
    if page.em is None or not known:
        return None
    heights = [
        (page.boxes[place, 1].item() + page.boxes[place, 3].item()) / 2
        - usual[page.shape.names[place]][1] * page.em
        for place in (known[-NEAR:] if at_end else known[:NEAR])
    ]
    if max(heights) - min(heights) > UNEVEN * page.em:
        return None
    return Level(page.em, sum(heights) / len(heights))


def _known(
    line: Sequence[int], names: Sequence[str], boxes: Boxes, usual: dict[str, Usual]
) -> list[int]:
    lefts = boxes[:, 0].tolist()
    return [place for place in line if names[place] in usual and isfinite(lefts[place])]


def joined(
    left: Clipping, right: Clipping, one: Level, other: Level, gap: float, larger: float
) -> Clipping | None:
    """Both, so many em apart, the second larger by a factor than the first's size asks for."""
    factor = one.em / other.em * larger
    if not RESIZED[0] < factor < RESIZED[1] or right.shape.names[0] == NOTHING:
        return None
    if abs(factor - 1) < AS_IT_IS:
        factor = 1.0
    else:
        right = _resized(right, factor)
    first, second = left.extent(), right.extent()
    x = first[2] + round(gap * one.em) - second[0]
    y = round(one.axis - other.axis * factor)
    edge = FIELD_PEN.margin
    west, north = first[0], min(first[1], second[1] + y)
    east, south = second[2] + x, max(first[3], second[3] + y)
    if east - west > WIDEST:
        return None
    shape = (south - north + 2 * edge, east - west + 2 * edge)
    ink, owner = np.zeros(shape, np.uint8), np.zeros(shape, np.uint8)
    moved = []
    for page, box, dx, dy, before in (
        (left, first, 0, 0, 0),
        (right, second, x, y, len(left.shape)),
    ):
        dx, dy = dx + edge - west, dy + edge - north
        there = (slice(box[1] + dy, box[3] + dy), slice(box[0] + dx, box[2] + dx))
        here = (slice(box[1], box[3]), slice(box[0], box[2]))
        own = page.owner[here]
        ink[there] |= page.ink[here]
        np.copyto(owner[there], own + np.uint8(before), where=own > 0)
        moved.append(page.boxes + np.array((dx, dy) * 2, np.float32))
    tree = chain((*left.tree.symbols, *right.tree.symbols))
    return Clipping(ink, owner, tree, outline(tree), np.concatenate(moved), left.width, left.em)


def _resized(page: Clipping, factor: float) -> Clipping:
    """Larger or smaller. Whose its pixels are nobody asks any more, where its symbols are is."""
    high, wide = page.ink.shape
    size = (max(1, round(wide * factor)), max(1, round(high * factor)))
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    ink = (np.asarray(cv2.resize(page.ink * 255, size, interpolation=how)) > 127).astype(np.uint8)
    boxes = page.boxes * np.array((size[0] / wide, size[1] / high) * 2, np.float32)
    return replace(page, ink=ink, owner=np.zeros_like(ink), boxes=boxes)
