"""From ink as a small photograph has it to the cleaned picture: paper, camera, and `clean` again.

Design choices
- Only what leaves a trace once a photograph is cleaned: paper, light and colour do not.
- Cleaned by the same functions as photographs are: cut at half of the ink's contrast, rid of
  strays, no thinner than the nib. In 256 levels, which is quicker than fractions.
- All cleaned photographs have one size, so this one is measured as they are: by what a first look
  at the photograph finds, touching symbols, remains of other lines and all; and once more if that
  is off.
- Crops are close. How often a side touches ink was counted on photographs to train on, where seven
  in ten do so below; how deep it goes was fitted to how many strokes end there (docs/photos.md).
- Boxes are told where their ink came to lie.
"""

from dataclasses import dataclass
from functools import cache
from math import exp
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import FAR_MARGIN, MARGIN, MAX_SIDE, Grey, Mask, Picture, extent, resized
from san.images.clean.components import FIELD_MEAN_HEIGHT, find_components, scale_of, stroke_width
from san.images.clean.contrast import Contrast
from san.images.clean.pipeline import CLOSE_SCALE, MAX_SCALE, SMOOTHING_SIGMA
from san.images.clean.strays import without_strays
from san.images.clean.thinning import widened_to_nib
from san.images.clean.threshold import EDGE_LEVEL, Threshold, local_ink
from san.synth.photo.remains import mend, neighbour, remain, rule, speck

Boxes = NDArray[np.float32]
"""A row for each symbol: left, top, right, bottom in pixels; NaN: not known."""
Pair = tuple[float, float]
Sides = tuple[float, float, float, float]
Level = TypeVar("Level", np.uint8, np.float32)

INK, PAPER = 220, 26
"""Of 256 levels: the darkest ink; and what paper has at most."""
NO_RULINGS = np.zeros((0, 0), np.uint8)
GRAINS = 1 << 19
"""Draws of chance that noise is cut out of: to draw it anew takes longer than all else here."""
DEPTH = (0.06, 0.03, 0.1, 0.03)
"""Of a letter's height: what the upper, left, ... side cuts off where it touches ink; means."""
KEPT = 0.65
"""Of a symbol's height or width: what no side cuts off."""
SMALL = 0.8
"""Of a letter's height: nor anything of what is as small, for an equals sign would be a minus."""
ROOM = MAX_SIDE - 100
"""Pixels of a side that leave room for paper."""
COARSE = 1.2
"""Of `zoom`: below that, strokes are wide enough to be measured by every second pixel."""
LEAST = 2
"""Pixels of a box's sides: what an edge left less of was cut off. A dot may be as small."""


@dataclass(frozen=True)
class Wear:
    """How far it goes. Pairs are the ends of a range, or mean and deviation where it says so."""

    gaps: Pair = (0.45, 1.0)  # of the columns without ink, how many stay
    squeeze: Pair = (-0.1, 0.1)  # log of width over height: mean, deviation
    size: Pair = (-0.005, 0.01)  # log of size over what `clean` makes it: mean, deviation
    measured: bool = True  # whether the size is `clean`'s, or that of the ink
    pen: Pair = (1.59, 0.18)  # log of a stroke's width, symbols being HEIGHT: mean, deviation
    zoom: Pair = (0.33, 0.5)  # log of symbols' size over the photograph's: mean, deviation
    blur: Pair = (0.1, 0.9)  # of the lens, in pixels of the photograph
    pressure: Pair = (0.1, 0.9)  # how much paler ink is in places
    noise: Pair = (0.0, 0.06)  # of the sensor, as share of the ink's contrast
    jpeg: float = 0.5  # how likely it is compressed
    level: Pair = (0.85, 1.2)  # times the contrast by which ink is told from paper
    specks: float = 0.25  # how likely there are some
    mended: float = 0.06  # how likely something was written over, or struck out
    rulings: float = 0.08  # how likely a piece of one stayed
    neighbours: float = 0.12  # how likely the line above or below comes into view
    remains: Pair = (0.1, 0.05)  # how likely what stands to the left, to the right does
    clipped: Sides = (0.35, 0.22, 0.69, 0.32)  # how likely the upper, left, ... side touches ink


