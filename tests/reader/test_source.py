"""Whatever people hand over is read alike."""

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from san.errors import SanError
from san.ink import Ink, draw, write_inkml
from san.reader import Limits, Source
from san.reader.source import (
    DocumentPage,
    checked_pages,
    load_source,
    name_of,
    open_source,
    source_bytes,
)
from tests.data.drawn import encoded
from tests.images.test_documents import document, tiff_of
from tests.ink.formulas import fraction

SHEET = fraction()
PICTURE = draw(SHEET.ink)
AMPLE = Limits()
LARGE = b"x" * 100_000  # more than a pipe holds
DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>\n'


def test_a_picture_in_every_wrapping(tmp_path: Path) -> None:
    path = tmp_path / "fraction.dat"  # its bytes tell what it is, not its name
    path.write_bytes(encoded(PICTURE))
    colours = np.stack([PICTURE] * 3, axis=2)
    sources: list[Source] = [
        path,
        str(path),
        encoded(PICTURE, "BMP"),
        PICTURE,
        PICTURE > 0,
        PICTURE / 255,
        PICTURE // 255,
        PICTURE.astype(np.uint16) * 257,
        colours,
        np.dstack([colours, np.full_like(PICTURE, 255)]),
        Image.fromarray(PICTURE),
        Image.fromarray(colours),
        SHEET,
        SHEET.ink,
        write_inkml(SHEET),
        b"\xef\xbb\xbf" + write_inkml(SHEET),
        b" " * 300 + write_inkml(SHEET).removeprefix(DECLARATION),
    ]
    for number, source in enumerate(sources):
        assert (open_source(source, AMPLE).picture == PICTURE).all(), number


