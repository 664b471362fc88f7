"""Tells the bars of fractions and roots from rulings: in a close crop both run to its sides.

Design choices
- A bar is as dark as the ink, and the only level line that is; rulings are paler, or come in
  numbers.
- A fraction's bar has writing above it and beneath it, and no stroke runs through it: letters
  stand across rulings.
- A root's bar has nothing above it; it starts within the picture, and its leg goes down from there.
- A bar that was found once is known from then on: later passes need not find it again.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import cv2
import numpy as np

from san.images.bitmap import Mask
from san.images.clean.components import Which, find_components, mean_height, stroke_width
from san.images.clean.contrast import Contrast
from san.images.clean.rulings import Floats, Line
from san.images.clean.threshold import EDGE_LEVEL

MIN_BAR_CONTRAST = 0.8
"""Of the ink's contrast: a bar has more."""
MAX_RULING_TO_BAR_CONTRAST = 0.7
"""Of a bar's contrast: rulings beside it have less."""
MIN_INKED_SHARE, MIN_FEW_INKED_SHARE = 0.25, 0.08
"""Of a bar's length: what has ink on each of its sides; and what on one of them if the picture is
no long line of writing, as of a sum over a single letter."""
MIN_LETTER_HEIGHTS = 0.4
"""Of the writing's height: what is lower on one side of a bar is no writing."""
LONG_WRITING_WIDTH_TO_HEIGHT = 5.0
"""Times its height: a long line of writing."""
BAR_REACH_PIXELS = 4.0
"""Pixels to either side of a bar's middle that are its own."""


class Lines(NamedTuple):
    """Lines across a picture: rulings, which nobody wrote, and bars."""

    rulings: list[Line]
    bars: list[Line]

    def moved(self, factor: float, left: float, top: float) -> "Lines":
        """The same where the picture was cut at (left, top), then enlarged."""
        return Lines(*([line.moved(factor, left, top) for line in lines] for lines in self))


def split_bars(lines: Sequence[Line], page: Contrast, ink: Mask, level: float) -> Lines:
    """Rulings, and the bar if there is one. `ink`, `level`: what else is written, its contrast."""
    darkness = [0.0 if line.upright else _darkness(line, page) for line in lines]
    if not lines or max(darkness) < MIN_BAR_CONTRAST * level:
        return Lines(list(lines), [])
    bar = int(np.argmax(darkness))
    rest = [*lines[:bar], *lines[bar + 1 :]]
    others = max([*darkness[:bar], *darkness[bar + 1 :]], default=0.0)
    rows = _rows(lines[bar], page)
    written = others < MAX_RULING_TO_BAR_CONTRAST * darkness[bar] and (
        (is_between(rows, BAR_REACH_PIXELS, ink) and not _is_crossed(rows, ink))
        or _is_over_root(rows, page, ink, darkness[bar])
    )
    return Lines(rest, [lines[bar]]) if written else Lines(list(lines), [])


def _is_crossed(rows: Floats, ink: Mask) -> bool:
    """Whether strokes run through a line: letters stand on rulings, but on one side of a bar."""
    nib = stroke_width(ink)
    place = np.arange(len(ink))[:, None] - rows
    beyond = BAR_REACH_PIXELS + 1.5 * nib  # a thick bar may be left in part
    over, under = (
        np.asarray(((ink > 0) & (np.abs(place - side) <= 1.5)).any(axis=0), np.uint8)
        for side in (-beyond, beyond)
    )
    spread = np.ones((1, 2 * round(nib) + 1), np.uint8)  # strokes cross at a slant
    through = np.asarray(cv2.dilate(under[None], spread), np.uint8)[0] & over
    return int(np.count_nonzero(through)) > nib


def _is_over_root(rows: Floats, page: Contrast, ink: Mask, dark: float) -> bool:
    """Whether a line starts within the picture, above the leg of a root, and nothing is above."""
    height, width = page.shape
    # Ink at the edge may be all that is seen of it.
    seen = (rows > -BAR_REACH_PIXELS) & (rows < height)
    near = np.clip(np.rint(rows).astype(np.intp), 0, height - 1)
    inked = np.flatnonzero(seen & (page[near, np.arange(width)] > EDGE_LEVEL * dark))
    nib, writing_height = stroke_width(ink), height_of_writing(ink)
    if not len(inked) or inked[0] <= writing_height / 4:
        return False
    start = int(inked[0])
    over = (ink > 0) & (np.arange(height)[:, None] < rows - BAR_REACH_PIXELS)
    return (
        has_leg(ink, start, float(rows[start]), writing_height, nib)
        and over[:, start:].sum() < nib * nib
    )


