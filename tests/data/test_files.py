"""Folders and zips look alike, and neither can make us read without end."""

import zipfile
from pathlib import Path

import pytest

from san.data.files import Files, id_of
from san.data.sample import DataError
from tests.data.drawn import fill, zipped

CONTENT: dict[str, bytes | str] = {"b/x.png": b"1", "a.inkml": b"22", "labels.tsv": b"333"}


def test_a_folder_and_a_zip_are_alike(tmp_path: Path) -> None:
    folder = Files(fill(tmp_path / "folder", CONTENT))
    archive = Files(zipped(tmp_path / "a.zip", CONTENT))
    assert folder.names == archive.names == ["a.inkml", "b/x.png", "labels.tsv"]
    assert [folder.read(name) for name in folder.names] == [b"22", b"1", b"333"]
    assert [archive.read(name) for name in archive.names] == [b"22", b"1", b"333"]


def test_hidden_files_are_not_there(tmp_path: Path) -> None:
    hidden = {"__MACOSX/x.png": b"", ".cache/x.png": b"", "a/._x.png": b"", "x.png": b""}
    assert Files(zipped(tmp_path / "a.zip", hidden)).names == ["x.png"]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("train_0.jpg", "train_0"),
        ("images/train_0.JPEG", "train_0"),
        ("MfrDB\\MfrDB01.inkml", "MfrDB01"),
        ("18_em_0", "18_em_0"),
        ("version.2", "version.2"),
        ("200924-1331-195.inkml ", "200924-1331-195"),
    ],
)
def test_ids(name: str, key: str) -> None:
    assert id_of(name) == key


def test_what_is_neither_folder_nor_zip(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        Files(tmp_path / "nowhere.zip")
    (tmp_path / "a.zip").write_bytes(b"not a zip at all")
    with pytest.raises(DataError, match="neither a folder nor a zip that opens"):
        Files(tmp_path / "a.zip")


def test_a_zip_that_is_cut_short(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "a.zip", {"x.png": b"1" * 1000}).read_bytes()
    (tmp_path / "a.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="neither a folder nor a zip that opens"):
        Files(tmp_path / "a.zip")


def test_a_member_whose_bytes_are_damaged(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"x.png": bytes(range(256)) * 10})
    damaged = bytearray(path.read_bytes())
    damaged[60:80] = bytes(20)
    path.write_bytes(damaged)
    with pytest.raises(DataError, match="cannot be unpacked"):
        Files(path).read("x.png")


def test_a_member_that_unpacks_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("san.data.files.MOST_BYTES", 1000)
    path = zipped(tmp_path / "a.zip", {"x.png": bytes(1001), "y.png": bytes(1000)})
    files = Files(path)
    assert len(files.read("y.png")) == 1000
    with pytest.raises(DataError, match="larger than 1,000 bytes"):
        files.read("x.png")


def test_an_encrypted_member(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"x.png": b"1"})
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        directory = archive.start_dir
    content[6] |= 1  # the flag in the member's own header, and in the directory
    content[directory + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match="cannot be unpacked"):
        Files(path).read("x.png")


def test_damaged_directories_are_data_errors(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {f"{n}.png": b"1" for n in range(5)})
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        directory = archive.start_dir
    outcomes = []
    for place in range(directory, len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        try:
            files = Files(path)
            for name in files.names:
                files.read(name)
        except DataError as error:
            outcomes.append(str(error))
    assert len(outcomes) > 50
    assert all("\n" not in line for line in outcomes)
