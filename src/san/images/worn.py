"""Drawn ink -> what cleaning would make of a photograph of it, in some thousandths of a second.

    picture, boxes = worn(picture, boxes, np.random.default_rng(7))

Design choices
- The way there is that of a photograph, small and without paper: strokes of some pen, crowded, seen
  with the few pixels that a telephone gave them (`snapshot`), and cleaned.
- The size is `clean`'s: by the mean height of pieces. Symbols that touch are one tall piece, so
  crowded writing comes out smaller than ink whose strokes are known.
- Boxes go along and stay upright. Here columns and rows are moved and nothing is turned, for
  `san.compose` slants and bends ink before it is drawn; `retaken` turns photographs a little.
- Ranges were fitted on photographs to train on (docs/photos.md).
"""

from math import exp

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bent import bent
from san.images.bitmap import LONGEST, Mask, Picture, extent
from san.images.light import Contrast
from san.images.size import HEIGHT, mean_height, pieces
from san.images.snapshot import Boxes, Wear, snapshot

WORN = Wear()
LIGHT = Wear(
    size=(0.0, 0.15), zoom=(0.15, 0.15), blur=(0.2, 0.5), pressure=(0.0, 0.25), noise=(0.0, 0.03),
    jpeg=0.2, specks=0.08, rulings=0.02, neighbours=0.0, clipped=0.03
)  # fmt: skip
"""For what is a photograph already."""

READABLE = 9.0
"""Pixels of a letter in the photograph at least."""
BORDER = 4
"""Pixels around the ink before strokes are widened."""
ROOM = LONGEST - 100
"""Pixels of a side that leave room for paper."""


def worn(
    picture: Picture, boxes: Boxes, rng: np.random.Generator, how: Wear = WORN
) -> tuple[Picture, Boxes]:
    """The picture as if it had been photographed and cleaned, and its boxes; NaN stays unknown."""
    inside = extent(picture)
    if inside is None:
        return picture, boxes
    mask = (picture[inside.top : inside.bottom, inside.left : inside.right] > 0).astype(np.uint8)
    places = boxes - np.array((inside.left, inside.top) * 2, np.float32)
    mask, places = _crowded(mask, places, rng.uniform(*how.gaps))
    ink, scale, wider = _written(mask, exp(rng.normal(*how.pen)))
    places += np.array((BORDER - wider, BORDER - wider, BORDER + wider, BORDER + wider), np.float32)
    scale *= exp(rng.normal(*how.size))
    stretch = exp(rng.normal(*how.squeeze) / 2)
    zoom = min(max(exp(rng.normal(*how.zoom)), 0.6), HEIGHT / READABLE)
    height, width = ink.shape
    along, down = (min(scale * part, ROOM / max(ink.shape)) for part in (stretch, 1 / stretch))
    size = (max(1, round(width * along / zoom)), max(1, round(height * down / zoom)))
    reduce = cv2.INTER_AREA if size[0] < width else cv2.INTER_LINEAR
    small = np.asarray(cv2.resize(ink, size, interpolation=reduce), np.float32)
    places *= np.array((size[0] / width, size[1] / height) * 2, np.float32)
    return snapshot(small, places, zoom, rng, how) or (picture, boxes)


def retaken(
    picture: Picture, boxes: Boxes, rng: np.random.Generator, how: Wear = LIGHT
) -> tuple[Picture, Boxes]:
    """A cleaned photograph as if it were taken of a page by another pen and much the same hand."""
    wider = rng.uniform(-0.6, 0.9)
    ink = _pen(*_distances(_bordered((picture > 0).astype(np.uint8))), wider)
    places = boxes + np.array((BORDER - wider,) * 2 + (BORDER + wider,) * 2, np.float32)
    ink, places = bent(ink, places, rng)
    zoom = min(max(exp(rng.normal(*how.zoom)), 0.8), 1.6)
    view, size = _view(ink.shape, exp(rng.normal(*how.size)) / zoom, rng)
    small = np.asarray(cv2.warpPerspective(ink, view, size), np.float32)
    return snapshot(small, _viewed(places, view), zoom, rng, how) or (picture, boxes)


def all_inked(picture: Picture, boxes: Boxes) -> bool:
    """Whether there is ink in every box: a dot may be lost as a speck."""
    known = boxes[np.isfinite(boxes[:, 0])].round().astype(np.int64)
    return all(
        picture[top : bottom + 1, left : right + 1].any() for left, top, right, bottom in known
    )


