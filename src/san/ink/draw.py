"""Strokes -> the picture that the network sees: white on black, drawn as the field's bitmaps are.

Design choices
- ONE function draws. Training, evaluation and reading all call `draw`: a network reads best what
  was drawn exactly as the ink it learnt from.
- The field's CROHME bitmaps are reproduced pixel for pixel, down to single precision and the
  rounding of half pixels (docs/ink.md tells how closely). So `draw(ink)` stands for them.
- Width, margin, scale and the nib's shape are parameters, so that augmentation can move them.
- Total: dots, flat lines and vast ink all give a picture, and never one beyond `Pen.max_side`.
"""

from dataclasses import dataclass
from functools import cache
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from san.ink.strokes import Ink

Picture = NDArray[np.uint8]
Nib = Literal["square", "round", "broad"]
"""The field's; a ball's; a quill's, held so that lines that fall to the right are the thickest."""

MIN_HEIGHT_TO_LENGTH = 1 / 8
"""Ink whose strokes are all flatter than this (a lone bar) has no height to go by. CROHME: 0.15."""
MIN_INK_EXTENT = 1e-6
"""Ink smaller than this is a dot."""
MAX_MEAN_TO_LETTER, ENLARGEMENT_POWER, MAX_ENLARGEMENT = 1.5, 1.5, 4.0
"""Mean stroke height over the median of upright strokes, a letter's: above it ink is drawn larger,
by the excess to this power, but no letter beyond the mean, and so many times at most."""
MIN_UPRIGHT, MIN_MARK, MIN_UPRIGHT_STROKES = 0.4, 0.25, 4
"""Height to width of an upright stroke, no bar; its longer side to the median one, no dot; fewer of
them say nothing."""
TRACE_CHUNK_PIXELS = 1 << 20
"""Pixels traced at a time: bounds the memory that a scribble takes."""


@dataclass(frozen=True)
class Pen:
    """How ink is drawn; the values are the field's. Lengths are in pixels."""

    width: int = 3
    margin: int = 12
    height: float = 28.0  # what the mean height of a stroke becomes
    max_side: int = 2200  # no side of a picture is longer; CROHME's longest is 2,116
    nib: Nib = "square"

    def __post_init__(self) -> None:
        if self.width < 1 or self.margin < 0 or not self.height > 0:
            raise ValueError(f"no pen draws like this: {self}")
        if self.max_side <= self.border:
            raise ValueError(f"no room for ink within {self.max_side} pixels: {self}")

    @property
    def far_margin(self) -> int:
        """To the right and below: one pixel less, as in the field's bitmaps."""
        return max(self.margin - 1, 0)

    @property
    def border(self) -> int:
        """A picture's side minus its ink's extent."""
        return self.margin + self.width + self.far_margin


def scale_of(ink: Ink, height: float = Pen.height) -> float:
    """Pixels per ink unit that bring the mean stroke height to `height`.

    Strokes at most a tenth as tall as the tallest (bars, dots, minus signs) do not count. Where ink
    is in whole units, the mean is rounded down: the field's program divided integers.
    """
    heights = ink.sizes[:, 1]
    tall = heights[10 * heights > heights.max()]
    size = float(tall.mean(dtype=np.float64)) if len(tall) else 0.0
    sides = float(ink.sizes.max(axis=1).mean(dtype=np.float64))
    if size < MIN_HEIGHT_TO_LENGTH * sides:
        size = sides
    elif bool((ink.points == np.floor(ink.points)).all()):
        size = float(np.floor(size))
    if size < MIN_INK_EXTENT:  # nothing but dots: how far apart are they?
        size = max(ink.box.width, ink.box.height)
    return height / size if size >= MIN_INK_EXTENT else 1.0


