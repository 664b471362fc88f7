"""How a page of print lies: by its straight rows, and by the letters that rise above them.

Design choices
- The orientation network knows handwriting alone, and is sure of nonsense where a page is printed
  prose. Print tells better: between its rows is paper from side to side, between its letters is
  none from top to bottom.
- In rows of small letters more rise above the others (b, d, f, h, k, l, t, capitals, points of i)
  than hang below (g, j, p, q, y, commas): in English four times as many.
- Only of hundreds of parts, and only where it is plain: what is left is the network's to tell.
- Which side is up is asked of level rows alone: of rows on their side cleaning takes too much for
  rulings.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Picture
from san.images.clean.components import find_components

MIN_PARTS = 200
"""Of a page of print; letters, mostly."""
MIN_FREE, TIMES_FREER = 0.2, 4.0
"""Of a page's height: paper between rows; and how many times as much as between columns."""
CORE = 0.25
"""Of a part's height, above and below: what may reach into the next row."""
MIN_REACH = 0.25
"""Of a row's usual letter: what rises above the others, or hangs below them, does by so much."""
MIN_ROW_PARTS, MIN_REACHING = 10, 40
"""Of a row that is looked at, and of a page: parts that rise or hang."""
MIN_MAJORITY = 0.3
"""Of those: how many more there are on one side."""

Boxes = NDArray[np.int64]
"""(n, 4): left, top, right, bottom."""


class PrintedRows(NamedTuple):
    """How the rows of a page lie."""

    level: bool  # or on their side
    rising: int = 0  # 1: more parts rise above level rows than hang below; -1: fewer; 0: in doubt


def printed_rows(picture: Picture) -> PrintedRows | None:
    """None where it is no page of print, or does not tell."""
    stats = find_components(np.asarray(picture > 127, np.uint8)).stats.astype(np.int64)
    if len(stats) < MIN_PARTS:
        return None
    boxes = np.column_stack([stats[:, :2], stats[:, :2] + stats[:, 2:4]])
    free_rows, free_columns = (1 - _covered(boxes[:, side]).mean() for side in ([1, 3], [0, 2]))
    if free_rows >= max(MIN_FREE, TIMES_FREER * free_columns):
        return PrintedRows(True, _rising(boxes))
    on_side = free_columns >= max(MIN_FREE, TIMES_FREER * free_rows)
    return PrintedRows(False) if on_side else None


def _covered(ends: Boxes) -> NDArray[np.bool_]:
    """Of each place from the first part to the last, whether the middle of a part is there."""
    start = ends[:, 0].min()
    room = (CORE * (ends[:, 1] - ends[:, 0])).astype(np.int64)
    steps = np.zeros(ends[:, 1].max() - start + 1, np.int64)
    np.add.at(steps, ends[:, 0] + room - start, 1)
    np.add.at(steps, ends[:, 1] - room - start, -1)
    return np.asarray(np.cumsum(steps)[:-1] > 0, bool)


def _rising(boxes: Boxes) -> int:
    tops, bottoms = boxes[:, 1], boxes[:, 3]
    covered = _covered(boxes[:, [1, 3]])
    row_of = np.cumsum(np.diff(covered.astype(np.int64), prepend=0) > 0)
    row = row_of[np.minimum((tops + bottoms) // 2 - tops.min(), len(row_of) - 1)]
    rising = hanging = 0
    for number in np.flatnonzero(np.bincount(row) >= MIN_ROW_PARTS).tolist():
        top, bottom = tops[row == number], bottoms[row == number]
        usual_top, usual_bottom = float(np.median(top)), float(np.median(bottom))
        reach = MIN_REACH * (usual_bottom - usual_top)
        rising += int((top < usual_top - reach).sum())
        hanging += int((bottom > usual_bottom + reach).sum())
    if rising + hanging < MIN_REACHING:
        return 0
    majority = (rising - hanging) / (rising + hanging)
    return int(np.sign(majority)) if abs(majority) >= MIN_MAJORITY else 0
