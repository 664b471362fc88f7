"""Removes level lines that leave the picture: rulings and the page's edge, on which letters stand.

Design choices
- A long piece that runs from one edge around a corner to the next is the edge of the page, or a
  ruling. Where a part of it is a line, that is cut out, and the rest is looked at again. So is a
  line at one edge that letters stand on, with nothing beneath it: one to write the answer on.
- A slope breaks a line into parts. It is followed as far as it runs on, for where it starts tells
  what it is, and half of a line is worse than none or all of it.
- A level line that starts above the leg of a root is its bar, though the pen may have been lifted.
  One with writing above and beneath it is a fraction's, if it starts within the picture, or if it
  is known to be a bar (`bar`).
"""

import cv2
import numpy as np

from san.images.bitmap import Mask
from san.images.clean.bars import has_leg, inked_shares, is_between
from san.images.clean.components import Components, Sides, find_components, mean_height
from san.images.clean.rulings import Floats

MIN_LINE_LENGTH_HEIGHTS = 2.5
"""Times the writing's height: no letter is so long."""
MAX_LINE_PEN_WIDTHS = 2.0
"""Times the pen's width: a line is thinner."""
MAX_SLOPE, INK_PULL = 0.15, 0.2
"""How a line is followed: its slope at most, and how far its own ink pulls it off the straight."""
MIN_SHARE_ABOVE, MAX_SHARE_BENEATH = 0.5, 0.08
"""Of a line's length: what has writing above it, and beneath it, where letters stand on a line."""
MAX_LONG_COMPONENTS = 16
"""Long pieces that are looked at one by one; where there are more, those at a corner alone."""
MIN_REST_HEIGHTS = 0.3
"""Of the writing's height: what is lower beside a line is a part of it."""


def without_lines(ink: Mask, components: Components, nib: float, bars: Mask | None = None) -> Mask:
    """The ink, less the level lines of long pieces that leave the picture.

    `bars`: where bars are known to be.
    """
    sides = Sides(components, ink.shape)
    doubtful = (sides.left | sides.right | sides.bottom) & (
        components.stats[:, 2] > MIN_LINE_LENGTH_HEIGHTS * nib
    )
    if not doubtful.any() or not sides.free.any():
        return ink
    # Where most letters stand on a line, few others are left to tell the writing's height by.
    all_or_free = (components.stats, components.stats[sides.free])
    height_of_writing = max(mean_height(stats, nib) for stats in all_or_free) + nib
    rest = ink
    doubtful &= components.stats[:, 2] > MIN_LINE_LENGTH_HEIGHTS * height_of_writing
    if doubtful.sum() > MAX_LONG_COMPONENTS:
        doubtful &= sides.corner
    for number in np.flatnonzero(doubtful).tolist():
        component = np.asarray(components.labels == number + 1, np.uint8)
        line = level_line(component, height_of_writing, nib)
        if not line.any() or (bars is not None and _is_known_bar(line, bars)):
            continue
        if not sides.corner[number] and not _carries_writing(line, ink, nib):
            continue
        if not is_bar(component, line, ink & (1 - component), height_of_writing, nib):
            rest = rest & (1 - component) | _without_line(component, line, height_of_writing, nib)
    return rest


def _carries_writing(line: Mask, ink: Mask, nib: float) -> bool:
    """Whether writing stands on a line, and next to nothing is beneath it."""
    start, stop, middle = _course(line)
    above, beneath = inked_shares(middle, 2 * nib, ink[:, start:stop])
    return above > MIN_SHARE_ABOVE and beneath < MAX_SHARE_BENEATH


def _course(line: Mask) -> tuple[int, int, Floats]:
    """The first and the last column of a line, and the row of its middle in each."""
    columns = np.flatnonzero(line.any(axis=0))
    start, stop = int(columns[0]), int(columns[-1]) + 1
    rows, places = np.nonzero(line[:, start:stop])
    middle = np.polyval(np.polyfit(places, rows, 1), np.arange(stop - start))
    return start, stop, np.asarray(middle, np.float64)


