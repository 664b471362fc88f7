"""Symbols that were written, scribbled over, and are no part of the formula.

Design choices
- They stand in the line, where a pen went on after them: between two symbols, before the first or
  after the last. What follows moves to the right, and its boxes with it.
- What was crossed out is another symbol of the same writing: hand, pen and size are its own.
- A pen that crosses out goes to and fro over it many times, or in loops. A single stroke across is
  another matter: what is cancelled stays part of the formula (`surroundings.draw_correction`).
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.clean.contrast import Contrast
from san.synth.photo.config import CrossedOutConfig
from san.synth.samples import Boxes


def with_crossed_out(
    ink: Contrast,
    boxes: Boxes,
    letter: float,
    rng: np.random.Generator,
    config: CrossedOutConfig = CrossedOutConfig(),
) -> tuple[Contrast, Boxes]:
    """Ink with a symbol crossed out in its line, and its boxes; as it was where none is known."""
    known = boxes[np.isfinite(boxes[:, 0])]
    sides = known[:, 2:] - known[:, :2]
    smallest, largest = config.sides
    fits = ((sides > smallest * letter) & (sides < largest * letter)).all(axis=1)
    if not fits.any():
        return ink, boxes
    left, top, right, bottom = rng.choice(known[fits]).clip(0).astype(np.int64).tolist()
    room, gap = (round(letter * rng.uniform(*pair)) for pair in (config.room, config.gap))
    symbol = ink[top : bottom + 1, left : right + 1]
    something = np.zeros((len(ink), symbol.shape[1] + 2 * (room + gap)), np.float32)
    something[top : top + len(symbol), room + gap : room + gap + symbol.shape[1]] = symbol
    place = something[max(0, top - room) : bottom + room, gap : something.shape[1] - gap]
    _scribble(place, letter, rng, config)
    at = int(rng.choice(_gaps(ink, known, config.min_coverage)))
    moved = boxes.copy()
    moved[moved[:, 0] >= at, ::2] += something.shape[1]
    return np.concatenate((ink[:, :at], something, ink[:, at:]), axis=1), moved


def _gaps(ink: Contrast, known: Boxes, min_coverage: float) -> NDArray[np.int64]:
    """The columns at which a line may be parted: both its ends, and the middles of its gaps."""
    free = ink.max(axis=0) <= min_coverage
    for first, last in known[:, ::2].astype(np.int64).tolist():  # no dots are torn apart
        free[max(0, first) : last + 1] = False
    edges = np.flatnonzero(np.diff(np.concatenate(((False,), free, (False,))).view(np.int8)))
    middles = edges.reshape(-1, 2).mean(axis=1).astype(np.int64)
    return np.unique(np.concatenate(((0, ink.shape[1]), middles)))


def _scribble(
    place: Contrast, letter: float, rng: np.random.Generator, config: CrossedOutConfig
) -> None:
    """A pen that goes to and fro across a place while it moves along it, in one stroke."""
    high, wide = place.shape
    passes = rng.uniform(*config.passes)
    time = np.linspace(0.0, 1.0, max(2, round(passes * config.points_per_pass)))
    knots = np.linspace(0.0, 1.0, max(2, round(passes)))  # a hand misses its aim at each turn
    drift, reach = (
        np.interp(time, knots, rng.normal(0, config.jitter, len(knots))) for _ in range(2)
    )
    phase = np.pi * (passes * time + rng.random())
    loops = rng.uniform(*config.loops)
    along = config.inset + (1 - 2 * config.inset) * time + drift + loops * np.cos(phase)
    across = 0.5 + (0.5 - config.inset + reach) * np.sin(phase)
    across = across + rng.normal(0, config.lean) * (along - 0.5)
    if rng.random() < config.upright:
        across, along = along, across
    points = np.clip(np.stack((across * wide, along * high), axis=1), 0, (wide - 1, high - 1))
    thick = max(1, round(letter * rng.uniform(*config.thickness)))
    dark = float(rng.uniform(*config.darkness))
    stroke = np.zeros_like(place)
    cv2.polylines(stroke, [points.round().astype(np.int32)], False, dark, thick)
    np.maximum(place, stroke, out=place)
