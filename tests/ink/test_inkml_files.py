"""Folders and zips of InkML: all that can be read, and the names of what cannot."""

import zipfile
from pathlib import Path

import pytest

from san.ink import InkError, InkLimits, read_many, write_inkml
from tests.data.drawn import damaged
from tests.ink.formulas import fraction

GOOD = write_inkml(fraction())
CORPUS_FILES = 10_969


def test_a_folder_in_order_with_its_folders(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    for name in ("c.inkml", "deep/b.inkml", "a.inkml"):
        (tmp_path / name).write_bytes(GOOD)
    (tmp_path / "readme.txt").write_text("not ink")
    assert [sheet.name for sheet in read_many(tmp_path)] == ["a", "c", "b"]


def test_a_zip_names_what_it_skips(tmp_path: Path) -> None:
    path = tmp_path / "ink.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x/good.inkml", GOOD)
        archive.writestr("x/broken.inkml", GOOD[:200])
        archive.writestr("x/vast.inkml", b" " * 50_000_000)
        archive.writestr("x/notes.txt", "not ink")
    skipped: list[tuple[str, str]] = []
    sheets = list(read_many(path, on_skip=lambda name, reason: skipped.append((name, reason))))
    assert [sheet.name for sheet in sheets] == ["good"]
    assert [name for name, _ in skipped] == ["x/broken.inkml", "x/vast.inkml"]
    assert skipped[0][1].startswith("not well-formed XML")
    assert skipped[1][1] == "larger than 2,000,000 bytes"


def test_a_damaged_member_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "ink.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.inkml", GOOD)
        archive.writestr("b.inkml", GOOD)
    content = bytearray(path.read_bytes())
    content[100] ^= 0xFF  # inside the first member: its checksum no longer holds
    path.write_bytes(content)
    skipped: list[tuple[str, str]] = []
    sheets = list(read_many(path, on_skip=lambda name, reason: skipped.append((name, reason))))
    assert [sheet.name for sheet in sheets] == ["b"]
    assert [name for name, _ in skipped] == ["a.inkml"]
    assert "cannot be unpacked" in skipped[0][1]


def test_without_on_skip_the_first_bad_file_raises(tmp_path: Path) -> None:
    (tmp_path / "bad.inkml").write_bytes(b"<ink/>")
    with pytest.raises(InkError, match=r"bad\.inkml: no trace has any points"):
        list(read_many(tmp_path))


def test_limits_reach_each_file(tmp_path: Path) -> None:
    (tmp_path / "a.inkml").write_bytes(GOOD)
    with pytest.raises(InkError, match="larger than 100 bytes"):
        list(read_many(tmp_path, limits=InkLimits(bytes=100)))


@pytest.mark.parametrize(
    ("name", "reason"), [("none", "no such file"), ("file.txt", "neither a folder nor a zip")]
)
def test_other_things_are_refused(tmp_path: Path, name: str, reason: str) -> None:
    (tmp_path / "file.txt").write_text("hello")
    with pytest.raises(InkError, match=reason):
        list(read_many(tmp_path / name))


def test_a_member_packed_by_lzma_and_damaged_is_skipped(tmp_path: Path) -> None:
    skipped: dict[str, str] = {}
    path = damaged(tmp_path / "ink.zip", "a.inkml", GOOD)
    assert list(read_many(path, skipped.__setitem__)) == []
    assert "cannot be unpacked" in skipped["a.inkml"]


def test_a_damaged_directory_is_one_error(tmp_path: Path) -> None:
    path = tmp_path / "ink.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.inkml", GOOD)
        directory = archive.fp.tell() if archive.fp else 0
    whole = path.read_bytes()
    outcomes = []
    for place in range(directory, len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            list(read_many(path))
        except InkError as error:
            outcomes.append(str(error))
    assert len(outcomes) > 20
    assert all("\n" not in line for line in outcomes)


def test_a_link_that_leads_nowhere_is_skipped_and_named(tmp_path: Path) -> None:
    (tmp_path / "a.inkml").write_bytes(GOOD)
    (tmp_path / "b.inkml").symlink_to(tmp_path / "nowhere")
    skipped: dict[str, str] = {}
    assert len(list(read_many(tmp_path, skipped.__setitem__))) == 1
    assert skipped == {"b.inkml": "neither a file nor a folder"}


@pytest.mark.corpus
@pytest.mark.slow
def test_all_of_crohme_reads_but_two_files(data_root: Path) -> None:
    skipped: dict[str, str] = {}
    read = labelled = 0
    for name in ("train", "test2014", "test2016"):
        for sheet in read_many(data_root / "crohme" / f"{name}.inkml.zip", skipped.__setitem__):
            read += 1
            labelled += bool(sheet.glyphs) and bool(sheet.truth)
    assert sorted(skipped) == ["MfrDB/MfrDB0104.inkml", "MfrDB/MfrDB3088.inkml"]
    assert skipped["MfrDB/MfrDB0104.inkml"].startswith("not well-formed XML")
    assert skipped["MfrDB/MfrDB3088.inkml"] == "the file is empty"
    assert read == labelled == CORPUS_FILES - 2
