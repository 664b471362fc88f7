"""Files that are made to take long are refused; odd ones that programs write are not."""

import io
import struct
import zlib

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from san.images.decode_cost import MAX_BMP_READS, MAX_READS, MAX_STRIPS, MAX_TAG_NUMBERS
from san.images.open import ImageError, claimed_price, open_image

INK = Image.fromarray(np.random.default_rng(0).integers(0, 256, (40, 60), np.uint8))


def saved(form: str, **options: object) -> bytes:
    file = io.BytesIO()
    INK.save(file, form, **options)
    return file.getvalue()


def chunk(name: bytes, data: bytes = b"") -> bytes:
    checksum = struct.pack(">I", zlib.crc32(name + data))
    return struct.pack(">I", len(data)) + name + data + checksum


def png(before: bytes = b"", after: bytes = b"") -> bytes:
    """A PNG with more chunks before and behind its pixels."""
    plain = saved("PNG")
    return plain[:33] + before + plain[33:-12] + after + plain[-12:]


def jpeg(more: bytes) -> bytes:
    plain = saved("JPEG")
    return plain[:2] + more + plain[2:]


def gif(more: bytes) -> bytes:
    plain = saved("GIF")
    at = 13 + 3 * 256  # behind the palette
    return plain[:at] + more + plain[at:]


def scans(count: int) -> bytes:
    """A JPEG whose last scan, without its data, comes again and again."""
    plain = saved("JPEG", progressive=True)
    last = plain.rindex(b"\xff\xda")
    return plain[:-2] + plain[last : last + 10] * count + plain[-2:]


def strips(count: int) -> bytes:
    """A raw TIFF of one column, with a strip for every row."""
    tags = {256: 1, 257: count, 258: 8, 259: 1, 262: 1, 273: 0, 277: 1, 278: 1, 279: 0}
    base = 8 + 2 + 12 * len(tags) + 4
    tags |= {273: base, 279: base + 4 * count}
    entries = (
        struct.pack("<HHLL", tag, 4, count if tag in (273, 279) else 1, value)
        for tag, value in tags.items()
    )
    head = b"II*\0" + struct.pack("<LH", 8, len(tags)) + b"".join(entries) + bytes(4)
    return head + struct.pack("<L", 8) * count + struct.pack("<L", 1) * count


def runs(count: int, pixels: NDArray[np.uint8]) -> bytes:
    """A BMP of runs one pixel long, behind so many that are of no length because a row is full."""
    rows = [b"".join(bytes((1, pixel)) for pixel in row) for row in pixels[::-1].tolist()]
    data = rows[0] + b"\1\0" * count + b"\0\0".join((b"", *rows[1:])) + b"\0\1"
    colours = b"".join(bytes((grey, grey, grey, 0)) for grey in range(256))
    sizes = (40, pixels.shape[1], pixels.shape[0], 1, 8, 1, len(data), 0, 0, 256, 256)
    start = 14 + 40 + len(colours)
    head = b"BM" + struct.pack("<LHHL", start + len(data), 0, 0, start)
    return head + struct.pack("<LLLHHLLLLLL", *sizes) + colours + data


