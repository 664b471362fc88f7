"""Files of several pages, PDF and TIFF: how many there are, and the grey pixels of each.

Design choices
- A PDF is drawn by pdfium, an optional dependency, in a process of its own with limits of memory
  and time (`pdf_process`): whatever a file does, it is one ImageError with one line.
- Pages are drawn at the resolution of a good scan, and never with more pixels than an image may
  have.
- A file has so many pages at most; who wants more of a book splits it.
- A TIFF may carry small copies and masks of its pages along, as pictures among them: they say so,
  and are no pages.
"""

import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL.TiffTags import SHORT

from san.errors import brief, reason
from san.extras import install_hint
from san.images.decode_cost import Order, directory_tags
from san.images.limits import MAX_PIXELS
from san.images.open import Grey, ImageError, OpenCheck, claimed_price, open_image

SUFFIXES = (".pdf", ".tif", ".tiff")
PDF_MARK, PDF_HEAD = b"%PDF-", 1024
"""How a PDF names itself, within its first so many bytes."""
TIFF_MARKS = (b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
"""The last two of BigTIFF, whose numbers are twice as long."""
NEW_SUBFILE_TYPE, SMALL_COPY, MASK = 254, 1, 4
"""The tag of a TIFF's picture that says what it is to the others, and two of its bits."""
MAX_PAGES = 100
MAX_DIRECTORIES = 10 * MAX_PAGES
"""Pictures of a TIFF that are looked at: pages, and what each carries along."""
DPI = 200
MAX_PAGE_PIXELS = 16_000_000
"""Of a drawn page: a sheet of A3 at that resolution has 8 million."""
POLL_SECONDS = 0.1
"""After which it is asked again whether a page is still wanted."""
PDF_PRICE = 60_000_000
"""Of drawing a page, as `price_to_open` counts: half a second goes into the process alone."""


class PdfLimits(NamedTuple):
    """Of the process that draws one page."""

    bytes: int = 1 << 30
    seconds: int = 20  # of computing; by the clock twice as many


PDF_LIMITS = PdfLimits()


def is_document(name: str) -> bool:
    """Whether a file may have several pages, by its name."""
    return name.strip().lower().endswith(SUFFIXES)


def looks_like_pdf(content: bytes) -> bool:
    return PDF_MARK in content[:PDF_HEAD]


def count_pages(content: bytes) -> int:
    """Pages of a PDF or a TIFF, at most one more than MAX_PAGES; other images have one."""
    if looks_like_pdf(content):
        return min(_drawn(content, 1, 1, PDF_LIMITS, None)[0], MAX_PAGES + 1)
    return max(len(_tiff_pages(content)), 1)


def several_pages(content: bytes) -> str:
    """How to call a file that has several, "a TIFF of 3 pages"; nothing where it has one."""
    count = count_pages(content)
    many = f"more than {MAX_PAGES}" if count > MAX_PAGES else count
    kind = "PDF" if looks_like_pdf(content) else "TIFF"
    return f"a {kind} of {many} pages" if count > 1 else ""


def open_document_page(
    content: bytes, number: int, max_pixels: int, check: OpenCheck | None = None
) -> Grey:
    """Grey pixels of one page; the first has the number 1."""
    return open_counted_page(content, number, max_pixels, check)[1]


def open_counted_page(
    content: bytes,
    number: int,
    max_pixels: int,
    check: OpenCheck | None = None,
    limits: PdfLimits = PDF_LIMITS,
) -> tuple[int, Grey]:
    """How many pages there are, as `count_pages` has it, and the grey pixels of one."""
    if not 1 <= number <= MAX_PAGES:
        raise ImageError(f"pages have numbers from 1 to {MAX_PAGES}")
    if not looks_like_pdf(content):
        return count_pages(content), open_image(_from_page(content, number), max_pixels, check)
    count, grey = _drawn(content, number, min(max_pixels, MAX_PAGE_PIXELS), limits, check)
    return min(count, MAX_PAGES + 1), grey


def page_price(content: bytes, number: int, max_pixels: int = MAX_PIXELS) -> int:
    """What opening a page costs, as `claimed_price` has it for images."""
    if looks_like_pdf(content):
        return PDF_PRICE
    with suppress(ImageError):
        return claimed_price(_from_page(content, number), max_pixels)
    return 0


def _from_page(content: bytes, number: int) -> bytes:
    """The same file as if its first picture were that page: so every page is opened, and checked
    before that, as first pictures are."""
    pages = _tiff_pages(content)
    if number == 1 and not pages:
        return content
    if number > len(pages):
        raise ImageError(f"the file has no page {number}")
    pointer = 8 if _is_big(content) else 4
    start = pages[number - 1].to_bytes(pointer, _order(content))
    if content[pointer : 2 * pointer] == start:
        return content
    return content[:pointer] + start + content[2 * pointer :]


def _tiff_pages(content: bytes) -> list[int]:
    """Where the directory of each page begins, of one more than MAX_PAGES at most; none where it is
    no TIFF."""
    if not content.startswith(TIFF_MARKS):
        return []
    order, big = _order(content), _is_big(content)
    pointer, counter, entry = (8, 8, 20) if big else (4, 2, 12)
    pages: list[int] = []
    seen: dict[int, None] = {}  # in order
    start = int.from_bytes(content[pointer : 2 * pointer], order)
    while 0 < start < len(content) and start not in seen and len(seen) < MAX_DIRECTORIES:
        seen[start] = None
        if not _is_carried_along(content, start, order, big):
            pages.append(start)
            if len(pages) > MAX_PAGES:
                break
        tags = int.from_bytes(content[start : start + counter], order)
        end = start + counter + tags * entry
        start = int.from_bytes(content[end : end + pointer], order)
    return pages or [*seen][:1]  # where all are small, one of them is what there is


def _is_carried_along(content: bytes, start: int, order: Order, big: bool) -> bool:
    """Whether a picture of a TIFF is a small copy or a mask of another. Tags are in ascending
    order, and no picture has a lower one: it is the first, or not there."""
    for tag in directory_tags(content, start, order, big, max_count=1):
        if tag.number == NEW_SUBFILE_TYPE:
            value = int.from_bytes(tag.where[: 2 if tag.kind == SHORT else 4], order)
            return bool(value & (SMALL_COPY | MASK))
    return False


def _order(content: bytes) -> Order:
    return "little" if content.startswith(b"II") else "big"


def _is_big(content: bytes) -> bool:
    return content.startswith(TIFF_MARKS[2:])


def _drawn(
    content: bytes, number: int, max_pixels: int, limits: PdfLimits, check: OpenCheck | None
) -> tuple[int, Grey]:
    """The number of pages, and the grey pixels of one."""
    if find_spec("pypdfium2") is None:
        raise ImageError(f"a PDF: {install_hint('pdf')} to open it, or save its pages as pictures")
    worker = Path(__file__).with_name("pdf_process.py")
    command = [sys.executable, str(worker), *map(str, (number, DPI, max_pixels, *limits))]
    try:
        status, output, said = _finished(command, content, 2 * limits.seconds, check)
    except subprocess.TimeoutExpired:
        raise ImageError(f"page {number} of the PDF takes too long to draw") from None
    except OSError as error:
        raise ImageError(f"the PDF cannot be drawn: {brief(reason(error))}") from error
    head, _, pixels = output.partition(b"\n")
    facts = head.split()
    if status or len(facts) != 3:
        why = said.decode(errors="replace").strip().splitlines()
        because = brief(why[-1]) if why and status > 0 else "too large, or damaged"
        raise ImageError(f"page {number} of the PDF cannot be drawn: {because}")
    count, columns, rows = map(int, facts)
    return count, np.frombuffer(pixels, np.uint8).reshape(rows, columns).copy()


def _finished(
    command: list[str], content: bytes, seconds: float, check: OpenCheck | None
) -> tuple[int, bytes, bytes]:
    """Status, output and errors of a process that is given `content`; it does not outlive who waits
    for it, nor what `check` raises."""
    # A file and not a pipe: a `communicate` that timed out once never sends the rest of its input.
    until, pipe = time.monotonic() + seconds, subprocess.PIPE
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        process = subprocess.Popen(command, stdin=file, stdout=pipe, stderr=pipe)
    with process:
        try:
            while True:
                if check is not None:
                    check()
                try:
                    output, said = process.communicate(timeout=POLL_SECONDS)
                    return process.returncode, output, said
                except subprocess.TimeoutExpired:
                    if time.monotonic() > until:
                        raise
        except BaseException:
            process.kill()
            raise
