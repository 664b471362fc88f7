"""Finds the lines of ruled and squared paper, and removes them from the contrast.

Design choices
- A ruling is a thin ridge of contrast, nearly straight, that runs on from one side of the picture
  to the other. A fraction bar does not: even a close crop leaves a little paper beside it; nor does
  a row of bars, which has gaps. Ink over a ruling is no gap.
- Ridges vote for lines (Hough's transform over slope and place), the best line takes its points
  along, and so on. A line may bend a little, as pages do.
- Lines are taken out of the contrast, before anything is cut into ink and paper: what is clearly
  darker than the line stays, and ink that goes on above and below it is carried across.
- Upright lines are the level lines of the picture turned over. In a picture of one line of writing
  they are short, as strokes are: there only several count, pale and evenly spaced.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import inf
from typing import NamedTuple, Self

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Mask
from san.images.clean.contrast import Contrast, ruling_contrast

Floats = NDArray[np.floating]

MIN_WIDTH_PIXELS, MIN_SINGLE_PIXELS = 40, 80
"""Pixels: below that nobody can tell a ruling from a bar, or a single one."""
MIN_SET_SIZE = 3
"""Rulings that are told from bars, short as they are, by being evenly spaced."""
MAX_SET_CONTRAST = 0.75
"""Of the darkest in a picture: such rulings have less."""
MAX_SPACING_VARIATION = 0.15
"""Of the space from ruling to ruling: by how much it varies."""
MIN_RIDGE_CONTRAST = 0.02
"""Contrast of a ridge that could be a ruling."""
MAX_HALF_THICKNESS = 4
"""Pixels from a ruling's middle to where there is paper again."""
UNBROKEN_WINDOW = 41
"""Pixels of which four fifths have to be ridge, around a point that votes."""
MAX_SLOPE = 0.12
"""Slope; pages are held straighter."""
MIN_VOTE_SHARE = 0.2
"""Share of the picture's width that has to vote for a line."""
MIN_COVERED_SHARE = 0.95
"""Share of a line's length that is dark."""
MAX_BEND_SHARE = 0.02
"""Of the length: how far a ruling's middle may lie off the straight line."""
MIN_INK_TO_LINE_CONTRAST = 1.35
"""Times as dark as the line: that is ink."""
MAX_CONTRAST_TO_USUAL = 2.0
"""Times as dark as the other lines: that is a stroke's contrast, or a bolder line's."""
PALEST_PERCENTILE = 10
"""Of a line's places so many in a hundred are paler: about there no stroke lies on it."""
LINE_PERCENTILE = 75
"""Of the pixels of lines, which are paler at their edges, so many in a hundred are paler than their
middles."""
MIN_STROKE_PIXELS = 11
"""Pixels: strokes are longer than the spot where two lines meet."""
NOISE_SAMPLE_STEP = 3
"""Every third pixel of every third row is enough to know the noise by."""
DARKEST_PERCENTILE = 98
"""Of a hundred pixels of a picture so many are paler than its darkest."""
MAX_LINES = 120
"""Lines that are looked for."""


class Line(NamedTuple):
    """A ruling: its places along the way and across it. Upright ones go down, level ones right."""

    upright: bool
    along: Floats
    across: Floats

    def moved(self, factor: float, left: float, top: float) -> Self:
        """The same line where the picture was cut at (left, top), then enlarged."""
        first, second = (top, left) if self.upright else (left, top)
        return self._replace(
            along=(self.along - first) * factor, across=(self.across - second) * factor
        )


class _Ridge(NamedTuple):
    """Points that could lie on a ruling, by column and row."""

    x: NDArray[np.int64]
    y: NDArray[np.int64]