def test_whatever_stands_for_a_path_is_one(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(encoded(PICTURE))
    with os.scandir(tmp_path) as entries:
        (entry,) = entries
    assert name_of(entry) == str(tmp_path / "a.png")
    assert (open_source(entry, AMPLE).picture == PICTURE).all()


def test_a_pillow_image_stays_the_callers() -> None:
    exif = Image.Exif()
    exif[274] = 6
    file = io.BytesIO()
    Image.fromarray(PICTURE).save(file, "PNG", exif=exif)
    image = Image.open(file)
    size = image.size
    turned = open_source(image, AMPLE).picture
    assert (turned == open_source(file.getvalue(), AMPLE).picture).all()
    assert image.size == size


@pytest.mark.parametrize(
    ("source", "limits", "why"),
    [
        (b"", AMPLE, "the file is empty"),
        (b"no picture", AMPLE, "not a PNG"),
        (b"<svg/>", AMPLE, "not InkML"),
        (b"<ink", AMPLE, "not well-formed"),
        ("none.png", AMPLE, "no such file"),
        ("a\0.png", AMPLE, "no name that a file can have"),
        ("\ud800.png", AMPLE, "no name that a file can have"),
        (document("TIFF"), AMPLE, "a TIFF of 3 pages: `san read NAME.pdf`"),
        (DocumentPage(document("TIFF"), 0), AMPLE, "pages have numbers from 1 to 100"),
        (DocumentPage(document("TIFF"), 4), AMPLE, "the file has no page 4"),
        (np.full((50, 60), 255, np.uint8), AMPLE, "no ink found"),
        (np.zeros((50, 60), np.uint8), AMPLE, "no ink found"),
        (np.zeros((50, 60, 2), np.uint8), AMPLE, "50 x 60 x 2"),
        (np.zeros((0, 60), np.uint8), AMPLE, "no pixels"),
        (np.array([["a"]]), AMPLE, "pixels are numbers"),
        (np.full((3, 3), np.nan), AMPLE, "not a finite number"),
        (encoded(PICTURE), Limits(bytes=99), "larger than 99 bytes"),
        (encoded(PICTURE), Limits(pixels=500), "more than 500 pixels"),
        (PICTURE, Limits(pixels=500), "more than 500 pixels"),
        (Image.fromarray(PICTURE), Limits(pixels=500), "more than 500 pixels"),
        (SHEET, Limits(strokes=6), "more than 6 strokes"),
        (write_inkml(SHEET), Limits(strokes=6), "more than 6 strokes"),
        (SHEET.ink, Limits(points=100), "more than 100 points"),
        (write_inkml(SHEET), Limits(points=100), "more than 100 points"),
        (write_inkml(SHEET), Limits(bytes=100), "larger than 100 bytes"),
    ],
)
def test_each_refusal_is_one_line(source: Source, limits: Limits, why: str) -> None:
    with pytest.raises(SanError, match=why) as caught:
        open_source(source, limits)
    assert "\n" not in str(caught.value)


def test_a_small_copy_in_a_tiff_is_passed_over() -> None:
    assert load_source(tiff_of(1, 0), AMPLE).shape == (30, 42)  # type: ignore[union-attr]


def test_what_is_no_source_is_the_programmers_mistake() -> None:
    with pytest.raises(TypeError, match="no path, bytes, open file, array"):
        open_source(7, AMPLE)  # type: ignore[arg-type]


def test_names() -> None:
    assert name_of("a/b.png") == name_of(Path("a/b.png")) == "a/b.png"
    assert [name_of(one) for one in (b"x", PICTURE, Ink.of([[(0, 0)]]), SHEET)] == [
        "bytes", "image", "ink", "ink",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "bad", [{"bytes": 0}, {"steps": -1}, {"bytes": 1 << 40}, {"steps": 10**9}, {"pixels": 10**9}]
)
def test_limits_have_limits(bad: dict[str, int]) -> None:
    with pytest.raises(SanError):
        Limits(**bad)


def test_open_files_are_sources(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(encoded(PICTURE))
    by_path = open_source(path, AMPLE).picture
    with path.open("rb") as file:
        assert name_of(file) == str(path)
        assert (open_source(file, AMPLE).picture == by_path).all()
    assert (open_source(io.BytesIO(encoded(PICTURE)), AMPLE).picture == by_path).all()
    with path.open("rb") as file, pytest.raises(SanError, match="larger than 10 bytes"):
        open_source(file, Limits(bytes=10))
    with (tmp_path / "b.png").open("wb") as new, pytest.raises(SanError, match="open it as 'rb'"):
        open_source(new, AMPLE)  # type: ignore[arg-type]
    with pytest.raises(SanError, match="closed file"):
        open_source(file, AMPLE)
    opened = io.BytesIO(encoded(PICTURE))
    open_source(opened, AMPLE)
    with pytest.raises(SanError, match="it was read before, and seek"):
        open_source(opened, AMPLE)
    with pytest.raises(SanError, match="binary mode"):
        open_source(io.StringIO("<ink/>"), AMPLE)  # type: ignore[arg-type]


def test_an_upload_is_called_a_file() -> None:
    with tempfile.SpooledTemporaryFile() as upload, tempfile.TemporaryFile() as temporary:
        assert [name_of(upload), name_of(temporary)] == ["file", "file"]  # type: ignore[arg-type]


def test_a_pipe_without_a_buffer_is_read_to_its_end() -> None:
    command = [sys.executable, "-c", f"import sys; sys.stdout.buffer.write(b'x' * {len(LARGE)})"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        assert source_bytes(process.stdout, AMPLE) == LARGE  # type: ignore[arg-type]


def test_what_reads_no_bytes_is_the_programmers_mistake() -> None:
    class Upload:
        def read(self, size: int) -> object:
            return object()  # a coroutine, say

    with pytest.raises(TypeError, match="gives bytes, not object"):
        open_source(Upload(), AMPLE)  # type: ignore[arg-type]


def test_the_pages_of_whatever_stands_for_a_file(tmp_path: Path) -> None:
    content = document("TIFF")
    path = tmp_path / "a.tif"
    path.write_bytes(content)
    for file in (str(path), path, content, bytearray(content), io.BytesIO(content)):
        pages = checked_pages(file, AMPLE)
        assert [page.number for page in pages] == [1, 2, 3]
        assert [load_source(page, AMPLE).shape for page in pages]  # type: ignore[union-attr]
    with path.open("rb") as opened:
        assert len(checked_pages(opened, AMPLE)) == 3
    with path.open("rb") as opened, pytest.raises(SanError, match=r"a.tif: larger than 10 bytes"):
        checked_pages(opened, Limits(bytes=10))
    with pytest.raises(TypeError, match="no path, bytes or open file"):
        checked_pages(PICTURE, AMPLE)  # type: ignore[arg-type]