def noted(tag: int, kind: int, values: int, width: int, *also: tuple[int, int, int, int]) -> bytes:
    """The tags of a small TIFF, one of them with many values behind all others; turned by 90."""
    own = {256: (4, 1, 60), 257: (4, 1, 40), 258: (3, 1, 8), 259: (3, 1, 1), 262: (3, 1, 1)}
    own |= {273: (4, 1, 600), 274: (3, 1, 6), 277: (3, 1, 1), 278: (4, 1, 40), 279: (4, 1, 2400)}
    own |= {tag: (kind, values, 4000)} | {other: rest for other, *rest in also}
    entries = b"".join(struct.pack("<HHLL", key, *own[key]) for key in sorted(own))
    head = b"II*\0" + struct.pack("<LH", 8, len(own)) + entries
    return head.ljust(4000, b"\0") + struct.pack("<LL", 3, 7) * -(-values * width // 8)


def within(tag: int) -> bytes:
    """A TIFF whose tag leads to a directory with many fractions."""
    inner = struct.pack("<HHHLL", 1, 33434, 5, 100_000, 3500)
    plain = noted(315, 5, 100_000, 8, (tag, 4, 1, 3400))
    plain = plain.replace(
        struct.pack("<HHLL", 315, 5, 100_000, 4000), struct.pack("<HHLL", 315, 7, 1, 0)
    )
    return plain[:3400] + inner + plain[3400 + len(inner) :]


PROFILE = chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(1000)))
MAX_EXIF_BYTES = b"\xff\xe1\0\x0aExif\0\0II"
NOTES = b"\xff\xed\0\x10Photoshop 3.0\0"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (png(before=chunk(b"abCd") * MAX_READS), "pieces"),
        (png(before=chunk(b"tEXt", b"a\0b") * MAX_READS), "pieces"),
        (png(after=chunk(b"IDAT") * MAX_READS), "pieces"),
        (png(after=chunk(b"abCd") * MAX_READS), "pieces"),
        (png(before=PROFILE * 11), "colour profiles"),
        (png(after=PROFILE * 11), "colour profiles"),
        (jpeg(b"\xff\xfe\0\2" * MAX_READS), "pieces"),
        (jpeg(b"\xff" * 2 * MAX_READS), "pieces"),
        (jpeg(MAX_EXIF_BYTES * 51), "Exif"),
        (jpeg(NOTES * 51), "Photoshop"),
        (scans(100), "scans"),
        (gif(b"!\xfe\1a\0" * MAX_READS), "pieces"),
        (gif(b"!\xfe" + b"\1a" * MAX_READS + b"\0"), "pieces"),
        (runs(MAX_BMP_READS // 2, np.asarray(INK)), "pieces"),
        (strips(MAX_STRIPS + 1), "strips"),
        (noted(258, 5, 100_000, 8), "numbers"),  # decoded, and compared with what is known
        (noted(274, 10, 100_000, 8), "numbers"),
        (noted(273, 5, 100_000, 8), "numbers"),
        (noted(315, 3, MAX_TAG_NUMBERS, 2), "numbers"),
        (within(34665), "numbers"),
        (noted(34665, 3, 1, 2), "not where"),
        (png(before=chunk(b"eXIf", noted(315, 5, 125_000, 8))), "of Exif"),
        (png(after=chunk(b"eXIf", noted(315, 5, 125_000, 8))), "of Exif"),
        (saved("WEBP", exif=b"Exif\0\0" + noted(315, 5, 125_000, 8)), "of Exif"),
    ],
)
@pytest.mark.slow
def test_files_that_are_made_to_take_long(content: bytes, why: str) -> None:
    with pytest.raises(ImageError, match=f"^the image is damaged: .*{why}"):
        open_image(content)


def test_nor_does_their_size_take_long() -> None:
    assert 2_400 < claimed_price(saved("PNG")) < 5_000
    assert claimed_price(png(before=chunk(b"abCd") * MAX_READS)) == 0
    assert claimed_price(png(before=PROFILE * 11)) == 0


@pytest.mark.slow
def test_odd_files_that_programs_write() -> None:
    pixels = zlib.compress(b"".join(b"\0" + bytes(row) for row in np.asarray(INK)), 0)
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 60, 40, 8, 0, 0, 0, 0))
    crumbs = b"".join(chunk(b"IDAT", bytes([byte])) for byte in pixels)
    opened = open_image(b"\x89PNG\r\n\x1a\n" + head + crumbs + chunk(b"IEND"))
    assert (opened == np.asarray(INK)).all()
    assert (open_image(runs(MAX_READS, np.asarray(INK))) == np.asarray(INK)).all()
    assert open_image(scans(80)).shape == (40, 60)
    # A telephone's short film behind the photograph.
    film = np.random.default_rng(1).bytes(10_000_000)
    assert film.count(b"\xff\xda") > 100
    assert open_image(saved("JPEG") + film).shape == (40, 60)
    assert open_image(strips(30_000)).shape == (30_000, 1)
    assert open_image(saved("TIFF", big_tiff=True)).shape == (40, 60)
    exif = noted(315, 5, 20_000, 8)
    assert open_image(exif).shape == (60, 40)
    assert open_image(png(after=chunk(b"eXIf", exif))).shape == (60, 40)
    camera = Image.Exif()
    camera[274] = 8
    camera.get_ifd(34665)[33434] = 0.01
    camera.get_ifd(34853)[2] = (48.0, 8.0, 14.0)
    assert open_image(saved("TIFF", exif=camera)).shape == (60, 40)
    assert open_image(saved("TIFF", exif=camera, big_tiff=True)).shape == (60, 40)
