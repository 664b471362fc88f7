"""How large an image may be, checked by its head before any pixel is decoded, and its price.

Design choices
- Sides are bounded as well as pixels: an image of one column costs far more than its pixels, and no
  picture of writing is one. JPEG's own longest side leaves room for every long screenshot.
- A format is allowed so many pixels that opening one image takes less than a gigabyte of memory.
- A price says how long opening takes, in pixels of a plain JPEG (10 ns of one core each), so that a
  service can tell slow images from quick ones without opening them.
"""

from PIL import Image

from san.errors import SanError

MAX_PIXELS = 64_000_000
"""Larger than any telephone's photograph that is not a panorama; 64 MB as grey pixels."""
MAX_SIDE = 65_535
"""Pixels of the longer side: JPEG's own limit. Screenshots of whole pages have 30,000."""
MAX_FORMAT_PIXELS = {"WEBP": 50_000_000}
"""Of formats whose decoder takes 16 bytes a pixel: a telephone's 50 megapixels are allowed."""
PIXEL_PRICES = {"JPEG": 1, "BMP": 2, "GIF": 2, "PNG": 1, "TIFF": 3, "WEBP": 4, "HEIF": 6}
"""Of a grey pixel, by format."""
COLOUR_FACTORS = {"RGB": 2, "RGBA": 4, "LA": 4, "PA": 4, "CMYK": 2}
"""Of formats that are decoded byte by byte: what pixels in colours cost, or transparent ones."""
SCAN_PRICE = 0.1
"""Of a pixel, for each scan of a progressive JPEG."""
BYTE_PRICE = 0.25
LONG_SIDE, SIDE_PRICE = 10_000, 300
"""Pixels of the longer side, beyond which each costs so much: a strip is cleaned in many passes."""
RUN_PRICE = 60
"""Of a byte of a BMP in runs, which are taken apart in Python."""
OPENCV_NO_MEMORY = -4
OUT_OF_MEMORY = "too large for the memory at hand"


class ImageError(SanError):
    """An image that cannot be used; the message is one line that says why."""


def is_out_of_memory(error: Exception) -> bool:
    """Whether Python or OpenCV, which has an exception of its own, found no memory. OpenCV is not
    imported for it: who opens images without cleaning them needs none."""
    of_opencv = type(error).__name__ == "error" and getattr(error, "code", 0) == OPENCV_NO_MEMORY
    return isinstance(error, MemoryError) or of_opencv


def check_size(width: int, height: int, max_pixels: int, form: str | None = None) -> None:
    """ImageError for an image that is not to be decoded; `form` is Pillow's name of its format."""
    if width * height == 0:
        raise ImageError("the image has no pixels")
    if width * height > max_pixels:
        raise ImageError(f"{width} x {height} is more than {max_pixels:,} pixels")
    if max(width, height) > MAX_SIDE:
        raise ImageError(f"{width} x {height}: a side has at most {MAX_SIDE:,} pixels")
    allowed = MAX_FORMAT_PIXELS.get(form or "", max_pixels)
    if width * height > allowed:
        raise ImageError(
            f"{width} x {height} is more than {allowed:,} pixels, too much for {form}: "
            "save it as JPEG or PNG"
        )


def price_to_open(image: Image.Image, content: bytes) -> int:
    """Of an image whose head is read: pixels of a plain JPEG that would take as long."""
    form = image.format or ""
    pixel: float = PIXEL_PRICES.get(form, 1)
    if form == "JPEG":
        pixel += SCAN_PRICE * content.count(b"\xff\xda") if "progressive" in image.info else 0
    elif form in ("PNG", "TIFF"):
        pixel *= COLOUR_FACTORS.get(image.mode, 1)
    in_runs = form == "BMP" and image.info.get("compression", 0) in (1, 2)
    of_side = max(0, max(image.size) - LONG_SIDE) * SIDE_PRICE
    of_bytes = len(content) * (RUN_PRICE if in_runs else BYTE_PRICE)
    return round(image.width * image.height * pixel + of_bytes + of_side)
