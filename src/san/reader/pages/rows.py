"""Rows of a page, and what tells a gap between two formulas from a gap within one.

A row is some parts with free paper above and below. Between two rows there is a boundary; its
features are lengths in letters, so that they mean the same for every size of writing. A fraction's
bar, the limits of a sum and the dots of an equation are low, narrow or few, and near to what they
belong to; a line of its own is none of that.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from san.reader.pages.parts import Floats, Indices, Parts, letter_height

BAR_FLATNESS, BAR_WIDTH = 0.3, 0.8
"""A bar's height is at most that much of its width; its width that many letters at least."""

Columns = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Row:
    """Some parts of a page at a slope: in each column their top and bottom."""

    parts: Indices
    tops: Floats
    bottoms: Floats
    bar_above: Columns  # columns in which a bar is the uppermost
    bar_below: Columns
    boxes: Floats  # of the parts, upright

    @property
    def top(self) -> float:
        return float(self.tops.min())

    @property
    def bottom(self) -> float:
        return float(self.bottoms.max())

    @property
    def columns(self) -> Columns:
        return np.isfinite(self.tops)

    def merged(self, other: "Row") -> "Row":
        return Row(
            np.concatenate([self.parts, other.parts]),
            np.minimum(self.tops, other.tops),
            np.maximum(self.bottoms, other.bottoms),
            np.where(self.tops <= other.tops, self.bar_above, other.bar_above),
            np.where(self.bottoms >= other.bottoms, self.bar_below, other.bar_below),
            np.concatenate([self.boxes, other.boxes]),
        )


def find_rows(parts: Parts, slope: float, min_gap: float = 0.0) -> list[Row]:
    """The rows between gaps that go through the whole page, from the top to the bottom.

    `slope`: how far all lines fall, for one unit to the right. `min_gap`: of the gap between rows;
    below 0 rows may overlap so far.
    """
    shift = slope * parts.column * (np.arange(parts.tops.shape[1], dtype=np.float32) + 0.5)
    tops, bottoms = parts.tops - shift, parts.bottoms - shift
    top, bottom = tops.min(axis=1), bottoms.max(axis=1)
    order = np.argsort(top + bottom, kind="stable")
    above = np.maximum.accumulate(bottom[order])[:-1]
    below = np.minimum.accumulate(top[order][::-1])[::-1][1:]
    ends = np.flatnonzero(below - above > min_gap) + 1
    bars = is_bar(parts.boxes, parts.letter)
    return [_row(np.sort(some), tops, bottoms, bars, parts) for some in np.split(order, ends)]


def is_bar(boxes: Floats, letter: float) -> NDArray[np.bool_]:
    width, height = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    return np.asarray((height <= BAR_FLATNESS * width) & (width >= BAR_WIDTH * letter))


def _row(
    some: Indices, tops: Floats, bottoms: Floats, bars: NDArray[np.bool_], parts: Parts
) -> Row:
    of_bar = bars[some]
    return Row(
        some,
        tops[some].min(axis=0),
        bottoms[some].max(axis=0),
        of_bar[tops[some].argmin(axis=0)],
        of_bar[bottoms[some].argmax(axis=0)],
        parts.boxes[some],
    )


FEATURES = (
    "gap",  # between the boxes of the two rows
    "nearest",  # in any column that both have
    "clearance",  # mean over those columns
    "overlap",  # columns that both have, as share of the narrower one's
    "narrower",  # log of its width
    "wider",
    "lower",  # its height
    "higher",
    "letters",  # the smaller height of letters
    "letters ratio",  # of the two rows
    "fewer",  # log of the parts of the row that has fewer
    "bar",  # share of a row that lies right above or below a bar of the other
    "farther",  # the gap on the other sides of the two rows, the smaller one
    "smaller nearer",  # how much farther away the smaller row's other neighbour is
    "beyond",  # log of how far the smaller row reaches beyond the larger
    "offset",  # log of how far apart they begin
    "groups",  # log of the number of groups in the smaller row
    "group width",  # log of the widest one's
    "group clearance",  # mean distance of groups to what they stand above or below
    "group farthest",  # the largest such distance
    "group opposite",  # mean height of the tallest part there
)
NOWHERE = 3.0
"""Letters: as far as anything counts as far."""
GROUP_GAP, GROUP_REACH = 1.0, 0.5
"""Letters between groups; and how far beside a group something still stands above or below it."""