def has_leg(ink: Mask, start: int, row: float, writing_height: float, nib: float) -> bool:
    """Whether a stroke goes down from where a level line starts, or from a little before."""
    before, beneath = round(writing_height / 2), max(round(row + nib), 0)
    leg = ink[beneath:, max(0, start - before) : start + round(nib) + 1].any(axis=1)
    gaps = np.flatnonzero(leg == 0)
    return bool((gaps[0] if len(gaps) else leg.size) > writing_height / 2)


def is_between(middle: Floats | float, reach: float, ink: Mask) -> bool:
    """Whether there is writing above and beneath a line whose middle has these rows."""
    inked = inked_shares(middle, reach, ink)
    height, width = ink.shape
    if max(inked) <= MIN_INKED_SHARE or (
        width >= LONG_WRITING_WIDTH_TO_HEIGHT * height and min(inked) <= MIN_INKED_SHARE
    ):
        return False
    min_height = MIN_LETTER_HEIGHTS * height_of_writing(ink)
    letters = [
        _letters(side, min_height, middle, reach)
        for side in _ink_above_and_beneath(middle, reach, ink)
    ]
    few = letters[int(np.argmin(inked))]
    return all(side.tall for side in letters) and (min(inked) > MIN_FEW_INKED_SHARE or few.free)


class _Letters(NamedTuple):
    """What is on one side of a line: something as tall as a letter, and such a one apart."""

    tall: bool
    free: bool


def _letters(side: Which, min_height: float, middle: Floats | float, reach: float) -> _Letters:
    """A 1 is narrow, and may be a whole numerator; but letters that cross a line stand on it."""
    components = find_components(side.astype(np.uint8))
    tall = components.stats[:, 3] >= min_height
    close = np.abs(np.arange(len(side))[:, None] - middle) <= reach + 2
    crossing = np.bincount(components.labels[close & side], minlength=len(tall) + 1)[1:]
    return _Letters(bool(tall.any()), bool((tall & (crossing == 0)).any()))


def height_of_writing(ink: Mask) -> float:
    """Of the writing."""
    nib = stroke_width(ink)
    return mean_height(find_components(ink).stats, nib) + nib


def inked_shares(middle: Floats | float, reach: float, ink: Mask) -> tuple[float, float]:
    """Of a line's length what has ink above it, and beneath it."""
    above, beneath = (
        float(side.any(axis=0).mean()) for side in _ink_above_and_beneath(middle, reach, ink)
    )
    return above, beneath


def _ink_above_and_beneath(middle: Floats | float, reach: float, ink: Mask) -> tuple[Which, Which]:
    """The ink above and beneath a line."""
    rows = np.arange(len(ink))[:, None]
    return (ink > 0) & (rows < middle - reach), (ink > 0) & (rows > middle + reach)


def bar_mask(bars: Iterable[Line], shape: tuple[int, ...]) -> Mask:
    """Where bars are."""
    where = np.zeros(shape, np.uint8)
    for bar in bars:
        where |= np.abs(np.arange(shape[0])[:, None] - _rows(bar, where)) <= BAR_REACH_PIXELS
    return where


def is_known_bar(line: Line, bars: Mask) -> bool:
    """Whether a line is one of those bars."""
    if line.upright:
        return False
    rows = np.rint(_rows(line, bars)).astype(np.intp)
    return float(bars[np.clip(rows, 0, len(bars) - 1), np.arange(bars.shape[1])].mean()) > 0.5


def _darkness(line: Line, page: Contrast) -> float:
    """Median contrast along a line, of the darkest of three rows."""
    height, width = page.shape
    rows = np.rint(_rows(line, page)).astype(np.intp)
    near = [np.clip(rows + shift, 0, height - 1) for shift in (-1, 0, 1)]
    return float(np.median(np.max([page[row, np.arange(width)] for row in near], axis=0)))


def _rows(line: Line, page: Contrast | Mask) -> Floats:
    """The row of a level line's middle, by column."""
    rows = np.interp(np.arange(page.shape[1]) + 0.5, line.along, line.across) - 0.5
    return np.asarray(rows, np.float64)
