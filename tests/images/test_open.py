"""Opening images: what a person sees comes out, and hostile files are one clear error."""

import io
import logging
import struct
import sys
import tracemalloc
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from san.images.open import (
    FORMATS,
    ImageError,
    grey_of,
    is_image,
    is_photograph,
    open_image,
)


def saved(image: Image.Image, form: str, **options: object) -> bytes:
    file = io.BytesIO()
    image.save(file, form, **options)
    return file.getvalue()


def grey_ramp() -> np.ndarray:
    return np.arange(0, 240, dtype=np.uint8).reshape(12, 20)


def bomb() -> bytes:
    """A PNG of a few bytes that claims 60,000 x 60,000 pixels."""

    def chunk(name: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + checksum

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 1000))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")


@pytest.mark.parametrize("form", ["PNG", "BMP", "TIFF", "GIF"])
def test_exact_formats_give_the_pixels_back(form: str) -> None:
    opened = open_image(saved(Image.fromarray(grey_ramp()), form))
    assert opened.dtype == np.uint8
    assert (opened == grey_ramp()).all()


@pytest.mark.parametrize("form", ["JPEG", "WEBP"])
def test_lossy_formats_give_them_roughly(form: str) -> None:
    opened = open_image(saved(Image.fromarray(grey_ramp()), form, quality=95))
    assert np.abs(opened.astype(int) - grey_ramp()).max() < 12


def test_a_file_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "ramp.png"
    path.write_bytes(saved(Image.fromarray(grey_ramp()), "PNG"))
    assert (open_image(path) == grey_ramp()).all()


def test_what_is_transparent_is_white_paper() -> None:
    image = Image.new("RGBA", (4, 3), (0, 0, 0, 0))
    image.putpixel((1, 2), (0, 0, 0, 255))
    opened = open_image(saved(image, "PNG"))
    assert opened[2, 1] == 0
    assert (np.delete(opened.ravel(), 2 * 4 + 1) == 255).all()


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_light_ink_on_nothing_lies_on_black(mode: str) -> None:
    """As it is copied out of a dark window; its plain twin is dark ink on nothing."""
    ink = np.zeros((9, 12), np.uint8)
    ink[2:7, 3:9] = 255
    ink[4, 5] = 140  # half seen
    opened = {}
    for name, grey in (("light", 245), ("dark", 10)):
        image = Image.merge("LA", [Image.new("L", (12, 9), grey), Image.fromarray(ink)])
        image = image.convert("RGBA")
        converted = image.quantize(8) if mode == "P" else image.convert(mode)
        opened[name] = open_image(saved(converted, "PNG")).astype(int)
    assert np.abs(opened["light"] - (255 - opened["dark"])).max() <= 3
    assert opened["light"][0, 0] == 0


def test_a_white_sheet_with_dark_ink_and_nothing_around_it_stays_on_white() -> None:
    image = Image.new("RGBA", (40, 30), (0, 0, 0, 0))
    image.paste((255, 255, 255, 255), (5, 5, 35, 25))
    image.paste((20, 20, 20, 255), (10, 10, 30, 13))
    opened = open_image(saved(image, "PNG"))
    assert opened[0, 0] == opened[20, 20] == 255
    assert opened[11, 20] == 20


def test_the_camera_says_which_way_is_up() -> None:
    exif = Image.Exif()
    exif[274] = 6  # the camera was turned by a quarter
    opened = open_image(saved(Image.fromarray(grey_ramp()), "PNG", exif=exif))
    assert (opened == np.rot90(grey_ramp(), -1)).all()


def test_sixteen_bits_become_eight() -> None:
    deep = Image.fromarray(grey_ramp().astype(np.uint16) * 257)
    assert (open_image(saved(deep, "PNG")) == grey_ramp()).all()


def test_the_lightness_of_a_lab_scan_is_grey() -> None:
    channels = [Image.fromarray(grey_ramp()), *[Image.new("L", (20, 12), 128)] * 2]
    opened = open_image(saved(Image.merge("LAB", channels), "TIFF"))
    assert (opened == grey_ramp()).all()


