"""Cleans any picture of handwritten mathematics: what comes out is what the network was trained on.

Design choices
- A picture that is drawn as the network's own comes out untouched, to the pixel.
- Two passes. The first, at a reduced resolution, says where the ink is and how large the writing;
  the second takes that part of the source at the size that the network knows, where all lengths
  are known in pixels. Time and memory are bounded, however many pixels a camera has.
- Where a pass finds nothing, another one follows: smaller, so that thick rulings are thin, and by a
  paper that is exact at hard shadows. What the first attempt finds stays as it is.
- Paper and light first, then ink, then what is no ink, then size: each is one short file.
- Strokes stay as wide as they were written, but none is thinner than the field's nib. Thinning all
  of them to it reads worse with the shipped weights (docs/photos.md).
- Whoever reads a picture twice may have it with thinner strokes (`Cleaned.thinner`).
- Where the ground is flat, as of print on a screen, strokes end farther out: there is no noise, and
  hairlines are pale (`flat_ground`).
- What is too small or too faint to be in the picture is cleaned by itself (`Cleaned.apart`): the
  picture of ordinary writing does not depend on it.
- Total: any array of grey pixels is cleaned, or is refused with one line.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from math import inf
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import (
    FAR_MARGIN,
    MARGIN,
    MAX_SIDE,
    NIB,
    Extent,
    Grey,
    Mask,
    Picture,
    extent,
    is_bitmap,
    resized,
)
from san.images.clean.bars import Lines, bar_mask, is_known_bar, split_bars
from san.images.clean.black_border import without_black_border
from san.images.clean.broad_edges import broad_edges
from san.images.clean.components import find_components, scale_of, stroke_width
from san.images.clean.contrast import (
    Contrast,
    closed_paper,
    contrast,
    evenly_lit,
    is_dark_paper,
    ruling_contrast,
    smooth_paper,
)
from san.images.clean.empty_page import is_empty_page, is_full_of_ink
from san.images.clean.flat_ground import FLAT_EDGE_LEVEL, has_flat_ground
from san.images.clean.hairlines import BROADER, with_broad_lines
from san.images.clean.other_writing import (
    MIN_FAINT_CONTRAST,
    has_letters,
    other_writing,
    without_ink,
)
from san.images.clean.rulings import find_rulings, remove_lines
from san.images.clean.strays import has_strokes, without_strays
from san.images.clean.thinning import widened_to_nib
from san.images.clean.threshold import (
    EDGE_LEVEL,
    MIN_INK_CONTRAST,
    Threshold,
    above,
    bold_threshold,
    dusty_threshold,
    local_ink,
    noise_threshold,
    two_level_threshold,
)
from san.images.open import ImageError

FIRST_PASS_PIXELS = 600_000
"""Of the whole picture, reduced, at the first pass."""
MAX_PASSES = 3
"""At the size that the network knows, if the first of them does not come close."""
MAX_SCALE = 5.0
"""Times: smaller writing than that would need has too few pixels to be read."""
CLOSE_SCALE = 1.1
"""Times: writing that comes so near to the size it should have is left at it."""
SMOOTHING_SIGMA = 0.7
"""Pixels, standard deviation: takes off a sensor's noise, and no stroke."""
MIN_INK_TO_RULING_CONTRAST = 0.7
"""Of the rulings' contrast: ink has more."""
THIN_EDGE_LEVEL = 0.64
"""Of the ink's contrast: where strokes end that are to be thinner."""
MIN_STRIP_RATIO, MIN_STRIP_PARTS = 12, 40
"""Of sides, and connected pieces: a long strip full of writing."""
MIN_WIDE_SIZE, MIN_TALL_SIZE = 0.35, 0.18
"""Of the size that writing should have: what is left of it in a strip that is still read. Lines one
below the other are cleaned again, each by itself."""
MIN_POINT_AREA_PEN_SQUARES = 0.65
"""Of the square of the pen's width: a point, where enough of the picture is seen to tell."""
MAX_INK_SIDE = MAX_SIDE - MARGIN - FAR_MARGIN - 2 * NIB