def _is_known_bar(line: Mask, bars: Mask) -> bool:
    return 2 * int(np.count_nonzero(line & bars)) > int(np.count_nonzero(line))


def level_line(component: Mask, height_of_writing: float, nib: float) -> Mask:
    """The parts of a piece that are long, thin and level, and leave the picture."""
    run = np.ones((1, max(round(height_of_writing), 3)), np.uint8)
    parts = find_components(np.asarray(cv2.morphologyEx(component, cv2.MORPH_OPEN, run), np.uint8))
    sides = Sides(parts, component.shape)
    width, area = parts.stats[:, 2], parts.stats[:, 4]
    # Not by the upper edge: so does the bar of a root.
    lines = (sides.left | sides.right | sides.bottom) & (
        width > MIN_LINE_LENGTH_HEIGHTS * height_of_writing
    )
    lines &= area < MAX_LINE_PEN_WIDTHS * nib * width
    line = np.asarray(np.concatenate([[False], lines])[parts.labels], np.uint8)
    for left, _, wide, _, _ in parts.stats[lines].tolist():
        for turn, end in ((1, left + wide), (-1, component.shape[1] - left)):
            _follow(component[:, ::turn], line[:, ::turn], end, height_of_writing, nib)
    return line


def _follow(component: Mask, line: Mask, end: int, height_of_writing: float, nib: float) -> None:
    """Adds to a line what it runs on as to the right of its end: a slope breaks it into parts."""
    start = max(0, end - round(height_of_writing))
    rows, columns = np.nonzero(line[:, start:end])
    if len(rows) < 2:
        return
    slope, first = np.polyfit(columns, rows, 1)
    slope = float(np.clip(slope, -MAX_SLOPE, MAX_SLOPE))
    middle = float(first + slope * (end - start))
    gap = 0
    for column in range(end, component.shape[1]):
        low, high = max(0, round(middle - nib)), max(0, round(middle + nib) + 1)
        near = np.flatnonzero(component[low:high, column])
        gap = 0 if len(near) else gap + 1
        if gap > nib:
            return
        line[low:high, column] |= component[low:high, column]
        # Where letters cross the line they tell nothing of it.
        if 0 < len(near) <= MAX_LINE_PEN_WIDTHS * nib:
            middle += INK_PULL * (low + float(near.mean()) - middle)
        middle += slope


def is_bar(component: Mask, line: Mask, others: Mask, height_of_writing: float, nib: float) -> bool:
    """Whether a piece's level line starts within the picture, as a root's or a fraction's bar."""
    start, stop, middle = _course(line)
    if start <= nib / 2:  # as rulings do that end beneath the writing
        return False
    if is_between(middle, 2 * nib, others[:, start:stop]):
        return True
    # A leg goes down from where the bar of a root starts, and nothing goes up from it.
    reach = max(round(height_of_writing / 2), 1)
    first = round(float(middle[0]))
    leg = component[max(0, first + round(2 * nib)) :, max(0, start - reach) : start + reach]
    above = component[:, start:stop] * (np.arange(len(component))[:, None] < middle - nib)
    apart = has_leg(component | others, start, float(middle[0]), height_of_writing, nib)
    return bool(
        (leg.any(axis=1).sum() > height_of_writing / 2 or apart)
        and above.sum() < height_of_writing * nib / 4
    )


def _without_line(component: Mask, line: Mask, height_of_writing: float, nib: float) -> Mask:
    """A piece without its line; strokes that go on beyond it are carried across."""
    line = np.asarray(cv2.dilate(line, np.ones((3, 1), np.uint8)), np.uint8) & component
    rest = component & (1 - line)
    reach = np.ones((round(2 * nib) + 2, 1), np.uint8)
    both = cv2.min(
        cv2.dilate(rest, reach, anchor=(0, len(reach) - 1)), cv2.dilate(rest, reach, anchor=(0, 0))
    )
    parts = find_components(rest | (line & np.asarray(both, np.uint8)))
    keep = np.concatenate([[False], parts.stats[:, 3] >= MIN_REST_HEIGHTS * height_of_writing])
    return np.asarray(keep[parts.labels], np.uint8)
