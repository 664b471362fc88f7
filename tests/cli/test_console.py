"""Where results may go, known before the work begins."""

import os
from pathlib import Path

import pytest

from san.cli.console import check_outputs, check_picture, write_each
from san.data.sample import DataError
from san.errors import SanError
from tests.data.drawn import fill


def test_new_files_and_old_results_are_free(tmp_path: Path) -> None:
    fill(tmp_path, {"in.tsv": "", "old.json": "{}"})
    check_outputs((tmp_path / "new.json", None, tmp_path / "old.json"), (tmp_path / "in.tsv", None))
    check_outputs([tmp_path / "old.json"], [tmp_path / ("x" * 300)])  # its reader will complain


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("in.tsv", "would overwrite what is read"),
        ("soft.tsv", "would overwrite what is read"),
        ("hard.tsv", "would overwrite what is read"),
        ("folder", "is a folder"),
        ("no/out.json", "there is no folder"),
        ("pipe", "is no regular file"),
        ("null", "is no regular file"),
        ("x" * 300, "file name too long"),
    ],
)
def test_what_must_not_be_written_to(tmp_path: Path, name: str, reason: str) -> None:
    fill(tmp_path, {"in.tsv": "", "folder/x": ""})
    (tmp_path / "soft.tsv").symlink_to(tmp_path / "in.tsv")
    (tmp_path / "hard.tsv").hardlink_to(tmp_path / "in.tsv")
    (tmp_path / "null").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DataError, match=reason):
        check_outputs([tmp_path / name], [tmp_path / "in.tsv"])


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc here")
def test_where_nothing_can_be_written_is_known_at_once() -> None:
    with pytest.raises(DataError, match=r"^/proc/out.json: cannot be written"):
        check_outputs([Path("/proc/out.json")], [])


def test_a_place_is_left_as_it_was(tmp_path: Path) -> None:
    check_outputs([tmp_path / "out.json"], [])
    assert list(tmp_path.iterdir()) == []


def test_what_can_be_written_is_whatever_becomes_of_the_rest() -> None:
    written = []

    def fail(why: str) -> None:
        raise DataError(why)

    with pytest.raises(SanError, match=r"^the first; the third$"):
        write_each(
            lambda: fail("the first"), lambda: written.append("second"), lambda: fail("the third")
        )
    assert written == ["second"]


def test_two_results_need_two_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="two results"):
        check_outputs((tmp_path / "x", None, tmp_path / "x"), ())


@pytest.mark.parametrize("name", ["t.fits", "t.psd", "t.mpg", "t.xyz", "png"])
def test_pictures_have_the_suffix_of_one(name: str) -> None:
    check_picture(Path("t.PNG"))
    with pytest.raises(DataError, match=r"not the name of a picture; try \w+\.png"):
        check_picture(Path(name))