def _viewed(boxes: Boxes, view: NDArray[np.float64]) -> Boxes:
    """Upright boxes around what became of some."""
    if not len(boxes):
        return boxes
    corners = np.asarray(boxes, np.float64)[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 1, 2)
    moved = cv2.perspectiveTransform(corners, view).reshape(-1, 4, 2)
    return np.concatenate((moved.min(axis=1), moved.max(axis=1)), axis=1).astype(np.float32)


def _crowded(mask: Mask, boxes: Boxes, share: float) -> tuple[Mask, Boxes]:
    """Fewer of the columns that have no ink: symbols come nearer, and may touch."""
    bare: NDArray[np.bool_] = np.asarray(mask.max(axis=0) == 0)
    passed = np.cumsum(bare) * share
    keep = ~bare | (np.floor(passed) > np.floor(passed - share))
    before = np.concatenate(([0], np.cumsum(keep))).astype(np.float32)
    sides = boxes[:, ::2]
    column = np.nan_to_num(sides).round().astype(np.int64).clip(0, len(bare))
    moved = boxes.copy()
    moved[:, ::2] = np.where(np.isnan(sides), np.nan, before[column])
    return np.ascontiguousarray(mask[:, keep]), moved


def _bordered(mask: Mask) -> Mask:
    edges = (BORDER, BORDER, BORDER, BORDER)
    return np.asarray(cv2.copyMakeBorder(mask, *edges, cv2.BORDER_CONSTANT, value=0), np.uint8)


def _distances(mask: Mask) -> tuple[Contrast, Contrast]:
    """From each pixel to ink, and to paper."""
    far, deep = (cv2.distanceTransform(own, cv2.DIST_L2, 3) for own in (1 - mask, mask))
    return np.asarray(far, np.float32), np.asarray(deep, np.float32)


def _pen(far: Contrast, deep: Contrast, wider: float) -> Contrast:
    """How much of each pixel is ink, if strokes are wider by so much to each side."""
    return np.asarray(np.clip(deep - far + (0.5 + wider), 0, 1), np.float32)


def _written(mask: Mask, width: float) -> tuple[Contrast, float, float]:
    """With strokes so wide once it has `clean`'s size; what brings it there; by how much wider."""
    mask = _bordered(mask)
    far, deep = _distances(mask)
    own = max(1.0, 4 * float(deep.sum()) / cv2.countNonZero(mask) - 2)  # as `stroke_width` has it
    # Every second pixel will do for a first look: drawn strokes are wider than that.
    tall = 2 * mean_height(pieces(np.ascontiguousarray(mask[::2, ::2])).stats, own / 2)
    wider = min(max((width * max(tall, own) / HEIGHT - own) / 2, -0.6), BORDER - 0.5)
    ink = _pen(far, deep, wider)
    tall = mean_height(pieces((ink > 0.5).astype(np.uint8)).stats, own + 2 * wider)
    return ink, HEIGHT / max(tall, 3 * own), wider


def _view(
    shape: tuple[int, ...], scale: float, rng: np.random.Generator
) -> tuple[NDArray[np.float64], tuple[int, int]]:
    """Turned, slanted, stretched and a little nearer at one side; and the size that holds it."""
    height, width = shape
    turn, slant = np.radians(np.clip(rng.normal(0, 1.2), -3, 3)), rng.normal(0, 0.1)
    stretch = exp(rng.normal(0, 0.09))
    spin = np.array(((np.cos(turn), -np.sin(turn)), (np.sin(turn), np.cos(turn))))
    matrix = spin @ np.array(((stretch, slant), (0.0, 1 / stretch))) * scale
    corners = np.array(((0, 0), (width, 0), (width, height), (0, height)), np.float64)
    nearer = 1 + rng.normal(0, 0.02) * np.array((-1, 1, 1, -1))[:, None]
    moved = (corners - corners[2] / 2) * nearer @ matrix.T
    moved -= moved.min(axis=0)
    size = (int(moved[:, 0].max()) + 2, int(moved[:, 1].max()) + 2)
    view = cv2.getPerspectiveTransform(corners.astype(np.float32), moved.astype(np.float32))
    return np.asarray(view, np.float64), size
