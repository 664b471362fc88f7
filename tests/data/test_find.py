"""Labels are found where people put them."""

from pathlib import Path

import pytest

from san.data.find import find_labels
from san.data.sample import DataError
from san.files import Files
from tests.data.drawn import fill, zipped

LABELS = "a\tx\n"


@pytest.mark.parametrize(
    ("source", "labels"),
    [
        ("train.inkml.zip", "train.tsv"),
        ("test2014.bitmaps.zip", "test2014.tsv"),
        ("photos.zip", "photos.jsonl"),
        ("train_images.zip", "train_labels.txt"),
        ("train.zip", "train_labels.tsv"),
    ],
)
def test_beside_a_zip(tmp_path: Path, source: str, labels: str) -> None:
    content = '{"id": "a", "latex": "x"}' if labels.endswith("jsonl") else LABELS
    fill(tmp_path, {labels: content, "other.tsv": "b\ty\n"})
    found = find_labels(Files(zipped(tmp_path / source, {"a.png": b""})))
    assert found is not None
    assert (found.name, found.latex) == (labels, {"a": "x"})


def test_beside_a_folder(tmp_path: Path) -> None:
    fill(tmp_path, {"train_images/a.png": b"", "train_labels.txt": LABELS})
    found = find_labels(Files(tmp_path / "train_images"))
    assert found is not None
    assert found.latex == {"a": "x"}


@pytest.mark.parametrize("name", ["labels.txt", "sub/caption.txt", "mine.tsv"])
def test_inside_comes_first(tmp_path: Path, name: str) -> None:
    fill(tmp_path, {"c.tsv": "b\ty\n"})
    files = {"a.png": b"", "README.txt": "not labels", name: LABELS}
    folder = find_labels(Files(fill(tmp_path / "c", files)))
    archive = find_labels(Files(zipped(tmp_path / "c.zip", files)))
    assert folder is not None
    assert archive is not None
    assert folder.latex == archive.latex == {"a": "x"}


def test_nothing_is_guessed_between_two(tmp_path: Path) -> None:
    fill(tmp_path, {"a.png": b"", "one.tsv": LABELS, "two.tsv": LABELS})
    with pytest.raises(DataError, match=r"one\.tsv, two\.tsv.*--labels"):
        find_labels(Files(tmp_path))


def test_none_at_hand(tmp_path: Path) -> None:
    fill(tmp_path, {"c/a.png": b"", "c/README.txt": "hello"})
    assert find_labels(Files(tmp_path / "c")) is None


def test_a_folder_whose_name_leaves_no_room_for_a_suffix(tmp_path: Path) -> None:
    files = Files(fill(tmp_path / ("c" * 250), {"a.png": b""}))
    assert find_labels(files) is None


def test_labels_that_are_too_large_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = zipped(tmp_path / "c.zip", {"a.png": b"", "deep/labels.tsv": LABELS * 1000})
    monkeypatch.setattr(Files.read, "__defaults__", (1000,))
    with pytest.raises(DataError, match=r"c\.zip: deep/labels\.tsv: larger than 1,000 bytes"):
        find_labels(Files(path))
