"""Any picture of handwritten mathematics -> what the network was trained on.

Design choices
- A picture that is drawn as the network's own comes out untouched, to the pixel.
- Two looks. The first, at a reduced resolution, says where the ink is and how large the writing;
  the second takes that part of the source at the size that the network knows, where all lengths
  are known in pixels. Time and memory are bounded, however many pixels a camera has.
- Where a look finds nothing, another one follows: smaller, so that thick rulings are thin, and by a
  paper that is exact at hard shadows. What was found at the first look stays as it is.
- Paper and light first, then ink, then what is no ink, then size: each is one short file.
- Strokes stay as wide as they were written, but none is thinner than the field's nib. Thinning all
  of them to it reads worse with the shipped weights (docs/photos.md).
- Total: any array of grey pixels is cleaned, or is refused with one line.
"""

from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import (
    FAR_MARGIN,
    LONGEST,
    MARGIN,
    NIB,
    Extent,
    Grey,
    Mask,
    Picture,
    extent,
    is_bitmap,
    resized,
)
from san.images.clean.bars import Lines, drawn, is_drawn, told_apart
from san.images.clean.black_border import without_frame
from san.images.clean.components import find_components, scale_of, stroke_width
from san.images.clean.contrast import Contrast, contrast, is_dark_paper, paper, shaded_paper
from san.images.clean.empty_page import is_empty, is_plenty
from san.images.clean.rulings import find_rulings, sweep
from san.images.clean.strays import is_writing, without_strays
from san.images.clean.thinning import widened_to_nib
from san.images.clean.threshold import Threshold, above, bold, local_ink, parted, threshold
from san.images.open import ImageError

LOOK = 600_000
"""Pixels of the first look."""
LOOKS = 3
"""At the size that the network knows, if the first does not come close."""
MAX_SCALE = 5.0
"""Times: smaller writing than that would need has too few pixels to be read."""
CLOSE_SCALE = 1.1
"""Times: writing that comes so near to the size it should have is left at it."""
SMOOTHING_SIGMA = 0.7
"""Pixels, standard deviation: takes off a sensor's noise, and no stroke."""
PALER = 0.7
"""Of the rulings' contrast: ink has more."""
ROOM = LONGEST - MARGIN - FAR_MARGIN - 2 * NIB


class NoInk(ImageError):  # noqa: N818 - what people are told, and not a fault of theirs
    """A page with nothing written on it."""

    def __init__(self) -> None:
        super().__init__("no ink found")


class Attempt(NamedTuple):
    """How to look for ink."""

    pixels: int  # of the first look
    beneath: Callable[[Grey], Grey] = shaded_paper  # finds the page without its ink
    cut: Callable[[Contrast], Threshold | None] = threshold  # tells ink from paper