def reading_scale(ink: Ink, height: float = Pen.height) -> float:
    """The field's scale; a larger one where few tall strokes would make all others too small.

    Brackets of a matrix and the brace of a system are as tall as all of its lines, and the field
    has none of them. Of CROHME's ink 93 in 100 is drawn as the field draws it.
    """
    wide, tall = ink.sizes[:, 0], ink.sizes[:, 1]
    longer = np.maximum(wide, tall)
    upright = tall[(tall > MIN_UPRIGHT * wide) & (longer > MIN_MARK * np.median(longer))]
    scale = scale_of(ink, height)
    if len(upright) < MIN_UPRIGHT_STROKES:
        return scale
    mean_to_letter = height / (float(np.median(upright)) * scale)
    enlarged: float = max(1.0, mean_to_letter / MAX_MEAN_TO_LETTER) ** ENLARGEMENT_POWER
    return scale * min(enlarged, max(1.0, mean_to_letter), MAX_ENLARGEMENT)


BITMAP_PEN = Pen()
"""Draws as the published CROHME bitmaps are drawn, which papers of the field train and test on."""


def draw(ink: Ink, pen: Pen = BITMAP_PEN, scale: float | None = None) -> Picture:
    """Draw the ink: uint8 (height, width), 255 where there is ink, 0 elsewhere."""
    if scale is None:
        scale = scale_of(ink, pen.height)
    if not 0 < scale < np.inf:
        raise ValueError(f"a scale is a number above 0, not {scale}")
    room = pen.max_side - pen.border
    scale = min(scale, room / max(ink.box.width, ink.box.height, MIN_INK_EXTENT))
    # Each point is scaled where it stands and cut to whole pixels, only then moved to the corner:
    # moving first would shift strokes by a pixel against the field's bitmaps.
    pixels = np.floor(ink.points * np.float32(scale))
    pixels -= pixels.min(axis=0)
    pixels = np.minimum(pixels, room)  # far from the origin single precision may overshoot
    columns, rows = (pixels.max(axis=0).astype(int) + pen.border).tolist()
    picture = np.zeros((rows, columns), np.uint8)
    corner = pen.margin + (pen.width - 1) // 2
    _trace(picture, pixels.astype(np.int32) + corner, ink.starts)
    if pen.width == 1:
        return picture
    return np.asarray(cv2.dilate(picture, nib_of(pen.nib, pen.width)), np.uint8)


@cache
def nib_of(nib: Nib, width: int) -> Picture:
    """What a dot looks like; as wide and as tall as the pen, whatever its shape."""
    away = np.arange(width) - (width - 1) / 2
    if nib == "round":
        inside = np.hypot(away[:, None], away) <= width / 2 - 1 / 4
    elif nib == "broad":
        inside = np.abs(away[:, None] + away) <= max(width / 4, 1)
    else:
        inside = np.ones((width, width), bool)
    return np.asarray(inside, np.uint8)


def _trace(picture: Picture, pixels: NDArray[np.int32], starts: NDArray[np.intp]) -> None:
    """Join the points of each stroke by lines one pixel wide.

    A line takes one pixel a step along its longer side; on the shorter side a half rounds AWAY from
    the line's start, as the field's does (OpenCV's lines differ from it in 2% of the pixels).
    """
    picture[pixels[starts, 1], pixels[starts, 0]] = 255
    moves = np.diff(pixels, axis=0)
    moves[starts[1:] - 1] = 0  # the pen is up between strokes
    steps = np.abs(moves).max(axis=1, initial=0)
    drawn = np.flatnonzero(steps)
    ends = np.cumsum(steps[drawn], dtype=np.int64)
    cuts = np.searchsorted(
        ends, np.arange(TRACE_CHUNK_PIXELS, ends[-1] if len(ends) else 0, TRACE_CHUNK_PIXELS)
    )
    for part in np.split(drawn, cuts):
        step, move = steps[part], moves[part]
        last = np.cumsum(step)
        number = np.arange(1, step.sum() + 1) - np.repeat(last - step, step)
        whole = np.repeat(step, step)[:, None]
        away = (2 * np.repeat(np.abs(move), step, axis=0) * number[:, None] + whole) // (2 * whole)
        at = np.repeat(pixels[part], step, axis=0) + np.repeat(np.sign(move), step, axis=0) * away
        picture[at[:, 1], at[:, 0]] = 255
