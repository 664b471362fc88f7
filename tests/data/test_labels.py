"""Files of labels: both forms, and every way in which a line can be bad."""

from pathlib import Path

import pytest

from san.data.labels import load_labels, read_labels
from san.data.sample import DataError, Fault
from san.files import FileError


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
