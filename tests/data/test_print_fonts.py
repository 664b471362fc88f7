"""Outlines of typefaces survive a file, and a damaged file is one line."""

from pathlib import Path

import numpy as np
import pytest

from san.data import print_fonts
from san.data.container import read_arrays, write_arrays
from san.data.print_fonts import TYPES, Character, load_print_fonts, write_print_fonts
from san.data.sample import DataError
from tests.synth.printed.drawn_face import drawn_face


@pytest.fixture
def path(tmp_path: Path) -> Path:
    face, file = drawn_face(), tmp_path / "print.npz"
    write_print_fonts({"first": face, "second": {Character("x"): face[Character("x")]}}, file)
    return file


def test_what_is_written_is_read(path: Path) -> None:
    faces, face = load_print_fonts(path), drawn_face()
    assert list(faces) == ["first", "second"]
    assert faces["first"].keys() == face.keys()
    assert list(faces["second"]) == [Character("x")]
    for key, sizes in face.items():
        for read, written in zip(faces["first"][key], sizes, strict=True):
            assert read.advance == pytest.approx(written.advance)
            assert read.box == pytest.approx(written.box, abs=1 / print_fonts.UNITS_PER_EM)
            assert len(read.polygons) == len(written.polygons)


def test_typefaces_share_outlines(path: Path) -> None:
    arrays = read_arrays(path, TYPES)
    assert len(arrays["outline"]) == 1 + len(arrays["advance"])


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("outline", np.zeros(3, "<u4"), "differ in length"),
        ("contours", np.zeros(1, "<u4"), "an outline is empty"),
        ("corners", np.zeros((4, 3), "<i2"), "two columns"),
        ("index", np.frombuffer(b"{}", np.uint8), "does not call itself"),
        ("face", None, "something that is not there"),
    ],
)
def test_a_damaged_file_is_one_line(
    path: Path, name: str, value: np.ndarray | None, complaint: str
) -> None:
    arrays = read_arrays(path, TYPES)
    write_arrays(path, arrays | {name: arrays[name] + 7 if value is None else value})
    with pytest.raises(DataError, match=complaint) as caught:
        load_print_fonts(path)
    assert "\n" not in str(caught.value)


def test_no_outline_is_empty() -> None:
    with pytest.raises(ValueError, match="without a polygon"):
        print_fonts.outline_of(1.0, [])
