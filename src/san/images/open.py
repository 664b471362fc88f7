"""An image file's bytes, an open image or an array -> grey pixels, safely.

Design choices
- Files come from strangers. Six common formats are tried and no other of Pillow's decoders; the
  size that the header claims is checked BEFORE any pixel is decoded, and `decode_cost` refuses what
  is made to take long.
- HEIC, which telephones make, needs a decoder that Pillow has not: it is opened where pillow-heif
  is installed, and otherwise named as what it is.
- What comes out is what a person sees (`grey`), of an animation the first frame.
- Whoever has a clock gives a `check`: it is called while the file is read, and what it raises ends
  the opening. Between two calls lies what a decoder makes of 64 KB; of WebP and compressed TIFF,
  which are decoded at once, all of it.
- Whatever goes wrong is one ImageError with one line.
"""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from san.extras import install_hint
from san.files import MAX_BYTES, FileError, read_file
from san.images.decode_cost import ReadCounter, check_cost
from san.images.grey import Grey as Grey
from san.images.grey import grey_array, grey_image
from san.images.limits import MAX_PIXELS as MAX_PIXELS
from san.images.limits import OUT_OF_MEMORY, check_size, price_to_open
from san.images.limits import ImageError as ImageError

FORMATS = ("PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF")
SUFFIXES = (".png", ".jpg", ".jpeg", ".jfif", ".webp", ".bmp", ".tif", ".tiff", ".gif")
HEIC_SUFFIXES = (".heic", ".heif")
HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
"""How a HEIC file names itself, behind the word "ftyp"."""
OpenCheck = Callable[[], None]
"""Called while a file is read; what it raises ends the opening."""

# Pillow warns of odd files on the terminal; what matters is checked here, and stricter. Once and
# for all, because setting warnings aside for a moment is not safe among threads.
warnings.filterwarnings("ignore", module=r"PIL\.")
# It logs of some, too, which Python prints where nobody has said what becomes of logs: as often as
# strangers like. Who has said so still gets them.
logging.getLogger("PIL").addHandler(logging.NullHandler())


class NoImageError(ImageError):
    """A file of another kind, or of none."""


def is_image(name: str) -> bool:
    """Whether a file is meant as an image, by its name."""
    return name.strip().lower().endswith(SUFFIXES)


def is_photograph(name: str) -> bool:
    """The same, and what only telephones write."""
    return is_image(name) or name.strip().lower().endswith(HEIC_SUFFIXES)


def open_image(
    source: bytes | str | Path, max_pixels: int = MAX_PIXELS, check: OpenCheck | None = None
) -> Grey:
    """Grey pixels, uint8 (height, width), of an image file given as its path or as its bytes."""
    if isinstance(source, bytes):
        return _decode(source, max_pixels, check)
    try:
        content = read_file(Path(source))
    except FileError as error:
        raise ImageError(str(error)) from error
    try:
        return _decode(content, max_pixels, check)
    except ImageError as error:
        raise ImageError(f"{source}: {error}") from error


def claimed_price(content: bytes, max_pixels: int = MAX_PIXELS) -> int:
    """What opening costs by an image's head, as `price_to_open` counts; 0 where it will be refused,
    of which `open_image` tells."""
    with suppress(ImageError), _one_line(max_pixels), _opened(content) as image:
        check_size(*image.size, max_pixels, image.format)
        return price_to_open(image, content)
    return 0


def looks_like_image(content: bytes) -> bool:
    """Whether it begins as an image of one of the formats, sound or not."""
    try:
        with _one_line(MAX_PIXELS), _opened(content):
            return True
    except NoImageError:
        return False
    except ImageError:  # one that is damaged, or for which a decoder is missing
        return True


def grey_of(image: Image.Image | NDArray[Any], max_pixels: int = MAX_PIXELS) -> Grey:
    """Grey pixels of an image that is open, or of an array: grey or in colours, of any depth.

    Of an array's integers 255 (or, of more than 8 bits, 65,535) is white, of its floats 1; an array
    of nothing but 0 and 1 is black and white.
    """
    with _one_line(max_pixels):
        if isinstance(image, np.ndarray):
            return grey_array(image, max_pixels)
        check_size(*image.size, max_pixels, image.format)
        try:
            image.load()
        except (AssertionError, ValueError) as error:
            if getattr(image, "fp", None) is None:  # nothing is wrong with the file
                raise ImageError("the image is closed, as after verify(): open it again") from error
            raise
        return grey_image(image)


def _decode(content: bytes, max_pixels: int, check: OpenCheck | None) -> Grey:
    stopped: list[BaseException] = []

    def checked() -> None:
        try:
            if check is not None:
                check()
        except BaseException as error:
            stopped.append(error)
            raise

    try:
        with _one_line(max_pixels), _opened(content, checked) as image:
            check_size(*image.size, max_pixels, image.format)
            return grey_image(image)
    except ImageError:
        if stopped:  # not the file's fault
            raise stopped[0] from None
        raise


def _opened(content: bytes, check: OpenCheck | None = None) -> Image.Image:
    """Its head is read; no pixel is."""
    if not content:
        raise ImageError("the file is empty")
    if len(content) > MAX_BYTES:
        raise ImageError(f"larger than {MAX_BYTES:,} bytes")
    check_cost(content)
    formats = _heic() if content[4:8] == b"ftyp" and content[8:12] in HEIC_BRANDS else FORMATS
    return Image.open(ReadCounter(content, check), formats=formats)


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
        raise NoImageError("not a PNG, JPEG, WebP, BMP, TIFF, GIF or HEIC image") from error
    except Image.DecompressionBombError as error:
        raise ImageError(f"more than {max_pixels:,} pixels") from error
    except MemoryError as error:
        raise ImageError(OUT_OF_MEMORY) from error
    except Exception as error:
        # A damaged file makes Pillow's decoders raise almost anything (SyntaxError, struct.error,
        # EOFError, ...): whatever it is, this image cannot be read.
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ImageError(f"the image is damaged: {reason[:120]}") from error
