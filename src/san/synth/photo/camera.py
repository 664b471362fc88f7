"""Ink at a photograph's resolution -> the cleaned picture: surroundings, crop, camera, cleaning.

Design choices
- Only what leaves a trace once a photograph is cleaned: paper, light and colour do not.
- Cleaned by the same functions as photographs are: cut at half of the ink's contrast, rid of
  strays, no thinner than the nib. In 256 levels, which is quicker than fractions.
- All cleaned photographs have one size, so this one is measured as they are: by what a first look
  at the photograph finds, touching symbols, remains of other lines and all; and once more if that
  is off.
- Crops are close. How often a side touches ink was counted on photographs to train on, where seven
  in ten do so below; how deep it goes was fitted to how many strokes end there
  (experiments/photos.md).
- Boxes move with their ink.
"""

from functools import cache
from math import exp
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import FAR_MARGIN, MARGIN, MAX_SIDE, Grey, Mask, Picture, extent, resized
from san.images.clean.components import BITMAP_MEAN_HEIGHT, find_components, scale_of, stroke_width
from san.images.clean.contrast import Contrast
from san.images.clean.pipeline import CLOSE_SCALE, MAX_SCALE, SMOOTHING_SIGMA
from san.images.clean.strays import without_strays
from san.images.clean.thinning import widened_to_nib
from san.images.clean.threshold import EDGE_LEVEL, Threshold, local_ink
from san.synth.photo.config import CameraConfig
from san.synth.photo.crossed_out import with_crossed_out
from san.synth.photo.surroundings import (
    HALF_COVERED,
    draw_correction,
    draw_line_neighbour,
    draw_ruling,
    draw_side_neighbour,
    draw_specks,
)
from san.synth.samples import Boxes

Level = TypeVar("Level", np.uint8, np.float32)

NO_RULINGS = np.zeros((0, 0), np.uint8)
NOISE_SIZE = 1 << 19
"""Random numbers that noise is cut out of: to draw it anew takes longer than all else here. No
knob: so many that no two samples share a piece of it; more would take more memory, no more."""


def snapshot(
    ink: Contrast, boxes: Boxes, zoom: float, rng: np.random.Generator, config: CameraConfig
) -> tuple[Picture, Boxes] | None:
    """The cleaned picture of some ink, `zoom` times as large; None where nothing is left of it.

    Letters of the ink are BITMAP_MEAN_HEIGHT / `zoom` high; ink covers 0 to 1 of each pixel.
    """
    letter = BITMAP_MEAN_HEIGHT / zoom
    if config.crossed_out and rng.random() < config.crossed_out:
        ink, boxes = with_crossed_out(ink, boxes, letter, rng, config.scribble)
    sheet, left, top = _on_page(ink, boxes, letter, rng, config)
    page = _photographed(sheet, letter, rng, config)
    share = rng.uniform(*config.threshold)
    if not config.cleaned_size:
        mask = _inked(page, zoom, share, config)
    else:
        zoom, nib = _to_size(page, zoom, config)
        zoom *= exp(rng.normal(*config.size))
        mask = _inked(page, zoom, share, config)
        # By every second pixel first, which is quicker, but sees more of it touch.
        if not any(_is_close(mask, every, nib * zoom) for every in (2, 1)):
            zoom = _limited(zoom * scale_of(find_components(mask).stats, nib * zoom), page, config)
            mask = _inked(page, zoom, share, config)
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
    return picture, _within(moved, picture.shape, config.min_box_side)


def max_ink_side(config: CameraConfig) -> int:
    """Pixels of a side that leave room for paper."""
    return MAX_SIDE - config.paper_room


def _inked(page: Grey, zoom: float, share: float, config: CameraConfig) -> Mask:
    """The ink of a page, `zoom` times as large, rid of strays; `share`: of its own darkness."""
    large = np.asarray(cv2.GaussianBlur(resized(page, zoom), (0, 0), SMOOTHING_SIGMA), np.uint8)
    dark = _darkness(large[::2, ::2], config)  # enough to know how dark ink is
    if dark is None:
        return np.zeros_like(large)
    level = dark * share
    ink = local_ink(large, Threshold(config.paper_level, level))
    return without_strays(ink, large, NO_RULINGS, level)


def _is_close(mask: Mask, every: int, nib: float) -> bool:
    """Whether ink has about the size that `clean` gives it, by so many of its pixels."""
    pieces = find_components(np.ascontiguousarray(mask[::every, ::every])).stats
    return not len(pieces) or 1 / CLOSE_SCALE < scale_of(pieces, nib / every) / every < CLOSE_SCALE


def _size(page: Grey, zoom: float) -> tuple[int, int]:
    return max(1, round(page.shape[1] * zoom)), max(1, round(page.shape[0] * zoom))


def _limited(zoom: float, page: Grey, config: CameraConfig) -> float:
    return float(min(zoom, MAX_SCALE, max_ink_side(config) / max(page.shape)))


def _darkness(grey: Grey, config: CameraConfig) -> float | None:
    """Of the ink: most of what is darker than paper is not as dark."""
    first = config.paper_level + 1
    counts = np.cumsum(np.bincount(grey.ravel(), minlength=256)[first:])
    if not counts[-1]:
        return None
    return float(first + np.searchsorted(counts, config.darkness_quantile * counts[-1]))


