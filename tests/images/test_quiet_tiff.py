"""libtiff prints nothing, however damaged a fax is; sound ones are opened."""

import io
import struct
from contextlib import suppress

import numpy as np
import pytest
from PIL import Image

from san.images import quiet_tiff
from san.images.open import ImageError, open_image


def fax(width: int, height: int, compression: int, data: bytes) -> bytes:
    """A TIFF of one bit a pixel, in one strip."""
    tags = {256: width, 257: height, 258: 1, 259: compression, 262: 0, 277: 1, 278: height}
    tags |= {273: 8 + 2 + 12 * 9 + 4, 279: len(data)}
    kinds = dict.fromkeys((258, 259, 262, 277), 3)
    entries = (struct.pack("<HHLL", tag, kinds.get(tag, 4), 1, tags[tag]) for tag in sorted(tags))
    return b"II*\0" + struct.pack("<LH", 8, len(tags)) + b"".join(entries) + bytes(4) + data


@pytest.mark.parametrize("compression", [2, 3, 4])
@pytest.mark.parametrize("pattern", [b"\x00\x80\x01", b"\x55\xaa", b"\x12\x34\x56\x78\x9a"])
def test_damaged_faxes_print_nothing(
    compression: int, pattern: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with suppress(ImageError):
        open_image(fax(1, 30_000, compression, pattern * 10_000))
    assert capfd.readouterr() == ("", "")


def test_a_fax_of_millions_of_rows_is_refused_before_it_is_decoded(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(ImageError, match="a side has at most"):
        open_image(fax(1, 12_900_000, 3, b"\x00\x80\x01" * 100_000))
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("compression", ["group3", "group4"])
def test_a_scan_as_fax_machines_and_offices_make_them(compression: str) -> None:
    page = np.full((2200, 1728), 255, np.uint8)
    page[500:520, 300:900] = 0
    file = io.BytesIO()
    Image.fromarray(page).convert("1").save(file, "TIFF", compression=compression)
    assert (open_image(file.getvalue()) == page).all()


def test_where_it_cannot_be_silenced_faxes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet_tiff, "IS_QUIET", False)
    with pytest.raises(ImageError, match="a fax cannot be opened safely here: save it as PNG"):
        open_image(fax(8, 8, 4, b"\0" * 20))
    file = io.BytesIO()
    Image.new("L", (8, 8), 9).save(file, "TIFF", compression="tiff_lzw")
    assert (open_image(file.getvalue()) == 9).all()