def snapshot(
    ink: Contrast, boxes: Boxes, zoom: float, rng: np.random.Generator, how: Wear
) -> tuple[Picture, Boxes] | None:
    """The cleaned picture of some ink, `zoom` times as large; None where nothing is left of it.

    Letters of the ink are HEIGHT / `zoom` high, and how much of each pixel it covers is 0 to 1.
    """
    letter = FIELD_MEAN_HEIGHT / zoom
    sheet, left, top = _on_paper(ink, boxes, letter, rng, how)
    page = _taken(sheet, letter, rng, how)
    share = rng.uniform(*how.level)
    if not how.measured:
        mask = _inked(page, zoom, share)
    else:
        zoom, nib = _to_size(page, zoom)
        zoom *= exp(rng.normal(*how.size))
        mask = _inked(page, zoom, share)
        # By every second pixel first, which is quicker, but sees more of it touch.
        if not any(_is_close(mask, every, nib * zoom) for every in (2, 1)):
            zoom = _limited(zoom * scale_of(find_components(mask).stats, nib * zoom), page)
            mask = _inked(page, zoom, share)
    inner = extent(mask)
    if inner is None or max(mask.shape) > MAX_SIDE - 2 * MARGIN:
        return None
    mask = mask[inner.top : inner.bottom, inner.left : inner.right]
    strokes = 255 * widened_to_nib(_edged(mask, (1, 1)))  # a nib may reach a pixel beyond
    picture = _edged(strokes, (MARGIN - 1, FAR_MARGIN - 1))
    moved = boxes + np.array((left, top) * 2, np.float32)
    wide, high = _size(page, zoom)
    moved *= np.array((wide / page.shape[1], high / page.shape[0]) * 2, np.float32)
    moved += np.array((MARGIN - inner.left, MARGIN - inner.top) * 2, np.float32)
    return picture, _within(moved, picture.shape)


def _inked(page: Grey, zoom: float, share: float) -> Mask:
    """The ink of a page, `zoom` times as large, rid of strays; `share`: of its own darkness."""
    large = np.asarray(cv2.GaussianBlur(resized(page, zoom), (0, 0), SMOOTHING_SIGMA), np.uint8)
    dark = _darkness(large[::2, ::2])  # enough to know how dark ink is
    if dark is None:
        return np.zeros_like(large)
    level = dark * share
    return without_strays(local_ink(large, Threshold(PAPER, level)), large, NO_RULINGS, level)


def _is_close(mask: Mask, every: int, nib: float) -> bool:
    """Whether ink has about the size that `clean` gives it, by so many of its pixels."""
    found = find_components(np.ascontiguousarray(mask[::every, ::every])).stats
    return not len(found) or 1 / CLOSE_SCALE < scale_of(found, nib / every) / every < CLOSE_SCALE


def _size(page: Grey, zoom: float) -> tuple[int, int]:
    return max(1, round(page.shape[1] * zoom)), max(1, round(page.shape[0] * zoom))


def _limited(zoom: float, page: Grey) -> float:
    return float(min(zoom, MAX_SCALE, ROOM / max(page.shape)))


def _darkness(grey: Grey) -> float | None:
    """Of the ink: three quarters of what is darker than paper are not as dark."""
    counts = np.cumsum(np.bincount(grey.ravel(), minlength=256)[PAPER + 1 :])
    if not counts[-1]:
        return None
    return float(PAPER + 1 + np.searchsorted(counts, 0.75 * counts[-1]))


def _to_size(page: Grey, zoom: float) -> tuple[float, float]:
    """What brings the writing to the size that `clean` gives it, at a first look; or `zoom`.

    And how wide its strokes are.
    """
    every = 2 if zoom < COARSE else 1
    some = np.ascontiguousarray(page[::every, ::every])
    dark = _darkness(some)
    if dark is None:
        return zoom, 1.0
    mask = np.asarray(cv2.threshold(some, EDGE_LEVEL * dark, 1, cv2.THRESH_BINARY)[1], np.uint8)
    nib = stroke_width(mask)
    return _limited(scale_of(find_components(mask).stats, nib) / every, page), nib * every


def _edged(picture: NDArray[Level], edges: tuple[int, int]) -> NDArray[Level]:
    """With so much of nothing to the left and above, and to the right and below."""
    sides = edges * 2
    bordered = cv2.copyMakeBorder(picture, *sides, cv2.BORDER_CONSTANT, value=0)
    return np.asarray(bordered, picture.dtype)


