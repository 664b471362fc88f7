"""From ink as a small photograph has it to the cleaned picture: paper, camera, and `clean` again.

Design choices
- Only what leaves a trace once a photograph is cleaned: paper, light and colour do not.
- Cleaned by the same functions as photographs are: cut at half of the ink's contrast, rid of
  strays, no thinner than the nib. In 256 levels, which is quicker than fractions.
- Boxes are told where their ink came to lie.
"""

from dataclasses import dataclass
from functools import cache
from typing import TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from san.images.bitmap import FAR_MARGIN, LONGEST, MARGIN, Grey, Picture, extent
from san.images.light import Contrast
from san.images.size import HEIGHT
from san.images.strays import without_strays
from san.images.thin import with_nib
from san.images.threshold import Threshold, local_ink

Boxes = NDArray[np.float32]
"""A row for each symbol: left, top, right, bottom in pixels; NaN: not known."""
Pair = tuple[float, float]
Level = TypeVar("Level", np.uint8, np.float32)

SMOOTH = 0.7
"""Pixels: what `clean` takes off a sensor's noise with."""
INK, PAPER = 220, 26
"""Of 256 levels: the darkest ink; and what paper has at most."""
NO_RULINGS = np.zeros((0, 0), np.uint8)
GRAINS = 1 << 19
"""Draws of chance that noise is cut out of: to draw it anew takes longer than all else here."""
LEAST = 2
"""Pixels of a box's sides: what an edge left less of was cut off. A dot may be as small."""


@dataclass(frozen=True)
class Wear:
    """How far it goes. Pairs are the ends of a range, or mean and deviation where it says so."""

    gaps: Pair = (0.2, 1.0)  # of the columns without ink, how many stay
    squeeze: Pair = (-0.08, 0.08)  # log of width over height: mean, deviation
    size: Pair = (-0.09, 0.12)  # log of size over what `clean` makes it: mean, deviation
    pen: Pair = (1.15, 0.32)  # log of a stroke's width in pixels: mean, deviation
    zoom: Pair = (0.47, 0.42)  # log of size over the photograph's: mean, deviation
    blur: Pair = (0.35, 0.9)  # of the lens, in pixels of the photograph
    pressure: Pair = (0.0, 0.6)  # how much paler ink is in places
    noise: Pair = (0.0, 0.06)  # of the sensor, as share of the ink's contrast
    jpeg: float = 0.5  # how likely it is compressed
    level: Pair = (0.85, 1.2)  # times the contrast by which ink is told from paper
    specks: float = 0.2  # how likely there are some
    rulings: float = 0.05  # how likely a piece of one stayed
    neighbours: float = 0.12  # how likely the line above or below comes into view
    clipped: float = 0.10  # how likely a side is cut off


def snapshot(
    ink: Contrast, boxes: Boxes, zoom: float, rng: np.random.Generator, how: Wear
) -> tuple[Picture, Boxes] | None:
    """The cleaned picture of some ink, `zoom` times as large; None where nothing is left of it.

    Letters of the ink are HEIGHT / `zoom` high, and how much of each pixel it covers is 0 to 1.
    """
    letter = HEIGHT / zoom
    sheet, left, top = _on_paper(ink, letter, rng, how)
    page = _taken(sheet, letter, rng, how)
    size = (max(1, round(page.shape[1] * zoom)), max(1, round(page.shape[0] * zoom)))
    enlarge = cv2.INTER_AREA if zoom < 1 else cv2.INTER_CUBIC
    smooth = cv2.GaussianBlur(cv2.resize(page, size, interpolation=enlarge), (0, 0), SMOOTH)
    large = np.asarray(smooth, np.uint8)
    some = large[::2, ::2]  # enough to know how dark ink is
    dark = some[some > PAPER]
    if not dark.size:
        return None
    level = float(np.percentile(dark, 75)) * rng.uniform(*how.level)
    mask = without_strays(local_ink(large, Threshold(PAPER, level)), large, NO_RULINGS, level)
    inner = extent(mask)
    if inner is None or max(mask.shape) > LONGEST - 2 * MARGIN:
        return None
    mask = mask[inner.top : inner.bottom, inner.left : inner.right]
    strokes = 255 * with_nib(_edged(mask, (1, 1)))  # a nib may reach a pixel beyond
    picture = _edged(strokes, (MARGIN - 1, FAR_MARGIN - 1))
    moved = boxes + np.array((left, top) * 2, np.float32)
    moved *= np.array((size[0] / page.shape[1], size[1] / page.shape[0]) * 2, np.float32)
    moved += np.array((MARGIN - inner.left, MARGIN - inner.top) * 2, np.float32)
    return picture, _within(moved, picture.shape)


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
    ink: Contrast, letter: float, rng: np.random.Generator, how: Wear
) -> tuple[Contrast, int, int]:
    """With paper around it and what else is on that; and how far right and down it moved."""
    room = max(2, round(letter * rng.uniform(0.15, 0.6)))
    page = _edged(ink, (room, room))
    if rng.random() < how.neighbours:
        _neighbour(page, ink, room, rng)
    if rng.random() < how.rulings:
        _rule(page, letter, rng)
    if rng.random() < how.specks:
        _speck(page, letter, rng)
    if rng.random() >= how.clipped:
        return page, room, room
    lost = room + round(letter * rng.uniform(0.02, 0.15))
    side = int(rng.integers(4))
    if lost >= page.shape[side % 2] // 2:
        return page, room, room
    cut = (page[lost:], page[:, lost:], page[:-lost], page[:, :-lost])[side]
    return np.ascontiguousarray(cut), room - lost * (side == 1), room - lost * (side == 0)


def _neighbour(page: Contrast, ink: Contrast, room: int, rng: np.random.Generator) -> None:
    """The feet of a line above or the heads of one below: other places of the same writing."""
    rows = min(room - 1, len(ink))
    above = rng.random() < 0.5
    part = np.pad(ink[-rows:] if above else ink[:rows], ((0, 0), (room, room)))
    part = np.roll(part, int(rng.integers(part.shape[1])), axis=1)
    place = page[:rows] if above else page[-rows:]
    np.maximum(place, part, out=place)


def _rule(page: Contrast, letter: float, rng: np.random.Generator) -> None:
    """Stretches of a ruling, seldom of a margin line; more often beside the writing than in it."""
    sheet = page.T if rng.random() < 0.25 else page
    rows, columns = sheet.shape
    at = int(rows * (rng.uniform(0, 0.15) if rng.random() < 0.7 else rng.random()))
    at = rows - 1 - at if rng.random() < 0.6 else at
    thick = max(1, round(letter * rng.uniform(0.05, 0.11)))
    dark = np.float32(rng.uniform(0.5, 1.0))
    for _ in range(int(rng.integers(1, 5))):
        start = int(rng.integers(columns))
        stretch = sheet[at : at + thick, start : start + round(letter * rng.uniform(0.5, 4.0))]
        np.maximum(stretch, dark, out=stretch)


def _speck(page: Contrast, letter: float, rng: np.random.Generator) -> None:
    for _ in range(int(rng.integers(1, 5))):
        centre = (int(rng.integers(page.shape[1])), int(rng.integers(page.shape[0])))
        across = max(1, round(letter * rng.uniform(0.03, 0.12)))
        along = max(1, round(across * rng.uniform(0.5, 2.5)))
        dark = float(rng.uniform(0.5, 1.0))
        cv2.ellipse(page, centre, (along, across), float(rng.uniform(0, 180)), 0, 360, dark, -1)


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
