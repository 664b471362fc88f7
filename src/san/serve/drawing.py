"""A page of a PDF or a TIFF, or an image that browsers cannot open, drawn for who shows it.

The page on the screen and the page that is read are the same picture: what is framed on it is sent
back as an image. A PDF is drawn in a process of its own, with less memory than it has elsewhere,
since a service may draw several at once.
"""

import io
from base64 import b64encode
from dataclasses import dataclass

from PIL import Image

from san.images.documents import MAX_PAGES, PdfLimits, open_counted_page, page_price
from san.images.open import Grey, NoImageError, OpenCheck
from san.reader.source import DocumentPage
from san.serve.responses import DrawnPageResult
from san.serve.settings import Settings

MAX_SIDE = 2400
"""Pixels of a drawn page's longer side: more than a reader needs."""
MAX_PDF_BYTES = 1 << 29
"""Of memory; a page of noise at 300 dpi takes half of it."""
QUICK_COMPRESSION = 1
"""Of PNG: a third larger than the usual, in a fifth of its time."""
PNG_PRICE = 4
"""Of a pixel, to pack it: of noise; as images are priced before they are opened."""


@dataclass(frozen=True)
class DrawnPage:
    """Grey pixels of one page, and how many there are."""

    number: int
    pages: int
    grey: Grey

    def to_dict(self) -> DrawnPageResult:
        """The page as PNG in base64."""
        picture = Image.fromarray(self.grey)
        picture.thumbnail((MAX_SIDE, MAX_SIDE))
        file = io.BytesIO()
        picture.save(file, "PNG", compress_level=QUICK_COMPRESSION)
        too_many = self.pages > MAX_PAGES
        return {
            "page": self.number,
            "pages": min(self.pages, MAX_PAGES),
            "width": picture.width,
            "height": picture.height,
            "image": b64encode(file.getvalue()).decode(),
            "notes": [f"only the first {MAX_PAGES} pages can be drawn"] if too_many else [],
        }


def drawing_price(source: DocumentPage, max_pixels: int) -> int:
    """What it costs to open a page and to pack it, before either is done."""
    content, number = source
    assert isinstance(content, bytes)
    opening = page_price(content, number, max_pixels)
    return opening + PNG_PRICE * min(opening, MAX_SIDE**2)  # no pixel costs less than 1


def draw_page(source: DocumentPage, settings: Settings, check: OpenCheck) -> DrawnPage:
    """Within the limits of the service; what `check` raises ends it."""
    content, number = source
    assert isinstance(content, bytes)
    limits = PdfLimits(MAX_PDF_BYTES, max(1, round(settings.max_cpu_seconds)))
    try:
        pages, grey = open_counted_page(content, number, settings.limits.pixels, check, limits)
    except NoImageError as error:
        raise NoImageError(f"{error}, nor a PDF") from error
    return DrawnPage(number, pages, grey)
