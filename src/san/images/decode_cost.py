"""Refuses image files that would take far longer to open than their size suggests.

Pillow walks through a file's head, and through the chunks of a PNG, in Python; of 16 MB made for it
that takes ten seconds or a minute. What no camera and no program writes is refused, in four ways:

- Whatever the format: reads are counted (chunks of a PNG, segments of a JPEG, blocks of a GIF,
  strips of a TIFF).
- Parts that a file has once and that are dear each time: a PNG's colour profile is unpacked, a
  JPEG's Exif is joined to those before it, Photoshop's notes are taken apart, and a scan of a JPEG
  goes over the whole picture.
- A TIFF's strips, each of which becomes an object before the first is read.
- Other numbers in a TIFF's tags, which become objects as well, and dearer ones where they are
  fractions; and Exif, which has the same tags, by its size.
"""

import io
import re
import struct
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from PIL.ExifTags import IFD
from PIL.TiffImagePlugin import COMPRESSION, PREFIXES, STRIPOFFSETS, TILEOFFSETS
from PIL.TiffTags import ASCII, BYTE, LONG, LONG8, RATIONAL, SHORT, SIGNED_RATIONAL, UNDEFINED
from PIL.TiffTags import IFD as POINTER

from san.images.quiet_tiff import check_fax

Order = Literal["little", "big"]

MAX_READS = 100_000
"""Of one file: 64 MB of PNG in the usual chunks take 25,000, and so many a fifth of a second."""
MAX_BMP_READS = 2_000_000
"""Of a BMP, whose runs of one colour are read byte by byte: a grainy page has 800,000 runs, which
take a second."""
READS_A_CHECK = 16
"""Reads between two looks at the clock: some read byte by byte."""
MAX_STRIPS = 100_000
"""Of a TIFF, or tiles: rows of the tallest scans, one by one."""
MAX_TAG_NUMBERS = 300_000
"""In a TIFF's tags: where so many strips lie, and how long they are, with some to spare."""
FRACTION_COST = 10
"""Numbers that are as quick as one fraction."""
MAX_DIRECTORIES = 10
"""Of tags: four are usual."""
MAX_EXIF_BYTES = 1_000_000
"""Bytes: a part of a JPEG has room for 65,533."""
MAX_REPEATS = (
    (b"\x89PNG", re.compile(b"iCCP"), 10, "colour profiles"),
    (b"\xff\xd8", re.compile(rb"Exif\0\0"), 50, "Exif parts"),
    (b"\xff\xd8", re.compile(rb"Photoshop 3\.0\0"), 50, "Photoshop parts"),
    # As long as its number of colours says: anything else libjpeg refuses.
    (b"\xff\xd8", re.compile(rb"\xff\xda\0(?:\x08\x01|\x0a\x02|\x0c\x03|\x0e\x04)"), 100, "scans"),
)
"""How a file begins, what may occur in it so often, and its name. One or two are usual, of scans
ten; a few more may be there by chance, or in the pictures that a JPEG carries along."""


class ReadCounter(io.BytesIO):
    """A file in memory that is not read for ever; `check` may end it by raising."""

    def __init__(self, content: bytes, check: Callable[[], None] | None = None) -> None:
        super().__init__(content)
        self._max_reads = self._left = MAX_BMP_READS if content.startswith(b"BM") else MAX_READS
        self._check = check

    def read(self, size: int | None = -1, /) -> bytes:
        self._left -= 1
        if self._check is not None and self._left % READS_A_CHECK == 0:
            self._check()
        if self._left < 0:
            raise ValueError(f"in more than {self._max_reads:,} pieces")
        return super().read(size)


def check_cost(content: bytes) -> None:
    """ValueError, with the reason, for a file that is not to be opened."""
    for head, part, max_count, name in MAX_REPEATS:
        if content.startswith(head) and len(part.findall(content)) > max_count:
            raise ValueError(f"more than {max_count} {name}")
    if content[:4] in PREFIXES:
        _check_tags(content)


def check_exif(exif: bytes) -> None:
    """The same for what an open image has of it: a PNG may have it behind its pixels."""
    if len(exif) > MAX_EXIF_BYTES:
        raise ValueError(f"more than {MAX_EXIF_BYTES:,} bytes of Exif")


class Tag(NamedTuple):
    """An entry of a TIFF's directory."""

    number: int
    kind: int
    values: int
    where: bytes  # they are; few and small ones are here themselves


def _check_tags(content: bytes) -> None:
    """Of the first picture, which is the one that is opened, with all directories it leads to."""
    big = content[2] == 43  # BigTIFF
    order: Order = "little" if content[:2] == b"II" else "big"
    starts = [content[8:16] if big else content[4:8]]
    numbers = 0
    for start in starts:  # which grows meanwhile
        for tag in directory_tags(content, int.from_bytes(start, order), order, big):
            if tag.number in (STRIPOFFSETS, TILEOFFSETS) and tag.values > MAX_STRIPS:
                raise ValueError(f"more than {MAX_STRIPS:,} strips")
            if tag.number == COMPRESSION:
                check_fax(int.from_bytes(tag.where[:2] if tag.kind == SHORT else tag.where, order))
            if tag.kind not in (BYTE, ASCII, UNDEFINED):
                is_fraction = tag.kind in (RATIONAL, SIGNED_RATIONAL)
                numbers += tag.values * (FRACTION_COST if is_fraction else 1)
            if tag.number in (IFD.Exif, IFD.GPSInfo, IFD.Interop):
                width = {LONG: 4, POINTER: 4, LONG8: 8}.get(tag.kind, 9)
                if width > len(tag.where) or tag.values != 1 or len(starts) == MAX_DIRECTORIES:
                    raise ValueError("its Exif is not where it should be")
                starts.append(tag.where[:width])
    if numbers > MAX_TAG_NUMBERS:
        raise ValueError(f"more than {MAX_TAG_NUMBERS:,} numbers in its tags")


def directory_tags(
    content: bytes, start: int, order: Order, big: bool, max_count: int | None = None
) -> Iterator[Tag]:
    """Of a directory, all or the first few; where it ends too early, Pillow tells."""
    first = start + (8 if big else 2)
    entry = struct.Struct(("<" if order == "little" else ">") + ("HHQ8s" if big else "HHL4s"))
    count = int.from_bytes(content[start:first], order)
    count = count if max_count is None else min(count, max_count)
    entries = content[first : first + count * entry.size]
    whole = len(entries) // entry.size * entry.size
    return map(Tag._make, entry.iter_unpack(entries[:whole]))