def find_rulings(difference: Contrast) -> Iterator[Line]:
    """The lines that run across the picture, in its own pixels."""
    for upright in (False, True):
        turned = np.ascontiguousarray(difference.T) if upright else difference
        along = np.arange(turned.shape[1]) + 0.5
        middles = list(_level_lines(turned))
        if len(along) >= MIN_SINGLE_PIXELS or _is_set(turned, middles):
            yield from (Line(upright, along, middle + 0.5) for middle in middles)


def remove_lines(difference: Contrast, lines: Iterable[Line]) -> tuple[Contrast, Mask]:
    """The contrast without these lines, and where they were."""
    removed = difference.copy()
    where = (np.zeros(removed.shape, np.uint8), np.zeros(removed.shape, np.uint8))  # level, upright
    every = list(lines)
    for upright, mask in enumerate(where):
        turned = (removed.T, mask.T) if upright else (removed, mask)
        at = np.arange(turned[0].shape[1]) + 0.5
        own = [line for line in every if line.upright == upright]
        middles = [np.interp(at, line.along, line.across) - 0.5 for line in own]
        usual = _usual_contrast(turned[0], middles)
        for middle in middles:
            _remove_line(*turned, middle, usual)
    if all(mask.any() for mask in where):
        both = sum(ruling_contrast(difference, mask, LINE_PERCENTILE) for mask in where)
        _remove_crossings(removed, *where, both)
    return removed, where[0] | where[1]


def _remove_crossings(removed: Contrast, level: Mask, upright: Mask, both: float) -> None:
    """Two lines together are darker than either: as dark as `both`. What stays is ink, which is
    darker still, and what some stroke runs through."""
    square = np.ones((3, 3), np.uint8)
    cross = (cv2.dilate(level, square) > 0) & (cv2.dilate(upright, square) > 0)
    # Where lines lie close, as in a picture made small, most of a letter is near to a crossing, and
    # none of its strokes is long.
    cross &= removed <= MIN_INK_TO_LINE_CONTRAST * both + 0.02
    slant = np.eye(MIN_STROKE_PIXELS, dtype=np.uint8)
    strokes = np.full(removed.shape, -1, np.float32)
    for shape in (slant[:1] + 1, slant[:, :1] + 1, slant, slant[::-1]):
        kernel = np.ascontiguousarray(shape > 0, np.uint8)
        strokes = np.maximum(strokes, cv2.morphologyEx(removed, cv2.MORPH_OPEN, kernel))
    removed[cross] = np.minimum(removed, strokes)[cross]


def _level_lines(difference: Contrast) -> Iterator[Floats]:
    """Lines from left to right: the row of each line's middle, by column."""
    height, width = difference.shape
    if width < MIN_WIDTH_PIXELS or height < 4 * MAX_HALF_THICKNESS:
        return
    ridge = _ridge(difference)
    step = 4 / width  # one slope and the next part by two pixels towards either side
    slopes = np.arange(-MAX_SLOPE, MAX_SLOPE + step, step)
    votes, spare = _vote(ridge, slopes, width, height)
    for _ in range(MAX_LINES):
        slope, place = np.unravel_index(int(votes.argmax()), votes.shape)
        if votes[slope, place] < MIN_VOTE_SHARE * width:
            return
        middle, near = _fit(ridge, slopes[slope], 2 * float(place - spare) + 1, width)
        line_ridge = _Ridge(ridge.x[near], ridge.y[near])
        votes -= _vote(line_ridge, slopes, width, height)[0]
        votes[slope, place] = 0
        ridge = _Ridge(ridge.x[~near], ridge.y[~near])
        if len(line_ridge.x) and _runs_across(difference, line_ridge, middle):
            yield middle


def _is_set(difference: Contrast, middles: list[Floats]) -> bool:
    """Whether lines are pale and evenly spaced; one may be missing now and then."""
    if len(middles) < MIN_SET_SIZE:
        return False
    spaces = np.diff(np.sort([float(middle.mean()) for middle in middles]))
    times = spaces / spaces.min()
    if np.abs(times - np.rint(times)).max() > MAX_SPACING_VARIATION:
        return False
    height, width = difference.shape
    rows = np.clip(np.rint(middles).astype(np.intp), 0, height - 1)
    lines = np.median(difference[rows, np.arange(width)], axis=1)
    return bool(lines.max() < MAX_SET_CONTRAST * np.percentile(difference, DARKEST_PERCENTILE))


