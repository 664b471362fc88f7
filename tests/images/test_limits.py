"""No image costs more than its head says: sides, pixels of a format, memory, prices."""

import io
import struct
import subprocess
import sys
import zlib

import numpy as np
import pytest
from PIL import Image, ImageOps

from san.images.limits import MAX_FORMAT_PIXELS, MAX_SIDE, ImageError, check_size
from san.images.open import claimed_price, grey_of, open_image
from tests.images.test_decode_cost import chunk, runs, scans

MEGAPIXELS = 64
PEAK = """
import sys
from san.images.open import open_image
kind, side = sys.argv[1], int(sys.argv[2])
def peak():
    return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024
content = sys.stdin.buffer.read()
before = peak()
assert open_image(content).shape == (side, side)
print(peak() - before)
"""


def saved(image: Image.Image, form: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


@pytest.mark.parametrize("size", [(MAX_SIDE + 1, 1), (1, MAX_SIDE + 1), (1, 12_900_000)])
def test_a_side_is_bounded_before_anything_is_decoded(
    size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", *size, 8, 0, 0, 0, 0))
    content = b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND")

    def decoded(*_: object) -> None:
        raise AssertionError("pixels were decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decoded)
    with pytest.raises(ImageError, match="a side has at most 65,535 pixels"):
        open_image(content)
    pixels = np.broadcast_to(np.uint8(0), size[::-1])
    with pytest.raises(ImageError, match="a side has at most"):
        grey_of(pixels)


def test_tall_strips_are_opened() -> None:
    screenshot = Image.new("L", (60, 30_000), 255)
    assert open_image(saved(screenshot, "PNG")).shape == (30_000, 60)
    assert open_image(saved(Image.new("1", (1, MAX_SIDE)), "PNG")).shape == (MAX_SIDE, 1)


def test_a_format_that_takes_much_memory_is_allowed_fewer_pixels() -> None:
    side = int(MAX_FORMAT_PIXELS["WEBP"] ** 0.5)
    check_size(side, side, 64_000_000, "WEBP")
    check_size(side + 1, side + 1, 64_000_000, "JPEG")
    with pytest.raises(ImageError, match="too much for WEBP: save it as JPEG or PNG"):
        check_size(side + 1, side + 1, 64_000_000, "WEBP")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux how much memory was taken")
@pytest.mark.parametrize("kind", ["png", "webp", "deflate"])
def test_no_picture_takes_a_gigabyte(kind: str) -> None:
    """Measured at a quarter of the largest, of what takes most: transparent colours."""
    limit = MAX_FORMAT_PIXELS.get(kind.upper(), MEGAPIXELS * 1_000_000)
    side = int((limit // 4) ** 0.5)
    clear = Image.new("RGBA", (side, side), (10, 20, 30, 99))
    content = {
        "png": lambda: saved(clear, "PNG", compress_level=1),
        "webp": lambda: saved(clear, "WEBP", lossless=True, method=0, quality=0),
        "deflate": lambda: saved(clear, "TIFF", compression="tiff_adobe_deflate"),
    }[kind]()
    command = [sys.executable, "-c", PEAK, kind, str(side)]
    taken = subprocess.run(command, input=content, capture_output=True, check=True).stdout
    assert 4 * int(taken) < 900


@pytest.mark.parametrize("orientation", range(1, 9))
def test_turned_as_pillow_turns(orientation: int) -> None:
    image = Image.fromarray(np.arange(12, dtype=np.uint8).reshape(3, 4))
    image.getexif()[274] = orientation
    expected = np.asarray(ImageOps.exif_transpose(image))
    assert (grey_of(image) == expected).all()


def test_bands_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    colours = Image.fromarray(random.integers(0, 256, (50, 40, 4), np.uint8))
    palette = colours.convert("RGB").quantize(16)
    palette.info["transparency"] = 3
    deep = Image.fromarray(random.integers(0, 65536, (50, 40), np.uint16))
    for image in (colours, palette, deep, colours.convert("CMYK"), colours.convert("1")):
        whole = grey_of(image)
        monkeypatch.setattr("san.images.grey.BAND", 120)
        assert (grey_of(image) == whole).all()
        monkeypatch.undo()


def test_prices_tell_slow_formats_from_quick_ones() -> None:
    grey, clear = Image.new("L", (300, 200)), Image.new("RGBA", (300, 200))
    jpeg, png = claimed_price(saved(grey, "JPEG")), claimed_price(saved(clear, "PNG"))
    assert 60_000 <= jpeg < 62_000
    assert png > 3 * jpeg
    assert claimed_price(saved(clear, "WEBP", lossless=True)) > 3 * jpeg
    assert claimed_price(scans(90)) > 5 * claimed_price(scans(1))
    strip = claimed_price(saved(Image.new("1", (1, 60_000)), "PNG"))
    assert strip > 13_000_000  # of few pixels, but long
    assert claimed_price(saved(Image.new("1", (20, 9_000)), "PNG")) < 400_000
    pixels = np.zeros((40, 60), np.uint8)
    assert claimed_price(runs(10_000, pixels)) > 1_000_000  # a hundredth of a second


def test_opening_ends_when_a_check_raises() -> None:
    class LateError(Exception):
        pass

    calls = []

    def late() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise LateError

    noise = np.random.default_rng(0).integers(0, 256, (2000, 2000), np.uint8)
    content = saved(Image.fromarray(noise), "PNG", compress_level=0)
    with pytest.raises(LateError):
        open_image(content, check=late)
    assert open_image(content, check=lambda: None).shape == (2000, 2000)
