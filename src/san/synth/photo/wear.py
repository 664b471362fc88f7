"""Drawn ink -> what cleaning would make of a photograph of it, in some thousandths of a second.

    picture, boxes = wear(picture, boxes, np.random.default_rng(7))

Design choices
- The way there is that of a photograph, small and without paper: strokes of some pen, crowded, seen
  with the few pixels that a telephone gave them (`camera`), and cleaned.
- The size is `clean`'s: by the mean height of pieces. Symbols that touch are one tall piece, so
  crowded writing comes out smaller than ink whose strokes are known.
- Pen and photograph are measured in symbols, where those are known: a writer who lets them touch
  has the same pen, and letters as many pixels. What cleaning makes of it is smaller, pen and all.
- Boxes go along and stay upright. Here columns and rows are moved and nothing is turned, for
  `san.synth` slants and bends ink before it is drawn; `retake` turns photographs a little.
- Ranges were fitted on photographs to train on (experiments/photos.md).
"""

from math import cos, exp, radians, sin

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import Mask, Picture, extent
from san.images.clean.components import BITMAP_MEAN_HEIGHT, find_components, mean_height
from san.images.clean.contrast import Contrast
from san.synth.photo.camera import max_ink_side, snapshot
from san.synth.photo.config import RetakeConfig, WearConfig
from san.synth.photo.elastic import distort
from san.synth.samples import Boxes


def wear(
    picture: Picture,
    boxes: Boxes,
    rng: np.random.Generator,
    config: WearConfig = WearConfig(),
) -> tuple[Picture, Boxes]:
    """The picture as if it had been photographed and cleaned, and its boxes; NaN stays unknown."""
    inside = extent(picture)
    if inside is None:
        return picture, boxes
    mask = (picture[inside.top : inside.bottom, inside.left : inside.right] > 0).view(np.uint8)
    places = boxes - np.array((inside.left, inside.top) * 2, np.float32)
    mask, places = _crowded(mask, places, rng.uniform(*config.gaps))
    letter = _height(places, config.max_height_ratio)
    ink, scale, wider = _written(mask, letter, exp(rng.normal(*config.pen)), config)
    places += _widening(wider, config.border)
    stretch = exp(rng.normal(*config.squeeze) / 2)
    zoom = max(exp(rng.normal(*config.zoom)), config.min_zoom)
    zoom = min(zoom, BITMAP_MEAN_HEIGHT / config.min_letter)
    height, width = ink.shape
    along, down = (
        min(scale * part, max_ink_side(config) / max(ink.shape)) for part in (stretch, 1 / stretch)
    )
    size = (max(1, round(width * along / zoom)), max(1, round(height * down / zoom)))
    reduce = cv2.INTER_AREA if size[0] < width else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(ink, size, interpolation=reduce), np.float32)
    places *= np.array((size[0] / width, size[1] / height) * 2, np.float32)
    return snapshot(small, places, zoom, rng, config) or (picture, boxes)


def retake(
    picture: Picture,
    boxes: Boxes,
    rng: np.random.Generator,
    config: RetakeConfig = RetakeConfig(),
) -> tuple[Picture, Boxes]:
    """A cleaned photograph as if it were taken of a page by another pen and much the same hand."""
    wider = rng.uniform(*config.pen_change)
    mask = _bordered((picture > 0).view(np.uint8), config.border)
    ink = _pen(mask, wider, config.min_widening)
    places = boxes + _widening(wider, config.border)
    zoom = min(max(exp(rng.normal(*config.zoom)), config.min_zoom), config.max_zoom)
    view, size = _view(ink.shape, exp(rng.normal(*config.size)) / zoom, rng, config)
    distorted = distort(ink, places, rng, view, size, config.elastic)
    return snapshot(*distorted, zoom, rng, config) or (picture, boxes)


def has_all_symbols(picture: Picture, boxes: Boxes, config: WearConfig = WearConfig()) -> bool:
    """Whether there is ink in every box, and a dot has a piece of its own.

    For it may be lost as a speck, or run into a letter, whose ink is in its box then.
    """
    known = boxes[np.isfinite(boxes[:, 0])].round().astype(np.int64)
    if not all(
        picture[top : bottom + 1, left : right + 1].any() for left, top, right, bottom in known
    ):
        return False
    dots = known[(known[:, 2:] - known[:, :2]).max(axis=1, initial=0) <= config.max_dot]
    if not len(dots):
        return True
    corners, sides = np.hsplit(find_components((picture > 0).view(np.uint8)).stats[:, :4], 2)
    tolerance = config.box_tolerance
    within = (corners >= dots[:, None, :2] - tolerance) & (
        corners + sides <= dots[:, None, 2:] + 1 + tolerance
    )
    return bool(within.all(axis=2).any(axis=1).all())


