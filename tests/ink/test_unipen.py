"""Characters of a UNIPEN distribution: which strokes, by whom; and what is not taken."""

from pathlib import Path

import numpy as np
import pytest

from san.errors import SanError
from san.ink.unipen import Character, isolated_characters

PAGE = """\
.VERSION 1.0
.WRITER_ID Ada L
.COORD T X Y
.COMMENT 5 6
.PEN_UP
 0 1 1
.PEN_DOWN
 0\t10 100
 1 20 110
.PEN_UP
 2 25 105
.PEN_DOWN
 3 30 90
 4 40 90
 5 50 90
.PEN_DOWN
.DT 100
.PEN_DOWN
 6 7 8
"""


def distribution(folder: Path, listed: str, **pages: str) -> Path:
    """A list by the laboratory `lab`, and pages that it may include."""
    (folder / "data" / "2" / "lab").mkdir(parents=True)
    (folder / "include" / "lab").mkdir(parents=True)
    (folder / "data" / "2" / "lab" / "one.dat").write_text(listed, "latin-1")
    for name, text in pages.items():
        (folder / "include" / "lab" / f"{name}.dat").write_text(text, "latin-1")
    return folder


def taken(folder: Path) -> list[Character]:
    return list(isolated_characters(folder))


def test_pieces_are_counted_and_ink_is_taken(tmp_path: Path) -> None:
    listed = """\
.INCLUDE lab/page.dat
.SEGMENT CHARACTER 1-3 ? "+"
.SEGMENT CHARACTER 3:1-3:2 OK "\\""
.SEGMENT CHARACTER 1,4 ? "x"
"""
    plus, quote, x = taken(distribution(tmp_path, listed, page=PAGE))
    assert (plus.label, quote.label, x.label) == ("+", '"', "x")
    # What was written above the paper is no stroke, and y goes down.
    assert [stroke.tolist() for stroke in plus.strokes] == [
        [[10, -100], [20, -110]],
        [[30, -90], [40, -90], [50, -90]],
    ]
    assert [stroke.tolist() for stroke in quote.strokes] == [[[40, -90], [50, -90]]]
    assert [len(stroke) for stroke in x.strokes] == [2, 1]  # pieces without a point do not count


def test_writers_have_numbers_and_no_names(tmp_path: Path) -> None:
    listed = """\
.INCLUDE lab/page.dat
.INCLUDE lab/other.dat
.SEGMENT CHARACTER 1 ? "a"
.SEGMENT CHARACTER 6 ? "b"
.SEGMENT CHARACTER 4 ? "c"
"""
    other = PAGE.replace("Ada L", "Bj\xf6rn")
    writers = [one.writer for one in taken(distribution(tmp_path, listed, page=PAGE, other=other))]
    assert writers == ["unipen-1", "unipen-2", "unipen-1"]


def test_what_cannot_be_understood_costs_nobody_the_rest(tmp_path: Path) -> None:
    listed = """\
.INCLUDE lab/missing.dat
.INCLUDE lab/page.dat
.SEGMENT CHARACTER 1 ? "word"
.SEGMENT CHARACTER 9 ? "a"
.SEGMENT CHARACTER 3-1 ? "a"
.SEGMENT CHARACTER 1-99999999999 ? "a"
.SEGMENT CHARACTER 1-2-3 ? "a"
.SEGMENT CHARACTER : ? "a"
.SEGMENT CHARACTER 0 ? "a"
.SEGMENT CHARACTER 3:7-3:9 ? "a"
.SEGMENT DIGIT 1 ? "1"
.SEGMENT CHARACTER 1 ? "b"
"""
    bad = "\n.PEN_DOWN\n nan 3 4\n 1 inf 5\n.PEN_DOWN\n 1\n words\n"
    found = taken(distribution(tmp_path, listed, page=PAGE + bad))
    assert [one.label for one in found] == ["b"]


def test_what_is_no_number_is_no_ink(tmp_path: Path) -> None:
    listed = '.INCLUDE lab/page.dat\n.SEGMENT CHARACTER 0 ? "a"\n.SEGMENT CHARACTER 1 ? "b"\n'
    page = ".PEN_DOWN\n1 nan\n.PEN_DOWN\n1 2\n3 inf\n4 1e999\n5 1e30\n"
    assert not taken(distribution(tmp_path, listed, page=page))


@pytest.mark.parametrize("name", ["../../secret.dat", "/etc/passwd", "lab/page.dat\0"])
def test_nothing_from_outside_is_included(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.dat").write_text(PAGE)
    listed = f'.INCLUDE {name}\n.SEGMENT CHARACTER 1 ? "a"\n'
    assert not taken(distribution(tmp_path / "unipen", listed, page=PAGE))


def test_files_that_include_each_other_end(tmp_path: Path) -> None:
    listed = '.INCLUDE lab/one.dat\n.SEGMENT CHARACTER 0 ? "a"\n'
    one = ".INCLUDE lab/two.dat\n.INCLUDE lab/two.dat\n.PEN_DOWN\n1 2\n"
    found = taken(distribution(tmp_path, listed, one=one, two=one.replace("two", "one")))
    assert len(found) == 1


def test_files_that_multiply_by_inclusion_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("san.ink.unipen.MAX_POINTS", 100)
    page = ".PEN_DOWN\n" + "1 2\n" * 60
    folder = distribution(tmp_path, ".INCLUDE lab/twice.dat\n", page=page,
                          twice=".INCLUDE lab/page.dat\n" * 2)  # fmt: skip
    with pytest.raises(SanError, match="more than 100 points"):
        taken(folder)


def test_who_cut_characters_out_of_words_is_left_out(tmp_path: Path) -> None:
    listed = '.INCLUDE lab/page.dat\n.SEGMENT CHARACTER 1 ? "a"\n'
    folder = distribution(tmp_path, listed, page=PAGE)
    (folder / "data" / "2" / "lab").rename(folder / "data" / "2" / "cea")
    assert not taken(folder)


def test_a_folder_that_is_none_is_one_line(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(SanError, match="no UNIPEN distribution"):
            taken(folder)


def test_strokes_are_of_one_type(tmp_path: Path) -> None:
    listed = '.INCLUDE lab/page.dat\n.SEGMENT CHARACTER 1 ? "a"\n'
    (one,) = taken(distribution(tmp_path, listed, page=PAGE))
    assert all(stroke.dtype == np.float32 and stroke.shape[1] == 2 for stroke in one.strokes)
