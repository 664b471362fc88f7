"""Stacked pairs: two formulas of a corpus, one above the other, as a pupil writes two lines.

Whoever reads such a pair as one formula loses a line. So the confidence is fitted on pairs beside
single formulas, and benchmarks/stacked.py counts what is lost.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from san.ink import Ink
from san.ink.draw import BITMAP_PEN, scale_of

Picture = NDArray[np.uint8]
Item = TypeVar("Item")

GAP = (0.5, 2.0)
"""Between the two, in heights of a stroke as the network sees them: least and most."""
INDENT = 1.5
"""How far one may begin to the right of the other, in the same unit."""
MIN_PIXELS = 12
"""Of a connected part whose height counts: specks do not."""


class InkPair(NamedTuple):
    """Ink of two lines; the first `upper` strokes are those of the upper one."""

    ink: Ink
    upper: int


def pairs_of(items: Sequence[Item], count: int, seed: int = 0) -> Iterator[tuple[Item, Item]]:
    """So many pairs of different items, none of which stands in two pairs."""
    if 2 * count > len(items):
        raise ValueError(f"{count} pairs need {2 * count} items, and there are {len(items)}")
    order = np.random.default_rng(seed).permutation(len(items))[: 2 * count].tolist()
    yield from (
        (items[one], items[other]) for one, other in zip(order[::2], order[1::2], strict=True)
    )


def stack_ink(upper: Ink, lower: Ink, random: np.random.Generator) -> InkPair:
    """Both at the size at which they are drawn alone."""
    lines = []
    for ink in (upper, lower):
        corner = np.array((ink.box.left, ink.box.top), np.float32)
        lines.append([(stroke - corner) * np.float32(scale_of(ink)) for stroke in ink.strokes])
    height = max(float(stroke[:, 1].max()) for stroke in lines[0])
    move, indent = _offsets(random)
    below = np.array((max(indent, 0.0), height + move), np.float32)
    above = np.array((max(-indent, 0.0), 0.0), np.float32)
    first = [stroke + above for stroke in lines[0]]
    return InkPair(Ink.of([*first, *(stroke + below for stroke in lines[1])]), len(first))


def stack_pictures(upper: Picture, lower: Picture, random: np.random.Generator) -> Picture:
    """One picture of two cleaned ones (white ink on black); the lower gets the upper's size."""
    factor = _ink_height(upper) / _ink_height(lower)
    rows, columns = (max(round(side * factor), 1) for side in lower.shape)
    resized = cv2.resize(lower, (columns, rows), interpolation=cv2.INTER_AREA)
    lines = [_trimmed(upper), _trimmed(np.where(resized > 110, 255, 0).astype(np.uint8))]
    gap, indent = (round(offset) for offset in _offsets(random))
    starts = [(0, max(-indent, 0)), (lines[0].shape[0] + max(gap, 1), max(indent, 0))]
    margin = BITMAP_PEN.margin
    rows = starts[1][0] + lines[1].shape[0]
    columns = max(left + line.shape[1] for (_, left), line in zip(starts, lines, strict=True))
    sheet = np.zeros((rows + 2 * margin, columns + 2 * margin), np.uint8)
    for (top, left), line in zip(starts, lines, strict=True):
        sheet[
            margin + top : margin + top + line.shape[0],
            margin + left : margin + left + line.shape[1],
        ] = line
    return sheet


def _offsets(random: np.random.Generator) -> tuple[float, float]:
    """In pixels: how far the lower line is from the upper, and begins to the right of it."""
    gap, indent = random.uniform(*GAP), random.uniform(-INDENT, INDENT)
    return gap * BITMAP_PEN.height, indent * BITMAP_PEN.height


def _ink_height(picture: Picture) -> float:
    """The median height of its connected parts."""
    stats = cv2.connectedComponentsWithStats((picture > 127).astype(np.uint8))[2][1:]
    heights = stats[stats[:, cv2.CC_STAT_AREA] >= MIN_PIXELS, cv2.CC_STAT_HEIGHT]
    return float(np.median(heights)) if len(heights) else float(picture.shape[0])


def _trimmed(picture: Picture) -> Picture:
    """Without its empty margins."""
    rows, columns = np.flatnonzero(picture.any(axis=1)), np.flatnonzero(picture.any(axis=0))
    if not len(rows):
        return picture
    return picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
