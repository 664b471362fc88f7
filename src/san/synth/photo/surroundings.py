"""What is on a page beside the formula, and stays when its photograph is cleaned.

Neighbouring lines and symbols, rulings, specks, corrections.

Design choices
- Each is drawn into the page as it is: how much of each pixel is covered, 0 to 1, in pixels of the
  photograph. Letters are so many of them high.
- Neighbouring lines and symbols are other places of the same writing: nothing else is as like in
  hand, pen and size.
- How often there is any of them was counted on photographs to train on (experiments/photos.md);
  most labels are silent about them.
"""

from math import cos, exp, sin

import cv2
import numpy as np

from san.images.clean.contrast import Contrast
from san.synth.photo.config import SurroundingsConfig

HALF_COVERED = 0.5
"""Of a pixel: where the edge of ink is. No knob, but what an edge is."""


def draw_line_neighbour(
    page: Contrast,
    ink: Contrast,
    letter: float,
    rng: np.random.Generator,
    config: SurroundingsConfig = SurroundingsConfig(),
) -> None:
    """The feet of a line above or the heads of one below: other places of the same writing.

    They reach into the page where it is free: what would touch the writing is left out.
    """
    reach = round(letter * rng.uniform(*config.line_reach))
    rows = min(max(config.min_line_reach, reach), len(ink), len(page))
    above = rng.random() < config.line_above
    strip = page[:rows] if above else page[-rows:]
    start, wide = int(rng.integers(ink.shape[1])), min(strip.shape[1], ink.shape[1])
    part = np.zeros_like(strip)
    part[:, :wide] = np.roll(ink[-rows:] if above else ink[:rows], start, axis=1)[:, :wide]
    _, labels = cv2.connectedComponents((part > config.min_coverage).view(np.uint8))
    beside = np.ones((3, 2 * round(config.line_distance * letter) + 1), np.uint8)
    around = cv2.dilate(page[: rows + 1] if above else page[-rows - 1 :], beside)
    near = np.asarray(around[:rows] if above else around[-rows:]) > config.min_coverage
    part[np.isin(labels, np.unique(np.asarray(labels)[near]))] = 0
    np.maximum(strip, part, out=strip)


def draw_side_neighbour(
    page: Contrast,
    ink: Contrast,
    margin: int,
    right: bool,
    rng: np.random.Generator,
    config: SurroundingsConfig = SurroundingsConfig(),
) -> None:
    """A slice of what stands before or after: the side of some place of the same writing."""
    wide = max(1, round(margin * rng.uniform(*config.side_reach)))
    start = int(rng.integers(max(1, ink.shape[1] - wide)))
    part = ink[:, start : start + wide]
    left = page.shape[1] - part.shape[1] if right else 0
    strip = page[margin : margin + len(ink), left : left + part.shape[1]]
    np.maximum(strip, part, out=strip)


def draw_ruling(
    page: Contrast,
    letter: float,
    rng: np.random.Generator,
    config: SurroundingsConfig = SurroundingsConfig(),
) -> None:
    """Pieces of a ruling, seldom of a margin line; more often beside the writing than in it."""
    sheet = page.T if rng.random() < config.ruling_upright else page
    rows, columns = sheet.shape
    at_edge = rng.random() < config.ruling_at_edge
    at = int(rows * (rng.uniform(*config.ruling_edge) if at_edge else rng.random()))
    at = rows - 1 - at if rng.random() < config.ruling_at_end else at
    thick = max(1, round(letter * rng.uniform(*config.ruling_thickness)))
    dark = np.float32(rng.uniform(*config.ruling_darkness))
    fewest, most = config.ruling_pieces
    for _ in range(int(rng.integers(fewest, most + 1))):
        start = int(rng.integers(columns))
        long = letter * exp(rng.uniform(*config.ruling_length))
        piece = sheet[at : at + thick, start : start + round(long)]
        np.maximum(piece, dark, out=piece)


def draw_specks(
    page: Contrast,
    letter: float,
    rng: np.random.Generator,
    config: SurroundingsConfig = SurroundingsConfig(),
) -> None:
    """Dots, often several beside one another."""
    rows, columns = page.shape
    middle = rng.random(2) * (columns, rows)
    apart = letter * rng.uniform(*config.speck_spread)
    fewest, most = config.speck_count
    for _ in range(int(rng.integers(fewest, most + 1))):
        x, y = np.clip(rng.normal(middle, apart), 0, (columns - 1, rows - 1)).astype(int).tolist()
        size = letter * rng.uniform(*config.speck_size)
        axes = (max(1, round(size * rng.uniform(*config.speck_aspect))), max(1, round(size)))
        dark = float(rng.uniform(*config.speck_darkness))
        cv2.ellipse(page, (x, y), axes, float(rng.uniform(0, 180)), 0, 360, dark, -1)


def draw_correction(
    page: Contrast,
    letter: float,
    rng: np.random.Generator,
    config: SurroundingsConfig = SurroundingsConfig(),
) -> None:
    """A symbol over another that was wrong, or a stroke across what was cancelled."""
    inked = np.argwhere(page > HALF_COVERED)
    if not len(inked):
        return
    (top, left), (low, right) = rng.choice(inked, 2).tolist()
    if rng.random() < config.strike_chance:
        long, turn = letter * rng.uniform(*config.strike_length), rng.uniform(*config.strike_angle)
        end = (left + round(long * cos(turn)), top - round(long * sin(turn)))
        thick = max(1, round(letter * rng.uniform(*config.strike_thickness)))
        cv2.line(page, (left, top), end, float(rng.uniform(*config.strike_darkness)), thick)
        return
    side = max(config.min_overwritten, round(letter * rng.uniform(*config.overwritten_size)))
    high = min(side, len(page) - max(top, low))
    wide = min(side, page.shape[1] - max(left, right))
    place = page[low : low + high, right : right + wide]
    np.maximum(place, page[top : top + high, left : left + wide].copy(), out=place)