class NoInk(ImageError):  # noqa: N818 - what people are told, and not a fault of theirs
    """A page with nothing written on it."""

    def __init__(self) -> None:
        super().__init__("no ink found")


class TooLong(NoInk):
    """Writing that is far too small where all of such a strip is one picture."""

    def __init__(self, side: str) -> None:
        ImageError.__init__(self, f"too {side} for writing so small: cut it into pieces")


class Attempt(NamedTuple):
    """One way to find ink."""

    pixels: int  # of the first pass
    paper_of: Callable[[Grey], Grey] = closed_paper  # finds the page without its ink
    threshold_of: Callable[[Contrast], Threshold | None] = noise_threshold  # tells ink from paper
    edge_level: float = EDGE_LEVEL

    def threshold(self, page: Contrast) -> Threshold | None:
        found = self.threshold_of(page)
        return found and found._replace(edge_level=self.edge_level)


ATTEMPTS = (
    Attempt(FIRST_PASS_PIXELS, smooth_paper),
    Attempt(FIRST_PASS_PIXELS // 4),
    Attempt(FIRST_PASS_PIXELS // 16),
    Attempt(FIRST_PASS_PIXELS // 4, threshold_of=bold_threshold),
    Attempt(FIRST_PASS_PIXELS // 16, smooth_paper, two_level_threshold),
)
"""Each where those before found nothing: on hard shadows; among rulings that are thick when seen
from near; among rulings that are too dense to be found; in crops that are full of ink."""

BOARD_ATTEMPT = Attempt(FIRST_PASS_PIXELS, smooth_paper, dusty_threshold)
"""The first on dark paper: a board is dusty with chalk that was wiped off."""


class FoundInk(NamedTuple):
    """What a pass found: the ink and the lines; and the contrast of the page."""

    mask: Mask
    lines: Lines
    page: Contrast
    bare: Contrast  # without rulings
    removed: Mask  # where they were
    threshold: Threshold


class FirstPass(NamedTuple):
    """What was found on the whole picture, made so many times as large."""

    found: FoundInk
    factor: float


class Cleaned(NamedTuple):
    """The picture, and where it came from: source = picture / scale + (left, top)."""

    picture: Picture
    scale: float
    left: float
    top: float
    thinner: Callable[[], "Cleaned"] | None = None  # the same with thinner strokes; may raise NoInk
    apart: tuple["Cleaned", ...] = ()  # writing that is not in it, cleaned by itself


def clean(grey: Grey) -> Picture:
    """White ink on black, as the network knows it. Raises NoInk where nothing is written."""
    return clean_with_map(grey).picture


def clean_with_map(grey: Grey) -> Cleaned:
    """The same, with the way back to the source."""
    grey = _checked(grey)
    if is_bitmap(grey):
        return Cleaned(grey, 1.0, 0.0, 0.0)
    edge_level = FLAT_EDGE_LEVEL if has_flat_ground(grey) else EDGE_LEVEL
    grey, first = without_black_border(grey), ATTEMPTS[0]
    if is_dark_paper(grey):
        grey, first = 255 - evenly_lit(grey), BOARD_ATTEMPT
    for attempt in (first, *ATTEMPTS[1:]):
        try:
            chosen = attempt._replace(edge_level=edge_level)
            whole = _first_pass(grey, chosen)
            found = _second_pass(grey, chosen, whole)
            apart = _apart(grey, chosen, whole, found) if attempt is first else ()
            thin = attempt._replace(edge_level=THIN_EDGE_LEVEL)
            return found._replace(thinner=partial(_cleaned, grey, thin), apart=apart)
        except TooLong:  # which it is in any way
            raise
        except NoInk:
            continue
    for pixels in BROADER if edge_level == FLAT_EDGE_LEVEL else ():
        with suppress(NoInk):
            return _cleaned(with_broad_lines(grey, pixels), first._replace(edge_level=edge_level))
    raise NoInk


def _cleaned(grey: Grey, attempt: Attempt) -> Cleaned:
    """From a first pass to the picture."""
    return _second_pass(grey, attempt, _first_pass(grey, attempt))


def _first_pass(grey: Grey, attempt: Attempt) -> FirstPass:
    """Where the ink is, and how large the writing."""
    factor = min(1.0, (attempt.pixels / grey.size) ** 0.5)
    reduced = resized(grey, factor)
    found = _find_ink(reduced, attempt)
    doubted = attempt._replace(edge_level=EDGE_LEVEL) not in (ATTEMPTS[0], BOARD_ATTEMPT)
    may_be_empty = not is_full_of_ink(found.mask) or (
        doubted and attempt.threshold_of is not two_level_threshold
    )
    if may_be_empty and is_empty_page(
        found.mask, found.page, contrast(reduced, closed_paper), doubted
    ):
        raise NoInk
    return FirstPass(found, factor)


def _second_pass(grey: Grey, attempt: Attempt, first: FirstPass) -> Cleaned:
    """The ink at the size that the network knows."""
    (mask, lines, *_), factor = first
    box = _around(mask, factor, grey.shape)
    lines = lines.moved(1 / factor, 0, 0)
    part = grey[box.top : box.bottom, box.left : box.right]
    for number in range(MAX_PASSES):
        components = find_components(mask).stats
        correction = scale_of(components, stroke_width(mask))
        if not number:  # later it is so small that little is left to tell its size by
            _check_length(part.shape, len(components), factor * correction)
        factor = min(factor * correction, MAX_SCALE, MAX_INK_SIDE / max(part.shape))
        known = lines.moved(factor, box.left, box.top)
        reduced = resized(part, factor)
        seen = _seen(first, box, reduced.shape) if factor < first.factor else None
        mask, new_lines, *_ = _find_ink(reduced, attempt, known, seen)
        new_lines = new_lines.moved(1 / factor, -factor * box.left, -factor * box.top)
        lines = lines._replace(bars=lines.bars + new_lines.bars)
        if 1 / CLOSE_SCALE < correction < CLOSE_SCALE:
            break
    return _with_margins(mask, factor, box)


def _seen(first: FirstPass, box: Extent, shape: tuple[int, ...]) -> Mask:
    """What the first pass took for ink, points at least, as large as a later one sees that part."""
    mask = first.found.mask
    components, nib = find_components(mask), stroke_width(mask)
    points = components.stats[:, 4] >= MIN_POINT_AREA_PEN_SQUARES * nib * nib
    mask = np.asarray(np.concatenate([[False], points])[components.labels], np.uint8)
    height, width = mask.shape
    left, top = int(box.left * first.factor), int(box.top * first.factor)
    right = min(round(box.right * first.factor), width)
    bottom = min(round(box.bottom * first.factor), height)
    part = mask[top:bottom, left:right]
    size = shape[1], shape[0]
    return np.asarray(cv2.resize(255 * part, size, interpolation=cv2.INTER_AREA) > 0, np.uint8)


def _check_length(shape: tuple[int, ...], parts: int, wanted: float) -> None:
    """Raises TooLong where a strip with much writing cannot be nearly as large as is `wanted`."""
    height, width = shape
    if parts < MIN_STRIP_PARTS or max(shape) < MIN_STRIP_RATIO * min(shape):
        return
    share = MAX_INK_SIDE / max(shape) / wanted
    if share < (MIN_WIDE_SIZE if width > height else MIN_TALL_SIZE):
        raise TooLong("wide" if width > height else "tall")


def _apart(grey: Grey, attempt: Attempt, first: FirstPass, main: Cleaned) -> tuple[Cleaned, ...]:
    """Writing that is not in the cleaned picture, cleaned by itself."""
    found, factor = first
    ink = _in_whole(main, factor, found.mask.shape)
    flat = attempt.edge_level == FLAT_EDGE_LEVEL
    # What was wiped off a board is as faint as writing may be, and is none.
    dusty = attempt.threshold_of is dusty_threshold and not flat
    faintest = found.threshold.edge if dusty else found.threshold.floor
    least = MIN_INK_CONTRAST if flat else MIN_FAINT_CONTRAST
    cleaned = []
    for place in other_writing(found.page, found.bare, faintest, least, ink, found.removed):
        left, top = int(place.left / factor), int(place.top / factor)
        right, bottom = int(place.right / factor) + 1, int(place.bottom / factor) + 1
        known = ink[place.top : place.bottom, place.left : place.right]
        with suppress(NoInk):
            own = _cleaned(without_ink(grey[top:bottom, left:right], known), attempt)
            if has_letters(own.picture):
                cleaned.append(own._replace(left=own.left + left, top=own.top + top))
    return tuple(cleaned)


def _in_whole(main: Cleaned, factor: float, shape: tuple[int, ...]) -> Mask:
    """The ink of a cleaned picture where it is on the whole one, as the first pass had it."""
    scale = factor / main.scale
    placed = np.zeros(shape, np.uint8)
    ink = np.asarray(resized(main.picture, scale) > 0, np.uint8)
    left, top = round(factor * main.left), round(factor * main.top)
    ink = ink[max(-top, 0) : shape[0] - top, max(-left, 0) : shape[1] - left]
    left, top = max(left, 0), max(top, 0)
    placed[top : top + ink.shape[0], left : left + ink.shape[1]] = ink
    return placed


def _checked(grey: NDArray[np.uint8]) -> Grey:
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


def _find_ink(
    grey: Grey, attempt: Attempt, known: Lines | None = None, seen: Mask | None = None
) -> FoundInk:
    """The ink of a picture, less what nobody wrote, and its lines.

    `known`: lines found at earlier passes; then the writing has the field's size. `seen`: what the
    first pass took for ink, if that saw the picture larger.
    """
    page = np.asarray(
        cv2.GaussianBlur(contrast(grey, attempt.paper_of), (0, 0), SMOOTHING_SIGMA), np.float32
    )
    difference, removed = remove_lines(page, known.rulings if known else ())
    bars = bar_mask(known.bars if known else (), page.shape)
    difference, newly_removed, lines, threshold = _without_rulings(difference, attempt, bars)
    broad = None if threshold is None else broad_edges(above(difference, threshold.floor))
    if broad is not None:
        page, difference = page * (1 - broad), difference * (1 - broad)
        threshold = attempt.threshold(difference)
    removed |= newly_removed
    bars |= bar_mask(lines.bars, page.shape)
    if threshold is None or threshold.level < MIN_INK_TO_RULING_CONTRAST * ruling_contrast(
        page, removed, 75
    ):
        raise NoInk
    ink = above(difference, threshold.edge) if known is None else local_ink(difference, threshold)
    ruled = _bare_ruling_contrast(page, removed, ink)
    ink = without_strays(ink, difference, removed, threshold.level, ruled, bars, seen)
    if not has_strokes(ink):
        raise NoInk
    return FoundInk(ink, lines, page, difference, removed, threshold)


def _without_rulings(
    page: Contrast, attempt: Attempt, bars: Mask
) -> tuple[Contrast, Mask, Lines, Threshold | None]:
    """The contrast without rulings, where they were, all lines; and what tells ink from paper.

    `bars`: where earlier passes found some.
    """
    lines = [line for line in find_rulings(page) if not is_known_bar(line, bars)]
    bare, removed = remove_lines(page, lines)
    threshold = attempt.threshold(bare)
    if threshold is None or not lines:
        return bare, removed, Lines(lines, []), threshold
    split = split_bars(lines, page, above(bare, threshold.edge), threshold.level)
    if not split.bars:
        return bare, removed, split, threshold
    bare, removed = remove_lines(page, split.rulings)
    return bare, removed, split, attempt.threshold(bare)


def _bare_ruling_contrast(page: Contrast, removed: Mask, ink: Mask) -> float:
    """The same where no ink lies on them, at their darkest; endless if it lies everywhere."""
    if not removed.any():
        return inf
    inked = np.asarray(cv2.dilate(ink, np.ones((3, 3), np.uint8)), np.uint8)
    return ruling_contrast(page, removed & (1 - inked), 90) or inf


def _with_margins(mask: Mask, factor: float, box: Extent) -> Cleaned:
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
