"""Folders and zips look alike, and neither can make us read without end."""

import hashlib
import os
import zipfile
from pathlib import Path

import pytest

from san.files import (
    MAX_BYTES,
    FileError,
    Files,
    make_folder,
    read_file,
    sha256_of,
    whole_file,
    write_file,
)
from tests.data.drawn import damaged, fill, zipped

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


def test_what_is_neither_folder_nor_zip(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        Files(tmp_path / "nowhere.zip")
    (tmp_path / "a.zip").write_bytes(b"not a zip at all")
    with pytest.raises(FileError, match="neither a folder nor a zip that opens"):
        Files(tmp_path / "a.zip")


def test_a_zip_that_is_cut_short(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "a.zip", {"x.png": b"1" * 1000}).read_bytes()
    (tmp_path / "a.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileError, match="neither a folder nor a zip that opens"):
        Files(tmp_path / "a.zip")


def test_a_member_whose_bytes_are_damaged(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"x.png": bytes(range(256)) * 10})
    damaged = bytearray(path.read_bytes())
    damaged[60:80] = bytes(20)
    path.write_bytes(damaged)
    with pytest.raises(FileError, match="cannot be unpacked"):
        Files(path).read("x.png")


def test_a_member_that_unpacks_without_end(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"x.png": bytes(1001), "y.png": bytes(1000)})
    files = Files(path)
    assert len(files.read("y.png", max_bytes=1000)) == 1000
    with pytest.raises(FileError, match="larger than 1,000 bytes"):
        files.read("x.png", max_bytes=1000)


def test_an_encrypted_member(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"x.png": b"1"})
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        directory = archive.start_dir
    content[6] |= 1  # the flag in the member's own header, and in the directory
    content[directory + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(FileError, match="cannot be unpacked"):
        Files(path).read("x.png")


def test_damaged_directories_are_file_errors(tmp_path: Path) -> None:
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
        except FileError as error:
            outcomes.append(str(error))
    assert len(outcomes) > 50
    assert all("\n" not in line for line in outcomes)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED])
def test_damage_by_any_method_is_a_file_error(tmp_path: Path, method: int) -> None:
    path = damaged(tmp_path / "a.zip", "x.png", os.urandom(500), method)
    with pytest.raises(FileError) as caught:
        Files(path).read("x.png")
    assert "\n" not in str(caught.value)


def test_what_is_no_file_is_named_and_never_opened(tmp_path: Path) -> None:
    fill(tmp_path, {"c/a.png": b"1", "else/b.png": b"2"})
    os.mkfifo(tmp_path / "c" / "pipe.png")
    (tmp_path / "c" / "gone.png").symlink_to(tmp_path / "nowhere")
    (tmp_path / "c" / "more").symlink_to(tmp_path / "else")
    (tmp_path / "c" / "link.png").symlink_to(tmp_path / "else" / "b.png")
    (tmp_path / "c" / ".hidden.png").symlink_to(tmp_path / "nowhere")
    files = Files(tmp_path / "c")
    assert files.names == ["a.png", "link.png"]
    assert files.strange == {
        "pipe.png": "neither a file nor a folder",
        "gone.png": "neither a file nor a folder",
        "more": "a link to a folder is not followed",
    }


def test_neither_pipes_nor_devices_are_taken_for_zips(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(FileError, match="not a regular file"):
            Files(path)


def test_a_name_that_is_too_long(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="file name too long"):
        Files(tmp_path / ("x" * 300))


def test_reading_a_file_ends_at_the_limit() -> None:
    with pytest.raises(FileError, match="/dev/zero: larger than 1,000 bytes"):
        read_file(Path("/dev/zero"), max_bytes=1000)


def test_the_sum_of_a_file_that_is_too_large_for_reading(tmp_path: Path) -> None:
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert sha256_of(path) == hashlib.sha256(bytes(MAX_BYTES + 1)).hexdigest()
    with pytest.raises(FileError, match="none: no such file"):
        sha256_of(tmp_path / "none")
    with pytest.raises(FileError, match="not a regular file"):
        sha256_of(Path("/dev/zero"))


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 251 + ".txt")  # the longest name there is
    write_file(path, "old")
    with pytest.raises(TypeError), whole_file(path) as partial:
        partial.write_text(1)  # type: ignore[arg-type]
    assert path.read_text() == "old"
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    link, target = tmp_path / "link", tmp_path / "target"
    link.symlink_to(target)
    write_file(link, "text")
    assert link.is_symlink()
    assert target.read_text() == "text"


def test_a_folder_is_made_and_a_file_is_none(tmp_path: Path) -> None:
    for _ in range(2):
        make_folder(tmp_path / "new" / "folder")
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="file: is no folder; name another"):
        make_folder(tmp_path / "file")
    with pytest.raises(FileError, match=r"below: cannot be made \(not a directory\)"):
        make_folder(tmp_path / "file" / "below")


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"x: cannot be written \(no such file or directory\)"):
        write_file(tmp_path / "none" / "x", "text")