def _to_size(page: Grey, zoom: float, config: CameraConfig) -> tuple[float, float]:
    """What brings the writing to the size that `clean` gives it, at a first look; or `zoom`.

    And how wide its strokes are.
    """
    every = 2 if zoom < config.max_zoom_to_skip else 1
    some = np.ascontiguousarray(page[::every, ::every])
    dark = _darkness(some, config)
    if dark is None:
        return zoom, 1.0
    mask = np.asarray(cv2.threshold(some, EDGE_LEVEL * dark, 1, cv2.THRESH_BINARY)[1], np.uint8)
    nib = stroke_width(mask)
    return _limited(scale_of(find_components(mask).stats, nib) / every, page, config), nib * every


def _edged(picture: NDArray[Level], edges: tuple[int, int]) -> NDArray[Level]:
    """With so much of nothing to the left and above, and to the right and below."""
    sides = edges * 2
    bordered = cv2.copyMakeBorder(picture, *sides, cv2.BORDER_CONSTANT, value=0)
    return np.asarray(bordered, picture.dtype)


def _within(boxes: Boxes, shape: tuple[int, ...], min_side: float) -> Boxes:
    """Cut at the picture's edges; what lies beyond them is nowhere."""
    cut = np.clip(boxes, 0, np.array((shape[1], shape[0]) * 2, np.float32))
    sides, were = (some[:, 2:] - some[:, :2] for some in (cut, boxes))
    cut[((sides <= 0) | (sides < np.minimum(np.float32(min_side), were))).any(axis=1)] = np.nan
    return np.asarray(cut, np.float32)


def _on_page(
    ink: Contrast, boxes: Boxes, letter: float, rng: np.random.Generator, config: CameraConfig
) -> tuple[Contrast, int, int]:
    """With paper around it and what else is on that; and how far right and down it moved."""
    around = config.surroundings
    margin = max(config.min_margin, round(letter * rng.uniform(*config.margin)))
    page = _edged(ink, (margin, margin))
    for right, chance in enumerate(config.side_neighbours):
        if rng.random() < chance:
            draw_side_neighbour(page, ink, margin, right == 1, rng, around)
    if rng.random() < config.corrections:
        draw_correction(page, letter, rng, around)
    if rng.random() < config.rulings:
        draw_ruling(page, letter, rng, around)
    if rng.random() < config.specks:
        draw_specks(page, letter, rng, around)
    page, left, top = _cropped(page, ink, margin, boxes, letter, rng, config)
    if rng.random() < config.line_neighbours:
        draw_line_neighbour(page, ink, letter, rng, around)
    return page, margin - left, margin - top


def _cropped(
    page: Contrast,
    ink: Contrast,
    margin: int,
    boxes: Boxes,
    letter: float,
    rng: np.random.Generator,
    config: CameraConfig,
) -> tuple[Contrast, int, int]:
    """What a close crop leaves of a page, and how much is gone at the left and above.

    A side that touches the ink goes some way into it, and leaves most of every symbol.
    """
    touched = rng.random(4) < config.cropped
    inner = extent((ink > HALF_COVERED).view(np.uint8)) if touched.any() else None
    if inner is None:
        return page, 0, 0
    depth = letter * rng.exponential(config.crop_depth)
    first = np.array((inner.top, inner.left)) + depth[:2]
    last = np.array((inner.bottom, inner.right)) - depth[2:]
    known = boxes[np.isfinite(boxes[:, 0])][:, (1, 0, 3, 2)]
    if len(known):
        sides = known[:, 2:] - known[:, :2]
        small = sides < config.kept_whole * letter
        kept = np.where(small, sides + 1, config.kept_share * sides)
        first = np.minimum(first, (known[:, 2:] - kept).min(axis=0))
        last = np.maximum(last, (known[:, :2] + kept).max(axis=0))
    top, left = np.where(touched[:2], np.maximum(margin + first.round(), 0), 0).astype(int).tolist()
    low, right = np.where(touched[2:], margin + last.round(), page.shape).astype(int).tolist()
    if min(low - top, right - left) < config.min_crop_side:
        return page, 0, 0
    return np.ascontiguousarray(page[top:low, left:right]), left, top


def _photographed(
    page: Contrast, letter: float, rng: np.random.Generator, config: CameraConfig
) -> Grey:
    """As a camera has it: pale in places, blurred, noisy, compressed."""
    rows, columns = page.shape
    cell = letter * rng.uniform(*config.pressure_cell)
    pale = rng.random((int(rows / cell) + 2, int(columns / cell) + 2), np.float32)
    pale = config.ink_level * (1 - pale * np.float32(rng.uniform(*config.pressure)))
    page = page * cv2.resize(pale, (columns, rows), interpolation=cv2.INTER_LINEAR)
    page = np.asarray(cv2.GaussianBlur(page, (0, 0), rng.uniform(*config.blur)), np.float32)
    noise = config.ink_level * rng.uniform(*config.noise)
    grain = _noise_of(page.shape, rng)
    grey = np.asarray(cv2.addWeighted(page, 1, grain, noise, 0, dtype=cv2.CV_8U), np.uint8)
    if rng.random() >= config.jpeg:
        return grey
    worst, best = config.jpeg_quality
    quality = int(rng.integers(worst, best + 1))
    _, coded = cv2.imencode(".jpg", grey, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(coded, cv2.IMREAD_GRAYSCALE), np.uint8)


def _noise_of(shape: tuple[int, ...], rng: np.random.Generator) -> Contrast:
    """Sensor noise of deviation 1: some part of what was drawn once."""
    count = shape[0] * shape[1]
    if count > NOISE_SIZE // 2:
        return rng.standard_normal(shape, np.float32)
    start = int(rng.integers(NOISE_SIZE - count))
    return _noise()[start : start + count].reshape(shape)


@cache
def _noise() -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal(NOISE_SIZE, np.float32)
