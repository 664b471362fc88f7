"""The file of arrays: exact, reproducible, and strict with whatever else is in a zip."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from san.data.container import read_arrays, write_arrays
from san.data.sample import DataError
from san.files import FileError
from tests.data.drawn import damaged, zipped

ARRAYS = {"a": np.arange(6, dtype="<u4").reshape(2, 3), "b": np.zeros(0, "<u2")}
TYPES = {"a": "<u4", "b": "<u2"}


def npy(array: np.ndarray, pickled: bool = False) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=pickled)
    return file.getvalue()


def test_round_trip(tmp_path: Path) -> None:
    write_arrays(tmp_path / "x.npz", ARRAYS)
    back = read_arrays(tmp_path / "x.npz", TYPES)
    assert all(np.array_equal(back[name], ARRAYS[name]) for name in ARRAYS)
    assert not back["a"].flags.writeable
    with np.load(tmp_path / "x.npz", allow_pickle=False) as plain:  # numpy reads it too
        assert np.array_equal(plain["a"], ARRAYS["a"])


def test_equal_arrays_make_equal_files(tmp_path: Path) -> None:
    for name in ("x.npz", "y.npz"):
        write_arrays(tmp_path / name, ARRAYS)
    assert (tmp_path / "x.npz").read_bytes() == (tmp_path / "y.npz").read_bytes()
    assert len(list(tmp_path.iterdir())) == 2  # nothing partial is left


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file or directory"):
        write_arrays(tmp_path / "no" / "x.npz", ARRAYS)
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="is a directory"):
        write_arrays(tmp_path / "folder", ARRAYS)
    for name in ("x" * 300, "x" * 300 + ".npz"):
        with pytest.raises(FileError, match="file name too long"):
            write_arrays(tmp_path / name, ARRAYS)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_the_longest_name_will_do(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 251 + ".npz")
    write_arrays(path, ARRAYS)
    assert read_arrays(path, TYPES)["a"].shape == (2, 3)


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "x.npz").symlink_to(tmp_path / "elsewhere" / "y.npz")
    for _ in range(2):  # to nothing at first, then to a file
        write_arrays(tmp_path / "x.npz", ARRAYS)
        assert (tmp_path / "x.npz").is_symlink()
        assert (tmp_path / "elsewhere" / "y.npz").is_file()


class Trap:
    """Unpickling it would run code."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return print, ("unpickled",)


@pytest.mark.parametrize(
    ("member", "reason"),
    [
        (npy(np.array([Trap()], object), pickled=True), "not the type"),
        (npy(np.arange(6.0)), "not the type"),
        (npy(np.asfortranarray(ARRAYS["a"])), "not the type"),
        (npy(ARRAYS["a"])[:-1], "not the length"),
        (npy(ARRAYS["a"]).replace(b"(2, 3)", b"(9, 9)"), "not the length"),
        (npy(ARRAYS["a"]).replace(b"(2, 3)", b"(-2,3)"), "not an array"),
        (npy(ARRAYS["a"]).replace(b"(2, 3)", b"(2; 3)"), "not an array"),
        (npy(ARRAYS["a"]).replace(b"(2, 3)", b"((2, 3"), "not an array"),
        (npy(ARRAYS["a"]).replace(b"(2, 3)", b"(2L,3)"), "not an array"),
        (b"\x93NUMPY\x02\x00", "not an array"),
        (b"", "not an array"),
    ],
)
def test_what_is_not_the_array_it_should_be(
    tmp_path: Path, member: bytes, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = zipped(tmp_path / "x.npz", {"a.npy": member})
    with pytest.raises(ValueError, match=reason):
        read_arrays(path, {"a": "<u4"})
    assert capsys.readouterr().out == ""


def test_a_missing_array(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"b\.npy"):
        read_arrays(zipped(tmp_path / "x.npz", {"a.npy": npy(ARRAYS["a"])}), TYPES)


def test_too_much_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_arrays(tmp_path / "x.npz", ARRAYS)
    monkeypatch.setattr("san.data.container.MAX_BYTES", 100)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("it was unpacked"))
    with pytest.raises(ValueError, match="more than 100 bytes"):
        read_arrays(tmp_path / "x.npz", TYPES)


def test_a_member_packed_by_lzma_and_damaged(tmp_path: Path) -> None:
    path = damaged(tmp_path / "x.npz", "a.npy", npy(ARRAYS["a"]))
    with pytest.raises(ValueError, match="damaged"):
        read_arrays(path, {"a": "<u4"})


def test_a_device_is_never_read(tmp_path: Path) -> None:
    (tmp_path / "x.npz").symlink_to("/dev/zero")
    with pytest.raises(DataError, match=r"x\.npz: not a regular file"):
        read_arrays(tmp_path / "x.npz", TYPES)