def _ridge(difference: Contrast) -> _Ridge:
    """Points that are darker than what lies above and below, in unbroken rows of such."""
    smooth = cv2.blur(difference, (9, 1), borderType=cv2.BORDER_REPLICATE)
    edged = cv2.copyMakeBorder(
        smooth, MAX_HALF_THICKNESS, MAX_HALF_THICKNESS, 0, 0, cv2.BORDER_REPLICATE
    )
    above, below = edged[: -2 * MAX_HALF_THICKNESS], edged[2 * MAX_HALF_THICKNESS :]
    height = smooth - np.maximum(above, below)
    # At the picture's own edge one side is enough.
    height[:MAX_HALF_THICKNESS] = smooth[:MAX_HALF_THICKNESS] - below[:MAX_HALF_THICKNESS]
    height[-MAX_HALF_THICKNESS:] = smooth[-MAX_HALF_THICKNESS:] - above[-MAX_HALF_THICKNESS:]
    sample = height[::NOISE_SAMPLE_STEP, ::NOISE_SAMPLE_STEP]
    noise = 1.4826 * float(np.median(np.abs(sample - np.median(sample))))
    high = (height > max(MIN_RIDGE_CONTRAST, 2 * noise)).astype(np.float32)
    grown = cv2.dilate(high, np.ones((3, 1), np.uint8))  # a slope leaves a row now and then
    unbroken = cv2.blur(grown, (UNBROKEN_WINDOW, 1), borderType=cv2.BORDER_REFLECT) > 0.8
    peak = smooth >= cv2.dilate(smooth, np.ones((2 * MAX_HALF_THICKNESS - 1, 1), np.uint8))
    y, x = np.nonzero(unbroken & (high > 0) & peak)
    return _Ridge(x, y)


def _vote(ridge: _Ridge, slopes: Floats, width: int, height: int) -> tuple[NDArray[np.int64], int]:
    """Points by slope and by the place, in steps of two rows, where the line crosses the middle."""
    spare = int(MAX_SLOPE * width / 4) + 2
    size = height // 2 + 2 * spare + 2
    votes = np.empty((len(slopes), size), np.int64)
    across = ridge.x - width / 2
    for number, slope in enumerate(slopes.tolist()):
        place = ((ridge.y - slope * across) / 2).astype(np.int64) + spare
        votes[number] = np.bincount(np.clip(place, 0, size - 1), minlength=size)
    return votes, spare


def _fit(ridge: _Ridge, slope: float, start: float, width: int) -> tuple[Floats, NDArray[np.bool_]]:
    """The line by column, bent to its points, and which points those are."""
    columns = np.arange(width) - width / 2
    middle = start + slope * columns
    for reach, degree in ((4.0, 1), (4.0, 2), (3.0, 2)):
        near = np.abs(ridge.y - middle[ridge.x]) <= reach
        if near.sum() < MIN_VOTE_SHARE * width:
            return middle, near
        middle = np.polyval(np.polyfit(columns[ridge.x[near]], ridge.y[near], degree), columns)
    return middle, np.abs(ridge.y - middle[ridge.x]) <= 3.0


