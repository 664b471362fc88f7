"""Fraction bars that a close crop makes look like rulings, for they run from side to side.

Design choices
- A bar is as dark as the ink, and the only level line that is; rulings are paler, or come in
  numbers.
- A bar has writing above it and beneath it.
"""

from collections.abc import Sequence

import numpy as np

from san.images.bitmap import Mask
from san.images.light import Contrast
from san.images.ruling import Floats, Line

DARK = 0.8
"""Of the ink's contrast: a bar has more."""
PALER = 0.7
"""Of a bar's contrast: rulings beside it have less."""
INKED, FEW = 0.25, 0.08
"""Of a bar's length: what has ink on each of its sides; and what on one of them if the picture is
no long line of writing, as of a sum over a single letter."""
LONG = 5.0
"""Times its height: a long line of writing."""
REACH = 4.0
"""Pixels to either side of a bar's middle that are its own."""


def without_bar(lines: Sequence[Line], page: Contrast, ink: Mask, level: float) -> list[Line]:
    """The rulings among some lines. `ink`, `level`: what else is written, and its contrast."""
    darkness = [0.0 if line.upright else _darkness(line, page) for line in lines]
    if not lines or max(darkness) < DARK * level:
        return list(lines)
    bar = int(np.argmax(darkness))
    rest = [*lines[:bar], *lines[bar + 1 :]]
    others = max([*darkness[:bar], *darkness[bar + 1 :]], default=0.0)
    alone = others < PALER * darkness[bar]
    return rest if alone and is_between(_rows(lines[bar], page), REACH, ink) else list(lines)


def is_between(middle: Floats | float, reach: float, ink: Mask) -> bool:
    """Whether there is ink above and beneath a line whose middle has these rows."""
    rows = np.arange(len(ink))[:, None]
    sides = (rows < middle - reach, rows > middle + reach)
    shares = [float(((ink > 0) & side).any(axis=0).mean()) for side in sides]
    height, width = ink.shape
    return max(shares) > INKED and min(shares) > (FEW if width < LONG * height else INKED)


def _darkness(line: Line, page: Contrast) -> float:
    """Median contrast along a level line, of the darkest of three rows."""
    height, width = page.shape
    rows = np.rint(_rows(line, page)).astype(np.intp)
    near = [np.clip(rows + shift, 0, height - 1) for shift in (-1, 0, 1)]
    return float(np.median(np.max([page[row, np.arange(width)] for row in near], axis=0)))


def _rows(line: Line, page: Contrast) -> Floats:
    """The row of a level line's middle, by column."""
    rows = np.interp(np.arange(page.shape[1]) + 0.5, line.along, line.across) - 0.5
    return np.asarray(rows, np.float64)