def _crowded(mask: Mask, boxes: Boxes, share: float) -> tuple[Mask, Boxes]:
    """Fewer of the columns that have no ink: symbols come nearer, and may touch."""
    bare: NDArray[np.bool_] = np.asarray(mask.max(axis=0) == 0)
    passed = np.cumsum(bare) * share
    keep = ~bare | (np.floor(passed) > np.floor(passed - share))
    before = np.concatenate(([0], np.cumsum(keep))).astype(np.float32)
    sides = boxes[:, ::2]
    known = np.isfinite(boxes[:, 0])
    moved = boxes.copy()
    column = sides[known].round().astype(np.int64).clip(0, len(bare))
    moved[known, ::2] = before[column]
    # Whole rows are moved quicker than single pixels of each.
    return np.asarray(cv2.transpose(cv2.transpose(mask)[keep]), np.uint8), moved


def _widening(wider: float, border: int) -> Boxes:
    """What boxes change by in a border, as strokes get wider by so much to each side."""
    return np.array((border - wider,) * 2 + (border + wider,) * 2, np.float32)


def _bordered(mask: Mask, border: int) -> Mask:
    edges = (border, border, border, border)
    return np.asarray(cv2.copyMakeBorder(mask, *edges, cv2.BORDER_CONSTANT, value=0), np.uint8)


def _depth(mask: Mask) -> Contrast:
    """From each pixel to paper."""
    return np.asarray(cv2.distanceTransform(mask, cv2.DIST_L2, 3), np.float32)


def _pen(mask: Mask, wider: float, min_widening: float) -> Contrast:
    """How much of each pixel is ink, if strokes are wider by so much to each side."""
    if abs(wider) <= min_widening:
        return mask.astype(np.float32)
    if wider > 0:
        ink = np.float32(0.5 + wider) - _depth(1 - mask)
    else:
        ink = np.float32(0.5 + wider) + _depth(mask)
    return np.asarray(np.clip(ink, 0, 1, out=ink), np.float32)


def _height(boxes: Boxes, max_ratio: float) -> float | None:
    """Mean height of the symbols that are not flat, as `mean_height` has it of pieces."""
    tall = (boxes[:, 3] - boxes[:, 1])[np.isfinite(boxes[:, 0])]
    return float(tall[max_ratio * tall >= tall.max()].mean()) if len(tall) else None


def _written(
    mask: Mask, letter: float | None, width: float, config: WearConfig
) -> tuple[Contrast, float, float]:
    """With strokes so wide at the cleaned size; what scales them to it; by how much wider."""
    mask = _bordered(mask, config.border)
    some = np.ascontiguousarray(mask[:, : config.measured_columns])
    # As `stroke_width` has it.
    drawn = max(1.0, 4 * float(_depth(some).sum()) / max(1, cv2.countNonZero(some)) - 2)
    if letter is None:  # nobody knows the symbols
        # By every second pixel: that will do, for drawn strokes are wider; unless all lies between.
        pieces = find_components(np.ascontiguousarray(mask[::2, ::2])).stats
        tall = (
            2 * mean_height(pieces, drawn / 2)
            if len(pieces)
            else mean_height(find_components(mask).stats, drawn)
        )
    else:
        tall = letter - drawn
    wider = min(
        max((width * max(tall, drawn) / BITMAP_MEAN_HEIGHT - drawn) / 2, -config.max_thinning),
        config.border - 0.5,
    )
    ink = _pen(mask, wider, config.min_widening)
    return ink, BITMAP_MEAN_HEIGHT / max(tall, config.min_letter_pens * drawn), wider


def _view(
    shape: tuple[int, ...], scale: float, rng: np.random.Generator, config: RetakeConfig
) -> tuple[NDArray[np.float64], tuple[int, int]]:
    """Turned, slanted, stretched and a little nearer at one side; and the size that holds it."""
    height, width = shape
    most = config.max_turn
    turn = radians(min(max(rng.normal(0, config.turn), -most), most))
    slant = rng.normal(0, config.slant)
    stretch = exp(rng.normal(0, config.stretch))
    spin = np.array(((cos(turn), -sin(turn)), (sin(turn), cos(turn))))
    matrix = spin @ np.array(((stretch, slant), (0.0, 1 / stretch))) * scale
    corners = np.array(((0, 0), (width, 0), (width, height), (0, height)), np.float64)
    nearer = 1 + rng.normal(0, config.perspective) * np.array((-1, 1, 1, -1))[:, None]
    moved = (corners - corners[2] / 2) * nearer @ matrix.T
    moved -= moved.min(axis=0)
    size = (int(moved[:, 0].max()) + 2, int(moved[:, 1].max()) + 2)
    view = cv2.getPerspectiveTransform(corners.astype(np.float32), moved.astype(np.float32))
    return np.asarray(view, np.float64), size