def _runs_across(difference: Contrast, line_ridge: _Ridge, middle: Floats) -> bool:
    """Whether a line is nearly straight, and dark from side to side: ink upon it is no gap."""
    height, width = difference.shape
    straight = np.linspace(middle[0], middle[-1], width)
    if np.abs(middle - straight).max() > max(MAX_BEND_SHARE * width, 2.0):
        return False
    columns = np.arange(width)
    rows = np.rint(middle).astype(np.intp)
    inside = (rows >= 0) & (rows < height)
    if inside.mean() < 0.5:
        return False
    # Outside the picture a line is no longer to be seen: what counts is what could be.
    rows, columns = rows[inside], columns[inside]
    darkest = difference[rows, columns]
    for shift in (-1, 1):
        darkest = np.maximum(darkest, difference[np.clip(rows + shift, 0, height - 1), columns])
    dark = darkest > 0.5 * float(np.median(difference[line_ridge.y, line_ridge.x]))
    ends = max(len(dark) // 16, 5)
    return bool(
        dark.mean() > MIN_COVERED_SHARE and dark[:ends].mean() > 0.6 and dark[-ends:].mean() > 0.6
    )


class _Strip(NamedTuple):
    """A line and what lies beside it: a row for each distance, a column for each place along it."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    inside: NDArray[np.bool_]  # of the picture
    contrast: Contrast

    def profile(self, percentile: int = 50) -> Floats:
        """Across the line; nothing where it does not touch the picture."""
        whole = self.inside.all(axis=0)
        seen = whole if whole.any() else self.inside.any(axis=0)
        # Ink lies on less than half of a line: the middle value is the line's own.
        own = self.contrast[:, seen]
        return np.percentile(own, percentile, axis=1) if seen.any() else np.zeros(0)


def _strip(difference: Contrast, middle: Floats) -> _Strip:
    height, width = difference.shape
    rows = (
        np.rint(middle).astype(np.intp)[None]
        + np.arange(-MAX_HALF_THICKNESS - 2, MAX_HALF_THICKNESS + 3)[:, None]
    )
    inside = (rows >= 0) & (rows < height)
    columns = np.broadcast_to(np.arange(width), rows.shape)
    return _Strip(rows, columns, inside, difference[np.clip(rows, 0, height - 1), columns])


def _usual_contrast(difference: Contrast, middles: Sequence[Floats]) -> float:
    """Of lines that are several; endless where they are too few to tell."""
    profiles = [_strip(difference, middle).profile() for middle in middles]
    darkest = [float(profile.max()) for profile in profiles if len(profile)]
    return float(np.median(darkest)) if len(darkest) >= MIN_SET_SIZE else inf


def _remove_line(difference: Contrast, where: Mask, middle: Floats, usual: float) -> None:
    """Takes one line out of the contrast, and notes where it was."""
    strip = _strip(difference, middle)
    rows, columns, inside, _ = strip
    profile = strip.profile()
    if not len(profile):
        return
    # In a close crop a 1 may lie on most of an upright line. A bold line is dark all along.
    if profile.max() > MAX_CONTRAST_TO_USUAL * usual:
        profile *= max(usual, strip.profile(PALEST_PERCENTILE).max()) / profile.max()
    dark = np.flatnonzero(profile > max(0.2 * profile.max(), 0.005))
    if not len(dark):
        return
    low, high = max(int(dark[0]) - 1, 2), min(int(dark[-1]) + 2, len(rows) - 2)
    if low >= high:
        return
    spread = np.ones((1, 3), np.uint8)  # ink crosses at a slant
    contrast = strip.contrast
    above = cv2.dilate(contrast[low - 2 : low].max(axis=0)[None], spread)
    below = cv2.dilate(contrast[high : high + 2].max(axis=0)[None], spread)
    band = contrast[low:high]
    # A line that slopes goes from row to row: its neighbours' darkness may be a pixel's own.
    line_contrast = np.maximum(profile, np.maximum(np.roll(profile, 1), np.roll(profile, -1)))
    ink = band > MIN_INK_TO_LINE_CONTRAST * line_contrast[low:high, None] + 0.02
    band = np.where(ink, band, np.minimum(band, np.minimum(above, below)))
    use = inside[low:high]
    difference[rows[low:high][use], columns[low:high][use]] = band[use]
    where[rows[low:high][use], columns[low:high][use]] = 1
