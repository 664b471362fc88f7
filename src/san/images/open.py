"""An image file's bytes -> grey pixels, safely.

Design choices
- Files come from strangers. Six common formats are tried and no other of Pillow's decoders; the
  size that the header claims is checked BEFORE any pixel is decoded.
- What comes out is what a person sees: turned as the camera says, transparency laid on white
  paper, 16-bit scans brought to 8 bits, the first frame of an animation.
- Whatever goes wrong is one ImageError with one line.
"""

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from san.errors import SanError
from san.files import MOST_BYTES, FileError, read_file

Grey = NDArray[np.uint8]

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF")
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif")
MOST_PIXELS = 64_000_000
"""Larger than any telephone's photograph that is not a panorama; 64 MB as grey pixels."""
BLOCK = 1 << 20
"""Pixels brought to 8 bits at once: as numbers to reckon with they take eight bytes each."""


class ImageError(SanError):
    """An image that cannot be used; the message is one line that says why."""


def is_image(name: str) -> bool:
    """Whether a file is meant as an image, by its name."""
    return name.strip().lower().endswith(SUFFIXES)


def open_image(source: bytes | str | Path, most_pixels: int = MOST_PIXELS) -> Grey:
    """Grey pixels, uint8 (height, width), of an image file given as its path or as its bytes."""
    if isinstance(source, bytes):
        return _decode(source, most_pixels)
    try:
        content = read_file(Path(source))
    except FileError as error:
        raise ImageError(str(error)) from error
    try:
        return _decode(content, most_pixels)
    except ImageError as error:
        raise ImageError(f"{source}: {error}") from error


def _decode(content: bytes, most_pixels: int) -> Grey:
    if not content:
        raise ImageError("the file is empty")
    if len(content) > MOST_BYTES:
        raise ImageError(f"larger than {MOST_BYTES:,} bytes")
    try:
        # Pillow warns of odd files on the terminal; what matters is checked below, and stricter.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(content), formats=FORMATS) as image:
                return _grey(image, most_pixels)
    except ImageError:
        raise
    except UnidentifiedImageError as error:
        raise ImageError("not a PNG, JPEG, WebP, BMP, TIFF or GIF image") from error
    except Image.DecompressionBombError as error:
        raise ImageError(f"more than {most_pixels:,} pixels") from error
    except Exception as error:
        # A damaged file makes Pillow's decoders raise almost anything (SyntaxError, struct.error,
        # EOFError, ...): whatever it is, this image cannot be read.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ImageError(f"the image is damaged: {reason[:120]}") from error


def _grey(image: Image.Image, most_pixels: int) -> Grey:
    width, height = image.size
    if width * height > most_pixels:
        raise ImageError(f"{width} x {height} is more than {most_pixels:,} pixels")
    if width * height == 0:
        raise ImageError("the image has no pixels")
    ImageOps.exif_transpose(image, in_place=True)
    if image.mode.startswith("I") or image.mode == "F":
        return _eight_bits(np.asarray(image))
    if image.has_transparency_data:
        image = image.convert("RGBA")
        paper = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(paper, image)
    return np.array(image.convert("L"), np.uint8)


def _eight_bits(values: NDArray[Any]) -> Grey:
    """Scans of 16 bits a pixel use their whole range; of floats, 0 to 1 is usual."""
    darkest, lightest = values.min(), values.max()
    if not (np.isfinite(darkest) and np.isfinite(lightest)):  # nor is NaN, which both would be
        raise ImageError("a pixel is not a finite number")
    white = 1.0 if lightest <= 1 else 255.0 if lightest <= 255 else 65535.0
    grey = np.empty(values.shape, np.uint8)
    deep, flat = values.reshape(-1), grey.reshape(-1)
    for start in range(0, values.size, BLOCK):
        part = slice(start, start + BLOCK)
        flat[part] = np.clip(np.rint(deep[part] * np.float64(255 / white)), 0, 255)
    return grey
