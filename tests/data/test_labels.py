from pathlib import Path

import pytest

from san.data.labels import (
    find_labels,
    id_of,
    load_labels,
    load_predictions,
    load_truths,
    match_ids,
    paired,
    read_labels,
)
from san.data.sample import DataError, Fault
from san.files import FileError, Files
from tests.data.drawn import fill, zipped


def test_tabs() -> None:
    labels = read_labels("a.jpg\tx ^ 2\r\n\nb\t\\alpha\n".encode("utf-8-sig"), "l.tsv")
    assert labels.latex == {"a": "x ^ 2", "b": r"\alpha"}
    assert not labels.skipped


def test_json_lines() -> None:
    content = b'{"id": "a", "latex": "x^2"}\n{"file": "i/b.png", "latex": "y", "writer": 3}\n'
    labels = read_labels(content, "l.jsonl")
    assert labels.latex == {"a": "x^2", "b": "y"}


def test_lines_end_only_at_line_ends() -> None:
    assert read_labels("a\tx\u2028y\x0cz\n".encode(), "l.txt").latex == {"a": "x\u2028y\x0cz"}


def test_bad_lines_are_named() -> None:
    labels = read_labels(b"a\tx\nno tab\n\ty\na.png\tz\n", "l.tsv")
    assert labels.latex == {"a": "x"}
    assert [(skip.name, skip.fault) for skip in labels.skipped] == [
        ("l.tsv line 2", Fault.LINE),
        ("l.tsv line 3", Fault.LINE),
        ("l.tsv line 4", Fault.TWICE),
    ]


@pytest.mark.parametrize(
    "line", ["{", "[1]", '{"id": 3, "latex": "x"}', '{"id": "a"}', '{"latex": "x"}', "[" * 100_000]
)
def test_bad_json_lines_are_named(line: str) -> None:
    labels = read_labels(f'{{"id": "z", "latex": "z"}}\n{line}\n'.encode(), "l.jsonl")
    assert labels.latex == {"z": "z"}
    assert [skip.name for skip in labels.skipped] == ["l.jsonl line 2"]


def test_labels_without_ids_are_refused() -> None:
    with pytest.raises(DataError, match=r"l\.txt: no labels in it.*line 1.*id<TAB>LaTeX"):
        read_labels(b"x + y\nx - y\n", "l.txt")
    with pytest.raises(DataError, match="no labels in it"):
        read_labels(b"", "l.tsv")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"l\.tsv: no such file"):
        load_labels(tmp_path / "l.tsv")
    (tmp_path / "l.tsv").write_bytes(b"a\tx\xff\n")
    with pytest.raises(DataError, match=r"l\.tsv: not UTF-8 text: byte 4"):
        load_labels(tmp_path / "l.tsv")


def test_a_third_column_is_not_part_of_the_formula() -> None:
    labels = read_labels(b"a\tx\t \nb\tx\t3\nc\t\ty\n", "l.tsv")
    assert labels.latex == {"a": "x"}
    assert [skip.fault for skip in labels.skipped] == [Fault.LINE] * 2
    assert "more than one tab" in labels.skipped[0].detail


def test_labels_without_end_are_refused() -> None:
    with pytest.raises(FileError, match="larger than"):
        load_labels(Path("/dev/zero"))


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


@pytest.mark.parametrize(
    ("ids", "labels", "found"),
    [
        (["a"], ["a"], {"a": "a"}),
        (["test_0"], ["test_0.jpg"], {"test_0": "test_0.jpg"}),
        (["test_0.png"], ["images/test_0.jpg"], {"test_0.png": "images/test_0.jpg"}),
        (["s1/1", "s2/1"], ["s2/1", "s1/1"], {"s1/1": "s1/1", "s2/1": "s2/1"}),
        (["s1/1", "s2/1"], ["s1/1.png", "s2/1.png"], {"s1/1": "s1/1.png", "s2/1": "s2/1.png"}),
        (["a.png", "a"], ["a.png"], {"a.png": "a.png"}),
        (["a"], ["a.png", "a.jpg"], {}),
        (["s1/a", "s2/a"], ["a"], {}),
        (["a", "a.png"], ["a.png", "a.jpg"], {"a.png": "a.png"}),
    ],
)
def test_what_is_equal_comes_first_and_what_is_in_doubt_is_left(
    ids: list[str], labels: list[str], found: dict[str, str]
) -> None:
    assert match_ids(ids, labels) == found


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


def test_ids_are_taken_whole(tmp_path: Path) -> None:
    fill(tmp_path, {"l.tsv": "s1/1\tx\ns2/1\ty\na.png\tz\na.jpg\tn\n"})
    for load in (load_truths, load_predictions):
        assert load(tmp_path / "l.tsv").latex == {
            "s1/1": "x",
            "s2/1": "y",
            "a.png": "z",
            "a.jpg": "n",
        }


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("a\tx\nno tab\n", "l.tsv line 2: not a line of labels: no tab"),
        ("a\tx\na\ty\n", "l.tsv line 2: its id is taken: a second line for 'a'"),
        ("a\tx\ty\nb\tz\n", "more than one tab"),
        ("", "l.tsv: no labels in it"),
    ],
)
def test_every_line_of_the_labels_must_count(tmp_path: Path, lines: str, reason: str) -> None:
    fill(tmp_path, {"l.tsv": lines})
    with pytest.raises(DataError, match=reason):
        load_truths(tmp_path / "l.tsv")


def test_predictions_may_be_bad_but_not_none_nor_two(tmp_path: Path) -> None:
    fill(tmp_path, {"p.tsv": "a\tx\nno tab\n", "empty.tsv": "", "two.tsv": "a\tx\na\tx\n"})
    found = load_predictions(tmp_path / "p.tsv")
    assert (found.latex, [skip.name for skip in found.skipped]) == ({"a": "x"}, ["p.tsv line 2"])
    with pytest.raises(DataError, match=r"empty\.tsv: no predictions in it"):
        load_predictions(tmp_path / "empty.tsv")
    with pytest.raises(DataError, match=r"two\.tsv line 2: its id is taken"):
        load_predictions(tmp_path / "two.tsv")


def test_predictions_find_their_labels() -> None:
    labels = {"test_0.jpg": "x", "s1/1": "y", "s2/1": "z"}
    given = {"test_0": "a", "s1/1": "b", "1": "c"}
    assert paired(given, labels) == {"test_0.jpg": "a", "s1/1": "b", "1": "c"}