def _within(boxes: Boxes, shape: tuple[int, ...]) -> Boxes:
    """Cut at the picture's edges; what lies beyond them is nowhere."""
    cut = np.clip(boxes, 0, np.array((shape[1], shape[0]) * 2, np.float32))
    sides, were = (own[:, 2:] - own[:, :2] for own in (cut, boxes))
    cut[((sides <= 0) | (sides < np.minimum(LEAST, were))).any(axis=1)] = np.nan
    return np.asarray(cut, np.float32)


def _on_paper(
    ink: Contrast, boxes: Boxes, letter: float, rng: np.random.Generator, how: Wear
) -> tuple[Contrast, int, int]:
    """With paper around it and what else is on that; and how far right and down it moved."""
    room = max(2, round(letter * rng.uniform(0.15, 0.6)))
    page = _edged(ink, (room, room))
    for right, chance in enumerate(how.remains):
        if rng.random() < chance:
            remain(page, ink, room, right == 1, rng)
    if rng.random() < how.mended:
        mend(page, letter, rng)
    if rng.random() < how.rulings:
        rule(page, letter, rng)
    if rng.random() < how.specks:
        speck(page, letter, rng)
    page, left, top = _cropped(page, ink, room, boxes, letter, rng, how)
    if rng.random() < how.neighbours:
        neighbour(page, ink, letter, rng)
    return page, room - left, room - top


def _cropped(
    page: Contrast,
    ink: Contrast,
    room: int,
    boxes: Boxes,
    letter: float,
    rng: np.random.Generator,
    how: Wear,
) -> tuple[Contrast, int, int]:
    """What a close crop leaves of a page, and how much is gone at the left and above.

    A side that touches the ink goes some way into it, and leaves most of every symbol.
    """
    touched = rng.random(4) < how.clipped
    inner = extent((ink > 0.5).view(np.uint8)) if touched.any() else None
    if inner is None:
        return page, 0, 0
    depth = letter * rng.exponential(DEPTH)
    first = np.array((inner.top, inner.left)) + depth[:2]
    last = np.array((inner.bottom, inner.right)) - depth[2:]
    known = boxes[np.isfinite(boxes[:, 0])][:, (1, 0, 3, 2)]
    if len(known):
        sides = known[:, 2:] - known[:, :2]
        kept = np.where(sides < SMALL * letter, sides + 1, KEPT * sides)
        first = np.minimum(first, (known[:, 2:] - kept).min(axis=0))
        last = np.maximum(last, (known[:, :2] + kept).max(axis=0))
    top, left = np.where(touched[:2], np.maximum(room + first.round(), 0), 0).astype(int).tolist()
    low, right = np.where(touched[2:], room + last.round(), page.shape).astype(int).tolist()
    if low - top < LEAST or right - left < LEAST:
        return page, 0, 0
    return np.ascontiguousarray(page[top:low, left:right]), left, top


def _taken(page: Contrast, letter: float, rng: np.random.Generator, how: Wear) -> Grey:
    """Pale in places, blurred, noisy, compressed."""
    rows, columns = page.shape
    cell = letter * rng.uniform(0.3, 1.0)
    pale = rng.random((int(rows / cell) + 2, int(columns / cell) + 2), np.float32)
    pale = INK * (1 - pale * np.float32(rng.uniform(*how.pressure)))
    page = page * cv2.resize(pale, (columns, rows), interpolation=cv2.INTER_LINEAR)
    page = np.asarray(cv2.GaussianBlur(page, (0, 0), rng.uniform(*how.blur)), np.float32)
    noise = INK * rng.uniform(*how.noise)
    grain = _grain(page.shape, rng)
    grey = np.asarray(cv2.addWeighted(page, 1, grain, noise, 0, dtype=cv2.CV_8U), np.uint8)
    if rng.random() >= how.jpeg:
        return grey
    quality = int(rng.integers(20, 80))
    _, coded = cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE), np.uint8)


def _grain(shape: tuple[int, ...], rng: np.random.Generator) -> Contrast:
    """Noise of a sensor, of deviation 1: some part of what was drawn once."""
    count = shape[0] * shape[1]
    if count > GRAINS // 2:
        return rng.standard_normal(shape, np.float32)
    start = int(rng.integers(GRAINS - count))
    return _grains()[start : start + count].reshape(shape)


@cache
def _grains() -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal(GRAINS, np.float32)
