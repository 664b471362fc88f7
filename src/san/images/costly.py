"""Image files that would take far longer to open than their size lets expect.

Pillow walks through a file's head, and through the chunks of a PNG, in Python; of 16 MB made for it
that takes ten seconds or a minute. What no camera and no program writes is refused, in three ways:

- Whatever the format: reads are counted (chunks of a PNG, segments of a JPEG, blocks of a GIF,
  strips of a TIFF).
- Parts that a file has once and that are dear each time: a PNG's colour profile is unpacked, a
  JPEG's Exif is joined to those before it, Photoshop's notes are taken apart, and a scan of a JPEG
  goes over the whole picture.
- A TIFF's strips, each of which becomes an object before the first is read.
"""

import io
import re

from PIL.TiffImagePlugin import PREFIXES, STRIPOFFSETS, TILEOFFSETS, ImageFileDirectory_v2

READS = 100_000
"""Of one file: 64 MB of PNG in the usual chunks take 25,000, and so many a fifth of a second."""
STRIPS = 100_000
"""Of a TIFF, or tiles: rows of the tallest scans, one by one."""
REPEATS = (
    (b"\x89PNG", re.compile(b"iCCP"), 10, "colour profiles"),
    (b"\xff\xd8", re.compile(rb"Exif\0\0"), 50, "Exif parts"),
    (b"\xff\xd8", re.compile(rb"Photoshop 3\.0\0"), 50, "Photoshop parts"),
    # As long as its number of colours says: anything else libjpeg refuses.
    (b"\xff\xd8", re.compile(rb"\xff\xda\0(?:\x08\x01|\x0a\x02|\x0c\x03|\x0e\x04)"), 100, "scans"),
)
"""How a file begins, what may occur in it so often, and its name. One or two are usual, of scans
ten; a few more may be there by chance, or in the pictures that a JPEG carries along."""


class Counted(io.BytesIO):
    """A file in memory that is not read for ever."""

    _left = READS

    def read(self, size: int | None = -1, /) -> bytes:
        self._left -= 1
        if self._left < 0:
            raise ValueError(f"in more than {READS:,} pieces")
        return super().read(size)


def check_cost(content: bytes) -> None:
    """ValueError, with the reason, for a file that is not to be opened."""
    for head, part, most, name in REPEATS:
        if content.startswith(head) and len(part.findall(content)) > most:
            raise ValueError(f"more than {most} {name}")
    if content[:4] in PREFIXES and _strips(content) > STRIPS:
        raise ValueError(f"more than {STRIPS:,} strips")


def _strips(content: bytes) -> int:
    file = Counted(content)
    tags = ImageFileDirectory_v2(file.read(16 if content[2] == 43 else 8))  # 43: BigTIFF
    file.seek(tags.next)
    tags.load(file)
    return max(len(tags.get(places, ())) for places in (STRIPOFFSETS, TILEOFFSETS))
