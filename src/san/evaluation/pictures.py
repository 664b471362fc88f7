"""Pictures inside a page: PNG files as data: addresses, as small as they can be.

- A picture is shown as dark ink on light paper, whichever way the network gets it; the page turns
  it over in the dark.
- Sixteen shades are enough for ink, and for attention: one colour, more or less transparent.
- Attention has a pixel a cell. The browser stretches it over the picture, which is there only once.
"""

import io
from base64 import b64encode
from typing import Any

import numpy as np
from PIL import Image

from san.decoding.engine import Floats
from san.evaluation.batches import Pixels

LARGEST = (640, 240)
"""Pixels, width and height, of a picture in the page."""
SHADES = 16
HEAT = (232, 89, 12)
MAX_OPAQUE = 200
"""Of 255: ink shows through even where attention is highest."""


def picture_url(pixels: Pixels) -> str:
    """The picture, turned over if what is not background is light."""
    light_ink = np.mean(pixels) > np.median(pixels)
    image = Image.fromarray(255 - pixels if light_ink else pixels)
    image.thumbnail(LARGEST, Image.Resampling.LANCZOS)
    shades = (np.asarray(image, np.uint16) * (SHADES - 1) + 127) // 255
    greys = [shade * 255 // (SHADES - 1) for shade in range(SHADES)]
    return _png(shades.astype(np.uint8), [grey for grey in greys for _ in range(3)])


def attention_url(attention: Floats) -> str:
    """Attention as a veil of one colour, densest where it is highest; thin where it is even."""
    weights = np.nan_to_num(attention.astype(np.float64), nan=0, posinf=0, neginf=0).clip(0)
    densest = max(weights.max(), 4 / weights.size)  # four times an even gaze, or more
    shades = np.rint(weights / densest * (SHADES - 1)).astype(np.uint8)
    opacity = bytes(shade * MAX_OPAQUE // (SHADES - 1) for shade in range(SHADES))
    return _png(shades, list(HEAT) * SHADES, transparency=opacity)


def _png(shades: Pixels, palette: list[int], **options: Any) -> str:
    image = Image.fromarray(shades).convert("L")
    image = Image.frombytes("P", image.size, image.tobytes())
    image.putpalette(palette)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True, bits=4, **options)
    return f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"
