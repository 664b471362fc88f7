"""An open image or an array -> grey pixels, as a person sees them, a band of rows at a time.

Design choices
- What comes out is what a person sees: turned as the camera says, transparency laid on white paper
  (light ink on black, as in a dark window), 16-bit scans brought to 8 bits.
- Colours and transparency take four bytes a pixel, and Pillow makes a new image at every step. So
  rows are taken a few at a time, and what is turned is the grey image: of 64 megapixels only what
  the decoder made and the result lie in memory.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import ExifTags, Image

from san.images.decode_cost import check_exif
from san.images.limits import ImageError, check_size

Grey = NDArray[np.uint8]

BAND = 1 << 20
"""Pixels made grey at once."""
MIN_VISIBLE_ALPHA = 127
"""Of 255: what is more opaque can be seen."""
DARK_GREYS, MIN_DARK_SHARE = 128, 0.02
"""Greys below are dark; a transparent image that shows less of them has light ink."""
TURNS: dict[int, Callable[[Grey], Grey]] = {
    2: np.fliplr,
    3: lambda grey: np.rot90(grey, 2),
    4: np.flipud,
    5: np.transpose,
    6: lambda grey: np.rot90(grey, -1),
    7: lambda grey: np.rot90(grey, 2).T,
    8: np.rot90,
}
"""By Exif's number of the orientation."""


def grey_image(image: Image.Image) -> Grey:
    """Grey pixels of an image whose size has been checked."""
    image.load()
    check_exif(image.info.get("exif") or b"")
    turn = TURNS.get(image.getexif().get(ExifTags.Base.Orientation, 1))
    deep = image.mode.startswith("I") or image.mode == "F"
    if image.mode == "LAB":  # which Pillow turns into no other
        image = image.getchannel("L")
    grey = _deep_grey(image) if deep else _flat_grey(image)
    return np.ascontiguousarray(turn(grey)) if turn else grey


def grey_array(pixels: NDArray[Any], max_pixels: int) -> Grey:
    """Of an array's integers 255 (or, of more than 8 bits, 65,535) is white, of its floats 1; an
    array of nothing but 0 and 1 is black and white."""
    colours = pixels.shape[2:]
    if pixels.ndim not in (2, 3) or colours not in ((), (1,), (3,), (4,)):
        shape = " x ".join(map(str, pixels.shape))
        raise ImageError(f"pixels are height x width, grey or in 3 or 4 colours, not {shape}")
    check_size(pixels.shape[1], pixels.shape[0], max_pixels)
    if not (pixels.dtype == bool or pixels.dtype.kind in "uif"):
        raise ImageError(f"pixels are numbers, not {pixels.dtype}")
    deep = pixels.dtype != np.uint8 or pixels.max() <= 1
    values = _eight_bits(pixels, _white(pixels.min(), pixels.max())) if deep else pixels
    if colours in ((), (1,)):
        return np.ascontiguousarray(values.reshape(pixels.shape[:2]))
    return _flat_grey(Image.fromarray(np.ascontiguousarray(values)))


def _bands(image: Image.Image) -> Iterator[tuple[slice, Image.Image]]:
    rows = max(BAND // image.width, 1)
    for top in range(0, image.height, rows):
        bottom = min(top + rows, image.height)
        yield slice(top, bottom), image.crop((0, top, image.width, bottom))


def _flat_grey(image: Image.Image) -> Grey:
    """Of an image of 8 bits a colour, or fewer."""
    grey = np.empty((image.height, image.width), np.uint8)
    paper = "black" if image.has_transparency_data and _is_light_ink(image) else "white"
    for rows, band in _bands(image):
        if band.has_transparency_data:
            band = band.convert("RGBA")
            band = Image.alpha_composite(Image.new("RGBA", band.size, paper), band)
        grey[rows] = np.asarray(band.convert("L"))
    return grey


def _is_light_ink(image: Image.Image) -> bool:
    """Whether all that can be seen of a transparent image is light: on white it would vanish."""
    counts = np.zeros(256, np.int64)
    for _, band in _bands(image):
        band = band.convert("RGBA")
        opaque = np.asarray(band.getchannel("A")) > MIN_VISIBLE_ALPHA
        counts += np.bincount(np.asarray(band.convert("L"))[opaque], minlength=256)
    return bool(counts.any()) and int(counts[:DARK_GREYS].sum()) < MIN_DARK_SHARE * counts.sum()


def _deep_grey(image: Image.Image) -> Grey:
    """Of an image of one number a pixel."""
    bands = (np.asarray(band) for _, band in _bands(image))
    ends = np.array([(band.min(), band.max()) for band in bands])
    white = _white(ends.min(), ends.max())
    grey = np.empty((image.height, image.width), np.uint8)
    for rows, band in _bands(image):
        grey[rows] = _eight_bits(np.asarray(band), white)
    return grey


def _white(darkest: Any, lightest: Any) -> float:
    """Scans of 16 bits a pixel use their whole range; of floats, 0 to 1 is usual."""
    if not (np.isfinite(darkest) and np.isfinite(lightest)):  # nor is NaN, which both would be
        raise ImageError("a pixel is not a finite number")
    return 1.0 if lightest <= 1 else 255.0 if lightest <= 255 else 65535.0


def _eight_bits(values: NDArray[Any], white: float) -> Grey:
    grey = np.empty(values.shape, np.uint8)
    deep, flat = np.ascontiguousarray(values).reshape(-1), grey.reshape(-1)
    for start in range(0, values.size, BAND):  # as numbers to reckon with they take eight bytes
        part = slice(start, start + BAND)
        flat[part] = np.clip(np.rint(deep[part] * np.float64(255 / white)), 0, 255)
    return grey