ATTEMPTS = (
    Attempt(LOOK, paper),
    Attempt(LOOK // 4),
    Attempt(LOOK // 16),
    Attempt(LOOK // 4, cut=bold),
    Attempt(LOOK // 16, paper, parted),
)
"""Each where those before found nothing: on hard shadows; among rulings that are thick when seen
from near; among rulings that are too dense to be found; in crops that are full of ink."""


class Look(NamedTuple):
    """What was seen: the ink, the lines, and the contrast of all."""

    mask: Mask
    lines: Lines
    page: Contrast


class Cleaned(NamedTuple):
    """The picture, and where it came from: source = picture / scale + (left, top)."""

    picture: Picture
    scale: float
    left: float
    top: float


def clean(grey: Grey) -> Picture:
    """White ink on black, as the network knows it. Raises NoInk where nothing is written."""
    return clean_with_map(grey).picture


def clean_with_map(grey: Grey) -> Cleaned:
    """The same, with the way back to the source."""
    grey = _sound(grey)
    if is_bitmap(grey):
        return Cleaned(grey, 1.0, 0.0, 0.0)
    grey = without_frame(grey)
    if is_dark_paper(grey):
        grey = 255 - grey
    for attempt in ATTEMPTS:
        with suppress(NoInk):
            return _cleaned(grey, attempt)
    raise NoInk


def _cleaned(grey: Grey, attempt: Attempt) -> Cleaned:
    """From a first look to the picture."""
    factor = min(1.0, (attempt.pixels / grey.size) ** 0.5)
    look = resized(grey, factor)
    mask, lines, page = _ink(look, attempt)
    doubted = attempt is not ATTEMPTS[0]
    ask = not is_plenty(mask) or (doubted and attempt.cut is not parted)
    if ask and is_empty(mask, page, contrast(look, shaded_paper), doubted):
        raise NoInk
    box = _around(mask, factor, grey.shape)
    lines = lines.moved(1 / factor, 0, 0)
    part = grey[box.top : box.bottom, box.left : box.right]
    for _ in range(LOOKS):
        correction = scale_of(find_components(mask).stats, stroke_width(mask))
        factor = min(factor * correction, MAX_SCALE, ROOM / max(part.shape))
        known = lines.moved(factor, box.left, box.top)
        mask, found, _ = _ink(resized(part, factor), attempt, known)
        found = found.moved(1 / factor, -factor * box.left, -factor * box.top)
        lines = lines._replace(bars=lines.bars + found.bars)
        if 1 / CLOSE_SCALE < correction < CLOSE_SCALE:
            break
    return _drawn(mask, factor, box)


def _sound(grey: NDArray[np.uint8]) -> Grey:
    if grey.ndim != 2 or grey.dtype != np.uint8 or not grey.size:
        raise ImageError("not a picture of grey pixels")
    return np.ascontiguousarray(grey)


def _around(mask: Mask, factor: float, shape: tuple[int, ...]) -> Extent:
    """The ink's rectangle in the source, with paper about it."""
    box = extent(mask)
    assert box is not None
    pad = 0.1 * (box.bottom - box.top) + 8
    return Extent(
        max(0, int((box.left - pad) / factor)),
        max(0, int((box.top - pad) / factor)),
        min(shape[1], int((box.right + pad) / factor) + 1),
        min(shape[0], int((box.bottom + pad) / factor) + 1),
    )


def _ink(grey: Grey, attempt: Attempt, known: Lines | None = None) -> Look:
    """The ink of a picture, less what nobody wrote, and its lines.

    `known`: lines found at earlier looks. Then the writing has the field's size.
    """
    page = np.asarray(
        cv2.GaussianBlur(contrast(grey, attempt.beneath), (0, 0), SMOOTHING_SIGMA), np.float32
    )
    difference, swept = sweep(page, known.rulings if known else ())
    bars = drawn(known.bars if known else (), page.shape)
    difference, more, lines, cut = _unruled(difference, attempt, bars)
    swept |= more
    bars |= drawn(lines.bars, page.shape)
    if cut is None or cut.level < PALER * _ruled(page, swept, 75):
        raise NoInk
    ink = above(difference, cut.edge) if known is None else local_ink(difference, cut)
    ink = without_strays(ink, difference, swept, cut.level, _bare_ruled(page, swept, ink), bars)
    if not is_writing(ink):
        raise NoInk
    return Look(ink, lines, page)


def _unruled(
    page: Contrast, attempt: Attempt, bars: Mask
) -> tuple[Contrast, Mask, Lines, Threshold | None]:
    """The contrast without rulings, where they were, all lines; and what tells ink from paper.

    `bars`: where earlier looks found some.
    """
    lines = [line for line in find_rulings(page) if not is_drawn(line, bars)]
    bare, swept = sweep(page, lines)
    cut = attempt.cut(bare)
    if cut is None or not lines:
        return bare, swept, Lines(lines, []), cut
    told = told_apart(lines, page, above(bare, cut.edge), cut.level)
    if not told.bars:
        return bare, swept, told, cut
    bare, swept = sweep(page, told.rulings)
    return bare, swept, told, attempt.cut(bare)


def _ruled(page: Contrast, swept: Mask, share: int) -> float:
    """Contrast of the rulings: so many of a hundred of their pixels are paler."""
    return float(np.percentile(page[swept > 0], share)) if swept.any() else 0.0


def _bare_ruled(page: Contrast, swept: Mask, ink: Mask) -> float:
    """The same where no ink lies on them, at their darkest; endless if it lies everywhere."""
    if not swept.any():
        return inf
    inked = np.asarray(cv2.dilate(ink, np.ones((3, 3), np.uint8)), np.uint8)
    return _ruled(page, swept & (1 - inked), 90) or inf


def _drawn(mask: Mask, factor: float, box: Extent) -> Cleaned:
    """With strokes of the field's nib at least, and its margins."""
    ink = widened_to_nib(
        np.asarray(cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0))
    )
    inner = extent(ink)
    assert inner is not None
    ink = 255 * ink[inner.top : inner.bottom, inner.left : inner.right]
    edges = (MARGIN, FAR_MARGIN, MARGIN, FAR_MARGIN)
    picture = cv2.copyMakeBorder(ink, *edges, cv2.BORDER_CONSTANT, value=0)
    left = box.left + (inner.left - 1 - MARGIN) / factor
    top = box.top + (inner.top - 1 - MARGIN) / factor
    return Cleaned(np.asarray(picture, np.uint8), factor, left, top)
