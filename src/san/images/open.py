"""An image file's bytes, an open image or an array -> grey pixels, safely.

Design choices
- Files come from strangers. Six common formats are tried and no other of Pillow's decoders; the
  size that the header claims is checked BEFORE any pixel is decoded, and `decode_cost` refuses what
  is made to take long.
- HEIC, which telephones make, needs a decoder that Pillow has not: it is opened where pillow-heif
  is installed, and otherwise named as what it is.
- What comes out is what a person sees: turned as the camera says, transparency laid on white
  paper, 16-bit scans brought to 8 bits, the first frame of an animation.
- Whatever goes wrong is one ImageError with one line.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps, UnidentifiedImageError

from san.errors import SanError
from san.extras import install_hint
from san.files import MAX_BYTES, FileError, read_file
from san.images.decode_cost import ReadCounter, check_cost, check_exif

Grey = NDArray[np.uint8]

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF")
SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif")
HEIC_SUFFIXES = (".heic", ".heif")
HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
"""How a HEIC file names itself, behind the word "ftyp"."""
MAX_PIXELS = 64_000_000
"""Larger than any telephone's photograph that is not a panorama; 64 MB as grey pixels."""
BLOCK = 1 << 20
"""Pixels brought to 8 bits at once: as numbers to reckon with they take eight bytes each."""

# Pillow warns of odd files on the terminal; what matters is checked here, and stricter. Once and
# for all, because setting warnings aside for a moment is not safe among threads.
warnings.filterwarnings("ignore", module=r"PIL\.")


class ImageError(SanError):
    """An image that cannot be used; the message is one line that says why."""


def is_image(name: str) -> bool:
    """Whether a file is meant as an image, by its name."""
    return name.strip().lower().endswith(SUFFIXES)


def is_photograph(name: str) -> bool:
    """The same, and what only telephones write."""
    return is_image(name) or name.strip().lower().endswith(HEIC_SUFFIXES)


def open_image(source: bytes | str | Path, max_pixels: int = MAX_PIXELS) -> Grey:
    """Grey pixels, uint8 (height, width), of an image file given as its path or as its bytes."""
    if isinstance(source, bytes):
        return _decode(source, max_pixels)
    try:
        content = read_file(Path(source))
    except FileError as error:
        raise ImageError(str(error)) from error
    try:
        return _decode(content, max_pixels)
    except ImageError as error:
        raise ImageError(f"{source}: {error}") from error


def claimed_pixels(content: bytes) -> int:
    """Those that an image's head claims; 0 where there is none, of which `open_image` tells."""
    with suppress(ImageError), _one_line(MAX_PIXELS), _opened(content) as image:
        return image.width * image.height
    return 0


def grey_of(image: Image.Image | NDArray[Any], max_pixels: int = MAX_PIXELS) -> Grey:
    """Grey pixels of an image that is open, or of an array: grey or in colours, of any depth.

    Of an array's integers 255 (or, of more than 8 bits, 65,535) is white, of its floats 1; an array
    of nothing but 0 and 1 is black and white.
    """
    if isinstance(image, np.ndarray):
        return _grey_array(image, max_pixels)
    with _one_line(max_pixels):
        _check_size(*image.size, max_pixels)
        return _grey(ImageOps.exif_transpose(image), max_pixels)  # a copy: theirs stays as it is


def _decode(content: bytes, max_pixels: int) -> Grey:
    with _one_line(max_pixels), _opened(content) as image:
        return _grey(image, max_pixels)


def _opened(content: bytes) -> Image.Image:
    """Its head is read; no pixel is."""
    if not content:
        raise ImageError("the file is empty")
    if len(content) > MAX_BYTES:
        raise ImageError(f"larger than {MAX_BYTES:,} bytes")
    check_cost(content)
    formats = _heic() if content[4:8] == b"ftyp" and content[8:12] in HEIC_BRANDS else FORMATS
    return Image.open(ReadCounter(content), formats=formats)


def _heic() -> tuple[str]:
    try:
        import pillow_heif  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise ImageError(
            f"a HEIC photograph: {install_hint('heic')} to open it, or save it as JPEG"
        ) from None
    pillow_heif.register_heif_opener(thumbnails=False)
    return ("HEIF",)


@contextmanager
def _one_line(max_pixels: int) -> Iterator[None]:
    """Whatever goes wrong with an image is one ImageError."""
    try:
        yield
    except ImageError:
        raise
    except UnidentifiedImageError as error:
        raise ImageError("not a PNG, JPEG, WebP, BMP, TIFF, GIF or HEIC image") from error
    except Image.DecompressionBombError as error:
        raise ImageError(f"more than {max_pixels:,} pixels") from error
    except Exception as error:
        # A damaged file makes Pillow's decoders raise almost anything (SyntaxError, struct.error,
        # EOFError, ...): whatever it is, this image cannot be read.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ImageError(f"the image is damaged: {reason[:120]}") from error


def _grey(image: Image.Image, max_pixels: int) -> Grey:
    _check_size(*image.size, max_pixels)
    image.load()
    check_exif(image.info.get("exif") or b"")
    image.getexif()  # which the image remembers
    for notes in ("exif", "Raw profile type exif"):  # turning would write them anew, odd ones too
        image.info.pop(notes, None)
    ImageOps.exif_transpose(image, in_place=True)
    if image.mode.startswith("I") or image.mode == "F":
        return _eight_bits(np.asarray(image))
    if image.has_transparency_data:
        image = image.convert("RGBA")
        paper = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(paper, image)
    return np.array(image.convert("L"), np.uint8)


def _check_size(width: int, height: int, max_pixels: int) -> None:
    if width * height > max_pixels:
        raise ImageError(f"{width} x {height} is more than {max_pixels:,} pixels")
    if width * height == 0:
        raise ImageError("the image has no pixels")


def _grey_array(pixels: NDArray[Any], max_pixels: int) -> Grey:
    colours = pixels.shape[2:]
    if pixels.ndim not in (2, 3) or colours not in ((), (1,), (3,), (4,)):
        shape = " x ".join(map(str, pixels.shape))
        raise ImageError(f"pixels are height x width, grey or in 3 or 4 colours, not {shape}")
    _check_size(pixels.shape[1], pixels.shape[0], max_pixels)
    if not (pixels.dtype == bool or pixels.dtype.kind in "uif"):
        raise ImageError(f"pixels are numbers, not {pixels.dtype}")
    deep = pixels.dtype != np.uint8 or pixels.max() <= 1
    values = _eight_bits(pixels) if deep else pixels
    if colours in ((), (1,)):
        return np.ascontiguousarray(values.reshape(pixels.shape[:2]))
    with _one_line(max_pixels):
        return _grey(Image.fromarray(np.ascontiguousarray(values)), max_pixels)


def _eight_bits(values: NDArray[Any]) -> Grey:
    """Scans of 16 bits a pixel use their whole range; of floats, 0 to 1 is usual."""
    darkest, lightest = values.min(), values.max()
    if not (np.isfinite(darkest) and np.isfinite(lightest)):  # nor is NaN, which both would be
        raise ImageError("a pixel is not a finite number")
    white = 1.0 if lightest <= 1 else 255.0 if lightest <= 255 else 65535.0
    grey = np.empty(values.shape, np.uint8)
    deep, flat = np.ascontiguousarray(values).reshape(-1), grey.reshape(-1)
    for start in range(0, values.size, BLOCK):
        part = slice(start, start + BLOCK)
        flat[part] = np.clip(np.rint(deep[part] * np.float64(255 / white)), 0, 255)
    return grey
