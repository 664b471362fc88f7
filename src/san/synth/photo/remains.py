"""What is on a page beside the formula, and stays when its photograph is cleaned.

Design choices
- Each is drawn into the page as it is: how much of each pixel is covered, 0 to 1, in pixels of the
  photograph. Letters are so many of them high.
- Other lines and the symbols before and after are other places of the same writing: nothing else is
  as like in hand, pen and size.
- How often there is any of them was counted on photographs to train on (docs/photos.md); most
  labels are silent about them.
"""

from math import cos, exp, sin

import cv2
import numpy as np

from san.images.clean.contrast import Contrast

REACH = (0.1, 0.55)
"""Of a letter's height: how much of another line is seen."""
APART = 0.1
"""Of a letter's height: from there to the writing, at least."""
FAINT = 0.2
"""Of a pixel: what covers less is no ink."""


def neighbour(page: Contrast, ink: Contrast, letter: float, rng: np.random.Generator) -> None:
    """The feet of a line above or the heads of one below: other places of the same writing.

    They reach into the page where it is free: what would touch the writing is left out.
    """
    rows = min(max(2, round(letter * rng.uniform(*REACH))), len(ink), len(page))
    above = rng.random() < 0.5
    place = page[:rows] if above else page[-rows:]
    start, wide = int(rng.integers(ink.shape[1])), min(place.shape[1], ink.shape[1])
    part = np.zeros_like(place)
    part[:, :wide] = np.roll(ink[-rows:] if above else ink[:rows], start, axis=1)[:, :wide]
    _, labels = cv2.connectedComponents((part > FAINT).view(np.uint8))
    beside = np.ones((3, 2 * round(APART * letter) + 1), np.uint8)
    around = cv2.dilate(page[: rows + 1] if above else page[-rows - 1 :], beside)
    near = np.asarray(around[:rows] if above else around[-rows:]) > FAINT
    part[np.isin(labels, np.unique(np.asarray(labels)[near]))] = 0
    np.maximum(place, part, out=place)


def remain(page: Contrast, ink: Contrast, room: int, right: bool, rng: np.random.Generator) -> None:
    """A slice of what stands before or after: the side of some place of the same writing."""
    wide = max(1, round(room * rng.uniform(0.1, 0.6)))
    start = int(rng.integers(max(1, ink.shape[1] - wide)))
    part = ink[:, start : start + wide]
    left = page.shape[1] - part.shape[1] if right else 0
    place = page[room : room + len(ink), left : left + part.shape[1]]
    np.maximum(place, part, out=place)


def rule(page: Contrast, letter: float, rng: np.random.Generator) -> None:
    """Stretches of a ruling, seldom of a margin line; more often beside the writing than in it."""
    sheet = page.T if rng.random() < 0.25 else page
    rows, columns = sheet.shape
    at = int(rows * (rng.uniform(0, 0.15) if rng.random() < 0.7 else rng.random()))
    at = rows - 1 - at if rng.random() < 0.6 else at
    thick = max(1, round(letter * rng.uniform(0.05, 0.11)))
    dark = np.float32(rng.uniform(0.5, 1.0))
    for _ in range(int(rng.integers(1, 5))):
        start = int(rng.integers(columns))
        long = letter * exp(rng.uniform(-0.7, 2.3))
        stretch = sheet[at : at + thick, start : start + round(long)]
        np.maximum(stretch, dark, out=stretch)


def speck(page: Contrast, letter: float, rng: np.random.Generator) -> None:
    """Dots, often several beside one another."""
    rows, columns = page.shape
    middle = rng.random(2) * (columns, rows)
    apart = letter * rng.uniform(0.3, 3.0)
    for _ in range(int(rng.integers(1, 6))):
        x, y = np.clip(rng.normal(middle, apart), 0, (columns - 1, rows - 1)).astype(int).tolist()
        across = letter * rng.uniform(0.03, 0.09)
        axes = (max(1, round(across * rng.uniform(0.7, 2.5))), max(1, round(across)))
        dark = float(rng.uniform(0.5, 1.0))
        cv2.ellipse(page, (x, y), axes, float(rng.uniform(0, 180)), 0, 360, dark, -1)


def mend(page: Contrast, letter: float, rng: np.random.Generator) -> None:
    """A symbol over another that was wrong, or a stroke across what was cancelled."""
    inked = np.argwhere(page > 0.5)
    if not len(inked):
        return
    (top, left), (low, right) = rng.choice(inked, 2).tolist()
    if rng.random() < 0.5:
        long, turn = letter * rng.uniform(0.8, 2.5), rng.uniform(0.2, 1.1)
        end = (left + round(long * cos(turn)), top - round(long * sin(turn)))
        thick = max(1, round(letter * rng.uniform(0.06, 0.15)))
        cv2.line(page, (left, top), end, float(rng.uniform(0.6, 1.0)), thick)
        return
    side = max(2, round(letter * rng.uniform(0.5, 1.0)))
    high = min(side, len(page) - max(top, low))
    wide = min(side, page.shape[1] - max(left, right))
    place = page[low : low + high, right : right + wide]
    np.maximum(place, page[top : top + high, left : left + wide].copy(), out=place)
