"""Tells whether a page is empty: what was found is a shadow's edge, noise or a ruling.

Design choices
- Ink is darker than the paper on all of its sides, a shadow's edge only than that on one. So ink
  has its contrast against `closed_paper` too, which shadows have none against.
- The paper beside ink is even. Where it varies as much as what was found, that is its noise.
- A ruling runs on: where all that was found are bars, and the page is about as dark beyond their
  ends, nobody wrote them. A bar that was written over a ruling is darker than what goes on.
- Where more was found than shadows and rulings leave, nothing is asked: close crops cost nothing.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Mask
from san.images.clean.components import Components, find_components
from san.images.clean.contrast import Contrast

MIN_FULL_SHARE = 0.12
"""Of a picture: more ink than that is writing."""
MIN_CLOSED_CONTRAST = 0.65
"""Of the contrast: what is left of ink beside a paper without shadows is more."""
PAPER_WINDOW, BLUR_WINDOW = 21, 7
"""Pixels of the windows that reach into the paper beside the ink, and beyond its blurred edge."""
MAX_PAPER_VARIATION, MAX_DOUBTED_VARIATION = 0.13, 0.09
"""Of the ink's contrast: from a quarter to half of the paper's pixels, it varies by less; and what
it varies by where the first pass found nothing."""
MIN_BAR_LENGTH_WIDTHS = 3.0
"""Times its width: a bar is longer."""
MIN_CONTINUED_CONTRAST = 0.6
"""Of a bar's contrast: a ruling has more beyond the bar's ends."""
END_GAP_PIXELS = 3
"""Pixels from a bar's end to what lies beyond it, for it may be blurred; or to the edge."""
MAX_SHARE_BESIDE_BARS = 0.2
"""Of the ink: what may lie beside the bars of an empty page."""


def is_full_of_ink(ink: Mask) -> bool:
    return int(np.count_nonzero(ink)) > MIN_FULL_SHARE * ink.size


def is_empty_page(ink: Mask, page: Contrast, shaded: Contrast, doubted: bool = False) -> bool:
    """Whether nobody wrote this: `page` is the contrast it was found in, `shaded` the other.

    `doubted`: an earlier attempt found nothing.
    """
    inked = ink > 0
    shaded = shaded - np.float32(np.median(shaded[::2, ::2]))
    if float(shaded[inked].mean()) < MIN_CLOSED_CONTRAST * float(page[inked].mean()):
        return True
    if _is_uneven(ink, page, MAX_DOUBTED_VARIATION if doubted else MAX_PAPER_VARIATION):
        return True
    components = find_components(ink)
    short, long = np.sort(components.stats[:, 2:4], axis=1).T
    area = components.stats[:, 4]
    written = ~(long > MIN_BAR_LENGTH_WIDTHS * short)
    max_area = MAX_SHARE_BESIDE_BARS * area.sum()
    if area[written].sum() > max_area:
        return False
    for number in np.flatnonzero(~written).tolist():
        written[number] = not _runs_on(components, number, shaded)
    return bool(area[written].sum() <= max_area)


def _is_uneven(ink: Mask, page: Contrast, max_variation: float) -> bool:
    """Whether the paper beside the ink varies as the ink itself does, as if it were noise."""
    near = cv2.dilate(ink, np.ones((PAPER_WINDOW, PAPER_WINDOW), np.uint8))
    beside = page[
        (near > 0) & (cv2.dilate(ink, np.ones((BLUR_WINDOW, BLUR_WINDOW), np.uint8)) == 0)
    ]
    if not beside.size:
        return False
    low, middle = np.percentile(beside, (25, 50)).tolist()
    return bool(middle - low > max_variation * (float(page[ink > 0].mean()) - middle))


def _runs_on(components: Components, number: int, page: Contrast) -> bool:
    """Whether the page is about as dark beyond a bar's ends, or ends there itself."""
    left, top, width, height, _ = components.stats[number].tolist()
    if min(left, top, page.shape[1] - left - width, page.shape[0] - top - height) <= END_GAP_PIXELS:
        return True
    inside = components.labels[top : top + height, left : left + width] == number + 1
    dark = float(page[top : top + height, left : left + width][inside].mean())
    if height > width:
        inside, page, start, first, length = inside.T, page.T, top, left, height
    else:
        start, first, length = left, top, width
    across, along = np.nonzero(inside)
    line = np.polyfit(along, across, 1) if length > 1 else np.array([0.0, across.mean()])
    before = np.arange(-END_GAP_PIXELS - length, -END_GAP_PIXELS)
    beyond = np.concatenate([before, length - 1 - before])
    return (
        _darkness(page, start + beyond, first + np.polyval(line, beyond))
        > MIN_CONTINUED_CONTRAST * dark
    )


def _darkness(page: Contrast, along: NDArray[np.int64], across: NDArray[np.float64]) -> float:
    """The middle value on a line through the page, a pixel more or less to either side."""
    rows = np.rint(across).astype(np.int64)
    seen = (along >= 0) & (along < page.shape[1]) & (rows >= 1) & (rows < page.shape[0] - 1)
    if not seen.any():
        return 0.0
    strip = np.stack([page[rows[seen] + shift, along[seen]] for shift in (-1, 0, 1)])
    return float(np.median(strip.max(axis=0)))
