"""Finds writing that cleaning leaves out of a picture: small beside large, or faint beside bold.

Design choices
- A picture is cleaned to one size and one contrast, by which a small line far off is a few specks,
  and a faint one is paper. So what stands out, and is not in the cleaned picture, is looked at
  again: letters that stand together are writing, whatever their size and contrast, and are cleaned
  by themselves.
- Letters are at least three pieces of about one height, near to one another, none of them flat:
  specks lie anywhere, and dashes of rulings are flat.
- What touches the edge was cut off; what keeps to a ruling and is hardly darker was left of it;
  what lies next to ink is its blurred edge. What shows through from the back of the sheet is paler.
- Time is bounded: letters, and the parts of a page that are cleaned again, have a largest number.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Extent, Grey, Mask, Picture
from san.images.clean.components import Components, Which, at_edge, find_components
from san.images.clean.contrast import Contrast, ruling_contrast
from san.images.clean.strays import MIN_CONTRAST_BESIDE_RULING, near_to
from san.images.clean.threshold import above

MIN_LETTERS = 3
"""That stand together: two may be anything."""
MIN_LETTER_PIXELS, MIN_LETTER_AREA = 5, 8
"""Pixels of a letter's height, and of its ink, where the whole picture is looked at: less cannot be
told from specks."""
MAX_LETTER_WIDTH_TO_HEIGHT = 2.0
"""Times its height: what is wider is a bar or a dash, or a row of letters that touch."""
MAX_HEIGHT_RATIO, MAX_GAP_ACROSS_HEIGHTS, MAX_GAP_DOWN_HEIGHTS = 3.0, 1.5, 0.7
"""Of two neighbours: how much taller one is; times its height, how far they are apart."""
MIN_FAINT_CONTRAST = 0.15
"""Mean contrast of a letter in a photograph. What shows through the sheets of 916 photographs comes
to 0.14, where it seems to be letters at all."""
MIN_SHARE_ON_RULING = 0.5
"""Share of a piece where rulings were: it was left of one."""
BLUR_PIXELS = 3
"""Pixels around ink in which paler ones are its own blurred edge."""
REACH_LETTERS = 1.2
"""Letters, from one piece of some writing to the next: between lines, and to what is no letter."""
MAX_LETTERS = 1_000
"""That are looked at, the largest."""
MAX_PLACES = 4
"""Parts of a picture that are cleaned by themselves; where there are more, all of them are one."""
MIN_CLEANED_LETTER_PIXELS = 10
"""Pixels of a letter in a cleaned picture, in which a stroke is 28 high on average."""


def other_writing(
    page: Contrast,
    difference: Contrast,
    faintest: float,
    least: float,
    kept: Mask,
    removed: Mask,
) -> list[Extent]:
    """Where letters stand together that are not in the kept ink; mostly nowhere.

    Args:
        page: Contrast of the page.
        difference: The same without its rulings.
        faintest: Contrast from which on a pixel stands out.
        least: Mean contrast of a letter, at least.
        kept: The ink that is known.
        removed: Where the rulings were.
    """
    near = _dilated(kept, 2 * BLUR_PIXELS + 1)
    rest = above(difference, faintest)
    rest[near > 0] = 0
    if cv2.countNonZero(rest) < MIN_LETTERS * MIN_LETTER_AREA:
        return []
    components = find_components(rest)
    letters = _is_letter(components.stats, MIN_LETTER_PIXELS)
    letters &= components.stats[:, 4] >= MIN_LETTER_AREA
    if np.count_nonzero(letters) < MIN_LETTERS:
        return []
    pieces = ~at_edge(components, rest.shape) & ~_at(components, _dilated(near, 3), 0.0)
    if removed.any():
        remains = _at(components, _dilated(removed, 5), MIN_SHARE_ON_RULING)
        over = np.flatnonzero(remains & letters & pieces)
        # Writing is darker than the ruling that it stands on.
        dark = MIN_CONTRAST_BESIDE_RULING * ruling_contrast(page, removed & (1 - near), 90)
        remains[over] = _mean_contrast(components, over, difference) < dark
        pieces &= ~remains
    numbers = np.flatnonzero(letters & pieces)
    numbers = numbers[np.argsort(-components.stats[numbers, 4], kind="stable")[:MAX_LETTERS]]
    numbers = numbers[_mean_contrast(components, numbers, difference) >= least]
    together = in_groups(components.stats[numbers])
    return _places(components, pieces, numbers[together]) if together.any() else []


def has_letters(picture: Picture) -> bool:
    """Whether a cleaned picture has letters that stand together: then it is writing for certain."""
    stats = find_components((picture > 0).astype(np.uint8)).stats
    return bool(letters_together(stats, MIN_CLEANED_LETTER_PIXELS).any())


def letters_together(stats: NDArray[np.int32], min_height: int) -> Which:
    """Which of some pieces are letters that stand together, of the largest."""
    letters = np.flatnonzero(_is_letter(stats, min_height))
    sizes = stats[letters, 2] * stats[letters, 3]
    letters = letters[np.argsort(-sizes, kind="stable")[:MAX_LETTERS]]
    found = np.zeros(len(stats), bool)
    found[letters[in_groups(stats[letters])]] = True
    return found


def in_groups(stats: NDArray[np.int32]) -> Which:
    """Which of some letters stand together, side by side or as fractions do."""
    count = len(stats)
    found = np.zeros(count, bool)
    if count < MIN_LETTERS:
        return found
    left, top, width, height = stats[:, :4].T
    right, bottom = left + width, top + height
    lower, taller = np.minimum.outer(height, height), np.maximum.outer(height, height)
    across = np.maximum.outer(left, left) - np.minimum.outer(right, right)
    down = np.maximum.outer(top, top) - np.minimum.outer(bottom, bottom)
    near = (across <= MAX_GAP_ACROSS_HEIGHTS * taller) & (down <= MAX_GAP_DOWN_HEIGHTS * taller)
    near &= taller <= MAX_HEIGHT_RATIO * lower
    waiting = np.ones(count, bool)
    while waiting.any():
        group = [int(waiting.argmax())]
        waiting[group] = False
        for letter in group:  # which grows
            more = np.flatnonzero(near[letter] & waiting)
            waiting[more] = False
            group += more.tolist()
        found[group] = len(group) >= MIN_LETTERS
    return found


def without_ink(grey: Grey, ink: Mask) -> Grey:
    """A part of a picture with paper over some ink, a mask of any size, and its blurred edge."""
    size = (grey.shape[1], grey.shape[0])
    blurred = _dilated(ink, 2 * BLUR_PIXELS + 1)
    covered = cv2.resize(blurred, size, interpolation=cv2.INTER_NEAREST) > 0
    paper = grey[~covered]
    return np.where(covered, np.uint8(np.median(paper) if paper.size else 255), grey)


def _is_letter(stats: NDArray[np.int32], min_height: int) -> Which:
    width, height = stats[:, 2], stats[:, 3]
    return np.asarray((height >= min_height) & (width <= MAX_LETTER_WIDTH_TO_HEIGHT * height), bool)


def _at(components: Components, where: Mask, share: float) -> Which:
    """Pieces of which more than a share lies there."""
    amount = np.bincount(components.labels[where > 0], minlength=len(components.stats) + 1)[1:]
    return np.asarray(amount > share * components.stats[:, 4], bool)


def _mean_contrast(
    components: Components, numbers: NDArray[np.intp], difference: Contrast
) -> NDArray[np.float64]:
    """Of some pieces."""
    inked = components.labels > 0
    count = len(components.stats) + 1
    total = np.bincount(components.labels[inked], weights=difference[inked], minlength=count)[1:]
    return np.asarray(total[numbers] / components.stats[numbers, 4], np.float64)


def _places(components: Components, pieces: Which, letters: NDArray[np.intp]) -> list[Extent]:
    """Boxes around some letters and the pieces near them, with paper about them."""
    ink = np.concatenate([[False], pieces])[components.labels].astype(np.uint8)
    reach = max(round(REACH_LETTERS * float(np.median(components.stats[letters, 3]))), 2) // 2
    _, groups, boxes, _ = cv2.connectedComponentsWithStats(near_to(ink, reach), connectivity=8)
    group_of = np.zeros(len(components.stats) + 1, np.int64)
    group_of[components.labels[ink > 0]] = groups[ink > 0]
    places = np.unique(group_of[letters + 1])
    left, top, width, height = boxes[places, :4].T
    if len(places) > MAX_PLACES:
        right, bottom = int((left + width).max()), int((top + height).max())
        return [Extent(int(left.min()), int(top.min()), right, bottom)]
    sides = np.stack([left, top, left + width, top + height], axis=1)
    return [Extent(*box) for box in sides.tolist()]


def _dilated(mask: Mask, side: int) -> Mask:
    return np.asarray(cv2.dilate(mask, np.ones((side, side), np.uint8)), np.uint8)
