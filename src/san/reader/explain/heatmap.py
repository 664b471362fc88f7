"""Where the network looked, as light in the colour of each symbol.

Design choices
- Seven colours that people with any colour vision tell apart (Okabe and Ito); symbols take them in
  turn, so that neighbours never share one.
- Light adds up and never hides the ink: the pen is drawn last, dark on it.
- Light is gathered one look at a time, at the picture's own size, and enlarged once at the end.
"""

from collections.abc import Iterable

import cv2
import numpy as np
from numpy.typing import NDArray

from san.decoding.engine import Floats
from san.model.onnx.engine import CELL

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]

COLOURS: tuple[Colour, ...] = (
    (0, 114, 178),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (86, 180, 233),
    (213, 94, 0),
    (180, 165, 0),
)
INK = np.array((34, 34, 40), np.float32)
STRONGEST = 0.62
"""Opacity of the light where a symbol's look is densest."""
EVEN = 4
"""A look that is nowhere so many times denser than an even one stays faint."""


def colour_of(number: int) -> Colour:
    return COLOURS[number % len(COLOURS)]


def tint(colour: Colour, strength: float) -> Colour:
    """The colour on white paper, so thick."""
    r, g, b = (round(255 + (part - 255) * strength) for part in colour)
    return r, g, b


def framed(picture: Picture) -> Picture:
    """With an empty cell on every side: light fades out there instead of breaking off."""
    return np.pad(picture, CELL)


def light(attention: Floats, shape: tuple[int, int]) -> Floats:
    """A look over a framed picture of this shape (rows, columns): 0 to 1 a pixel."""
    rows, columns = (-(-side // CELL) - 2 for side in shape)
    cells = np.nan_to_num(attention[:rows, :columns].astype(np.float32), posinf=0, neginf=0)
    cells = np.pad(cells.clip(0), 1)
    size = (cells.shape[1] * CELL, cells.shape[0] * CELL)
    spread = cv2.resize(cells, size, interpolation=cv2.INTER_LINEAR)
    spread = cv2.GaussianBlur(spread, (0, 0), CELL / 2)
    densest = max(float(spread.max()), EVEN / cells.size)
    return np.asarray(spread[: shape[0], : shape[1]] / densest, np.float32)


def glowing(picture: Picture, lights: Iterable[tuple[Floats, Colour]], zoom: float) -> Picture:
    """The picture as dark ink on white paper, with coloured lights beneath it: RGB, zoomed."""
    veil = np.zeros((*picture.shape, 3), np.float32)
    weight = np.full((*picture.shape, 1), 1e-6, np.float32)
    clear = np.ones_like(weight)
    for own, colour in lights:
        glow = own[..., None]
        veil += glow**2 * np.array(colour, np.float32)  # where two meet, the stronger prevails
        weight += glow**2
        clear *= 1 - STRONGEST * glow
    paper = 255 * clear + veil / weight * (1 - clear)
    height, width = picture.shape
    size = (max(round(width * zoom), 1), max(round(height * zoom), 1))
    paper = np.asarray(cv2.resize(paper, size, interpolation=cv2.INTER_LINEAR), np.float32)
    pen = _pen(picture, size, zoom)[..., None]
    return np.asarray(np.rint(paper + (INK - paper) * pen), np.uint8)


def _pen(picture: Picture, size: tuple[int, int], zoom: float) -> Floats:
    """The ink, 0 to 1; enlarged without the staircase of its pixels."""
    way = cv2.INTER_AREA if zoom < 1 else cv2.INTER_CUBIC
    pen = cv2.resize(picture, size, interpolation=way).astype(np.float64) / 255
    if zoom > 1:
        soft = np.asarray(cv2.GaussianBlur(pen, (0, 0), 0.75 * zoom), np.float64)
        pen = (soft - 0.55) * 1.6 * zoom + 0.5
    return pen.clip(0, 1).astype(np.float32)