def boundary_features(rows: list[Row], number: int, letter: float) -> list[float]:
    """Of the boundary between a row and the next one; lengths in letters."""
    one, other = rows[number], rows[number + 1]
    gap = (other.top - one.bottom) / letter
    both = one.columns & other.columns
    clear = (other.tops[both] - one.bottoms[both]) / letter
    columns = [max(int(row.columns.sum()), 1) for row in (one, other)]
    widths = [_width(row) / letter for row in (one, other)]
    heights = [(row.bottom - row.top) / letter for row in (one, other)]
    letters = [letter_height(row.boxes) / letter for row in (one, other)]
    bar = max(
        int((one.bar_below & both).sum()) / columns[1],
        int((other.bar_above & both).sum()) / columns[0],
    )
    before = (one.top - rows[number - 1].bottom) / letter if number else NOWHERE
    last = number + 2 == len(rows)
    after = NOWHERE if last else (rows[number + 2].top - other.bottom) / letter
    upper_is_small = widths[0] * heights[0] < widths[1] * heights[1]
    small, large = (one, other) if upper_is_small else (other, one)
    return [
        _clipped(gap, -1, 2),
        _clipped(float(clear.min()) if len(clear) else gap, -1, 2),
        _clipped(float(clear.mean()) if len(clear) else gap, -1, NOWHERE),
        int(both.sum()) / min(columns),
        float(np.log1p(min(widths))),
        float(np.log1p(max(widths))),
        _clipped(min(heights), 0, 3),
        _clipped(max(heights), 0, 3),
        _clipped(min(letters), 0, 2),
        min(letters) / max(letters),
        float(np.log(min(len(one.parts), len(other.parts)))),
        bar,
        _clipped(min(before, after), -1, NOWHERE),
        _clipped((before if upper_is_small else after) - gap, -2, 2),
        float(np.log1p(_beyond(small, large) / letter)),
        float(np.log1p(_offset(small, large) / letter)),
        *_group_features(small, large, letter, upper_is_small),
    ]


def _group_features(small: Row, large: Row, letter: float, above: bool) -> list[float]:
    """How near each group of a small row is to what it stands above or below, as limits do."""
    left, right = small.boxes[:, 0], small.boxes[:, 2]
    order = np.argsort(left, kind="stable")
    reach = np.maximum.accumulate(right[order])[:-1]
    ends = np.flatnonzero(left[order][1:] - reach > GROUP_GAP * letter) + 1
    widths, distances, heights = [], [], []
    for group in np.split(order, ends):
        first, last = float(left[group].min()), float(right[group].max())
        widths.append(last - first)
        near = (large.boxes[:, 0] <= last + GROUP_REACH * letter) & (
            large.boxes[:, 2] >= first - GROUP_REACH * letter
        )
        if not near.any():
            distances.append(NOWHERE)
            heights.append(0.0)
            continue
        some, boxes = small.boxes[group], large.boxes[near]
        distance = (
            boxes[:, 1].min() - some[:, 3].max()
            if above
            else (some[:, 1].min() - boxes[:, 3].max())
        )
        distances.append(_clipped(float(distance) / letter, -1, NOWHERE))
        heights.append(_clipped(float((boxes[:, 3] - boxes[:, 1]).max()) / letter, 0, 3))
    weights = np.array(widths) + 0.1 * letter
    return [
        float(np.log(len(widths))),
        float(np.log1p(max(widths) / letter)),
        float(np.average(distances, weights=weights)),
        max(distances),
        float(np.average(heights, weights=weights)),
    ]


def _width(row: Row) -> float:
    return float(row.boxes[:, 2].max() - row.boxes[:, 0].min())


def _beyond(row: Row, other: Row) -> float:
    """How far a row reaches to the left or to the right of another."""
    left, right = other.boxes[:, 0].min(), other.boxes[:, 2].max()
    return float(max(left - row.boxes[:, 0].min(), row.boxes[:, 2].max() - right, 0.0))


def _offset(row: Row, other: Row) -> float:
    """How far apart two rows begin."""
    return float(abs(row.boxes[:, 0].min() - other.boxes[:, 0].min()))


def _clipped(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)