def test_the_first_frame_of_an_animation() -> None:
    frames = [Image.new("L", (5, 4), value) for value in (10, 200)]
    opened = open_image(saved(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert (opened == 10).all()


def test_a_bomb_is_refused_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    def decoded(*_: object) -> None:
        raise AssertionError("pixels were decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decoded)
    with pytest.raises(ImageError, match="more than 64,000,000 pixels"):
        open_image(bomb())


def test_the_limit_is_the_callers() -> None:
    content = saved(Image.fromarray(grey_ramp()), "PNG")
    with pytest.raises(ImageError, match="20 x 12 is more than 239 pixels"):
        open_image(content, max_pixels=239)
    assert open_image(content, max_pixels=240).size == 240


def test_other_formats_are_not_even_tried() -> None:
    assert set(FORMATS) == {"PNG", "JPEG", "WEBP", "BMP", "TIFF", "GIF"}
    for form in ("PPM", "PDF", "EPS"):
        with pytest.raises(ImageError, match="not a PNG, JPEG"):
            open_image(saved(Image.fromarray(grey_ramp()), form))


def test_empty_missing_and_foreign_files(tmp_path: Path) -> None:
    with pytest.raises(ImageError, match=r"^the file is empty$"):
        open_image(b"")
    with pytest.raises(ImageError, match="not a PNG, JPEG"):
        open_image(b"x^2, but not as a picture")
    with pytest.raises(ImageError, match=r"none\.png: no such file"):
        open_image(tmp_path / "none.png")
    (tmp_path / "text.png").write_text("no picture")
    with pytest.raises(ImageError, match=r"text\.png: not a PNG, JPEG"):
        open_image(tmp_path / "text.png")


@pytest.mark.parametrize("form", FORMATS)
def test_damage_is_an_image_error_and_nothing_else(form: str) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (40, 60), np.uint8)
    content = saved(Image.fromarray(noise), form)
    random = np.random.default_rng(1)
    refused = []
    for _ in range(60):
        damaged = bytearray(content[: random.integers(1, len(content))])
        for place in random.integers(0, len(damaged), 4):
            damaged[place] = random.integers(256)
        try:
            assert open_image(bytes(damaged)).ndim == 2  # a decoder may shrug a flaw off
        except ImageError as error:
            refused.append(str(error))
    assert len(refused) > 10
    assert all("\n" not in line for line in refused)


@pytest.mark.parametrize("kind", [np.uint16, np.int32, np.float32])
def test_deep_pixels_are_brought_to_eight_bits_in_little_memory(kind: type[np.number]) -> None:
    values = np.arange(3_000_000).reshape(1500, 2000) % 65536
    content = saved(Image.fromarray(values.astype(kind)), "TIFF")
    tracemalloc.start()
    try:
        opened = open_image(content)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (opened == np.rint(values / 257)).all()
    assert peak < 18 * values.size  # in double precision, all at once, it takes 24 and more


def test_what_pillow_logs_of_a_file_is_not_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # as where nobody configures any
    tiff = saved(Image.fromarray(grey_ramp()).convert("RGB"), "TIFF")
    samples, odd = (struct.pack("<HHLL", 277, 3, 1, count) for count in (3, 44_035))  # of a pixel
    assert samples in tiff
    with pytest.raises(ImageError):
        open_image(tiff.replace(samples, odd))
    assert capsys.readouterr() == ("", "")


def test_floats_between_nothing_and_one() -> None:
    values = np.linspace(0, 1, 200, dtype=np.float32).reshape(10, 20)
    assert (open_image(saved(Image.fromarray(values), "TIFF")) == np.rint(values * 255.0)).all()
    for odd in (np.nan, np.inf, -np.inf):
        values[3, 4] = odd
        with pytest.raises(ImageError, match="not a finite number"):
            open_image(saved(Image.fromarray(values), "TIFF"))


def heic() -> bytes:
    pillow_heif = pytest.importorskip("pillow_heif")
    file = io.BytesIO()
    picture = np.pad(np.zeros((20, 30, 3), np.uint8), ((20, 24), (10, 24), (0, 0)), "maximum")
    picture[20:40, 10:40] = 255  # a white patch on black
    pillow_heif.from_pillow(Image.fromarray(picture)).save(file, quality=95)
    return file.getvalue()


def test_a_telephones_heic() -> None:
    opened = open_image(heic())
    assert opened.shape == (64, 64)
    assert opened[30, 25] > 240
    assert opened[5, 5] < 15
    with pytest.raises(ImageError, match="64 x 64 is more than 100 pixels"):
        open_image(heic(), max_pixels=100)


def test_heic_without_its_decoder_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    with pytest.raises(ImageError, match=r"HEIC.*pip install '\.\[heic\]'"):
        open_image(b"\0\0\0\x18ftypheic" + b"\0" * 40)


def test_damaged_heic_is_an_image_error() -> None:
    content = heic()
    for end in (30, len(content) // 2, len(content) - 5):
        with pytest.raises(ImageError) as caught:
            open_image(content[:end])
        assert "\n" not in str(caught.value)


def test_names() -> None:
    assert is_image("a.PNG")
    assert is_image("download.jfif")  # as browsers on Windows name a JPEG
    assert not is_image("a.heic")  # such a file is only ever read
    assert is_photograph("a.HEIC")
    assert is_photograph("a.png")


def test_arrays_of_every_depth_are_the_same_picture() -> None:
    ramp = grey_ramp()
    colours = np.stack([ramp] * 3, axis=2)
    for pixels in (
        ramp,
        ramp[:, :, None],
        colours,
        np.dstack([colours, np.full_like(ramp, 255)]),
        ramp.astype(np.uint16) * 257,
        ramp.astype(np.int64),
        ramp / 255,
        colours.astype(np.float32) / 255,
        np.repeat(ramp, 2, axis=1)[:, ::2],
    ):
        grey = grey_of(pixels)
        assert grey.dtype == np.uint8
        assert np.abs(grey.astype(int) - ramp).max() <= 1
    two = np.arange(12).reshape(3, 4) % 2
    for pixels in (two.astype(bool), two.astype(np.uint8), two.astype(float)):
        assert (grey_of(pixels) == two * 255).all()


def test_colours_and_transparency_of_an_array() -> None:
    red = np.zeros((4, 5, 4), np.uint8)
    red[..., 0] = 255
    assert (grey_of(red) == 255).all()  # nothing but transparent: white paper
    assert (grey_of(red[..., :3]) == 76).all()


def test_an_open_image_is_not_turned_under_the_callers_hands() -> None:
    image = Image.fromarray(grey_ramp())
    image.getexif()[274] = 6
    assert grey_of(image).shape == (20, 12)
    assert image.size == (20, 12)
    with pytest.raises(ImageError, match="more than 9 pixels"):
        grey_of(image, max_pixels=9)


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "TIFF"])
def test_an_open_image_that_is_closed_is_not_damaged(form: str) -> None:
    content = saved(Image.fromarray(grey_ramp()), form)
    for end in ("verify", "close"):
        image = Image.open(io.BytesIO(content))
        getattr(image, end)()
        with pytest.raises(ImageError, match="is closed, as after verify"):
            grey_of(image)
