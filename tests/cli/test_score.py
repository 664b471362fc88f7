import json
import sys
from pathlib import Path
from typing import Any

import pytest

from san.cli.score import score_command
from san.errors import SanError
from tests.cli.console import complaint, san

pytestmark = pytest.mark.slow


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    predictions, labels = tmp_path / "predictions.tsv", tmp_path / "labels.tsv"
    labels.write_text("a\tx ^ { 2 }\nb.jpg\t1 + 1\nc\t\\alpha\nd\tn !\n", "utf-8")
    predictions.write_text("a\tx^2\nb\t1+7\nd\tn^{\n", "utf-8")
    return predictions, labels


def test_prints_the_table_and_says_what_is_missing(files: tuple[Path, Path]) -> None:
    done = san("score", *files)
    assert done.returncode == 0
    assert "ExpRate" in done.stdout
    assert "25.00" in done.stdout
    assert "1 label has no prediction, which counts as wrong: c" in done.stdout
    assert "1 prediction is no formula, which counts as wrong: d" in done.stdout


def test_writes_the_figures(files: tuple[Path, Path], tmp_path: Path) -> None:
    assert san("score", *files, "--json", tmp_path / "out.json").returncode == 0
    figures = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert (figures["n"], figures["exprate"], figures["le1"]) == (4, 25.0, 50.0)
    assert figures["easy"]["n"] == 4


def test_a_sign_of_the_table_costs_no_figures(files: tuple[Path, Path], tmp_path: Path) -> None:
    asked = {"PYTHONIOENCODING": "cp1252"}
    done = san("score", *files, "--json", tmp_path / "out.json", environment=asked)
    assert (done.returncode, done.stderr) == (0, "")
    assert "? 1 error" in done.stdout
    assert (tmp_path / "out.json").exists()


def test_tells_which_of_two_is_better(files: tuple[Path, Path], tmp_path: Path) -> None:
    predictions = files[0]
    folder = tmp_path / "other"
    folder.mkdir()
    other = folder / predictions.name  # systems have folders, and the files in them one name
    other.write_text("a\ty\nb\t1+1\nc\t\\alpha\n", "utf-8")
    done = san("score", *files, "--beside", other, "--json", tmp_path / "out.json")
    assert done.returncode == 0
    assert f"{other}: 1 label has no prediction, which counts as wrong: d" in done.stdout
    assert f"{predictions}: -25.00 points of ExpRate" in done.stdout
    compared = json.loads((tmp_path / "out.json").read_text("utf-8"))["beside"]
    counts = {"both": 0, "first": 1, "second": 2, "neither": 1}
    assert counts.items() <= compared.items()
    assert compared["difference"] == -25
    assert compared["p_value"] == 1
    assert "no such file" in complaint("score", *files, "--beside", tmp_path / "none.tsv")
    assert "would overwrite" in complaint("score", *files, "--beside", other, "--json", other)


def test_bad_input_is_one_line(files: tuple[Path, Path], tmp_path: Path) -> None:
    predictions, labels = files
    assert "no such file" in complaint("score", tmp_path / "none.tsv", labels)
    (tmp_path / "empty.tsv").write_text("")
    assert "no labels" in complaint("score", predictions, tmp_path / "empty.tsv")
    assert "would overwrite" in complaint("score", *files, "--json", labels)
    (tmp_path / "bytes.tsv").write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in complaint("score", tmp_path / "bytes.tsv", labels)


def test_predictions_for_other_labels_are_no_zero(files: tuple[Path, Path], tmp_path: Path) -> None:
    predictions, labels = files
    other = tmp_path / "other.tsv"
    other.write_text("x/1\tx^2\nx/2\t1+1\n")
    said = "no prediction has a label of labels.tsv (x/1 here, a there)"
    assert said in complaint("score", other, labels)
    assert said in complaint("score", predictions, labels, "--beside", other)
    other.write_text("a#1\tx^2\na#2\t1+1\n")  # of a page, which is told
    assert san("score", other, labels).returncode == 0


def test_a_place_that_cannot_be_written_is_one_line(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    done = san("score", *files, "--json", tmp_path / "no" / "folder.json")
    assert done.returncode == 2
    assert "there is no folder" in done.stderr


def figures_of(folder: Path, predictions: str, labels: str) -> dict[str, Any]:
    (folder / "p.tsv").write_text(predictions, "utf-8")
    (folder / "l.tsv").write_text(labels, "utf-8")
    done = san("score", "p.tsv", "l.tsv", "--json", "out.json", cwd=folder)
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads((folder / "out.json").read_text("utf-8"))
    return figures


@pytest.mark.parametrize("labels", ["s1/1\tx\ns2/1\ty\n", "a.png\tx\na.jpg\ty\n"])
def test_ids_that_share_a_name_all_count(tmp_path: Path, labels: str) -> None:
    figures = figures_of(tmp_path, labels, labels)
    assert (figures["n"], figures["exprate"]) == (2, 100.0)


def test_a_line_of_labels_that_cannot_count_is_an_error(tmp_path: Path) -> None:
    for lines, reason in (("a\tx\nb\n", "no tab"), ("a\tx\na\ty\n", "a second line for 'a'")):
        (tmp_path / "bad.tsv").write_text(lines, "utf-8")
        (tmp_path / "good.tsv").write_text("a\tx\n", "utf-8")
        line = complaint("score", tmp_path / "good.tsv", tmp_path / "bad.tsv")
        assert "bad.tsv line 2" in line
        assert reason in line
    assert "a second line" in complaint("score", tmp_path / "bad.tsv", tmp_path / "good.tsv")


@pytest.mark.parametrize(("lines", "reason"), [("", ""), ("x\ny\n", " (p.tsv line 1: no tab")])
def test_no_predictions_at_all_are_an_error(tmp_path: Path, lines: str, reason: str) -> None:
    (tmp_path / "p.tsv").write_text(lines, "utf-8")
    (tmp_path / "l.tsv").write_text("a\tx\nb\ty\n", "utf-8")
    line = complaint("score", "p.tsv", "l.tsv", cwd=tmp_path)
    assert line.startswith(f"san: p.tsv: no predictions in it{reason}")


def test_several_are_told_of_as_several(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("a\tx\nno tab\nnone\n", "utf-8")
    (tmp_path / "l.tsv").write_text("a\tx\nb\ty\nc\tz\n", "utf-8")
    done = san("score", "p.tsv", "l.tsv", cwd=tmp_path)
    assert "2 labels have no prediction, which counts as wrong: b, c" in done.stdout
    assert "2 lines of p.tsv were passed over: p.tsv line 2, p.tsv line 3" in done.stdout


def test_pictures_that_were_read_as_pages_are_told(tmp_path: Path) -> None:
    """By default a picture of two lines is a page, and has no prediction of its own."""
    (tmp_path / "p.tsv").write_text("a#1\tx\na#2\ty\nb\tz\nc#1\tz\n", "utf-8")
    (tmp_path / "l.tsv").write_text("folder/a.png\tx\nb\tz\n", "utf-8")
    done = san("score", "p.tsv", "l.tsv", cwd=tmp_path)
    assert "1 label has no prediction, which counts as wrong: folder/a.png" in done.stdout
    assert "(`san read --one` reads one formula each): a#1, a#2" in done.stdout
    assert "1 prediction has no label and was left out: c#1" in done.stdout


def test_only_what_was_read_is_compared(tmp_path: Path) -> None:
    (tmp_path / "p.tsv").write_text("a\tx\n", "utf-8")
    (tmp_path / "l.tsv").write_text("a\t\\frac{\nb\t\\frac{\n", "utf-8")
    done = san("score", "p.tsv", "l.tsv", cwd=tmp_path)
    assert "1 label is no formula: it was compared as text: a" in done.stdout
    assert "no formula and has no prediction, which counts as wrong: b" in done.stdout
    assert "label has no prediction" not in done.stdout


def test_an_empty_prediction_is_as_good_as_none(tmp_path: Path) -> None:
    figures = figures_of(tmp_path, "a\t\nb\t\n", "a\tx\nb\t\n")
    assert (figures["le1"], figures["le2"], figures["empty"]) == (50.0, 50.0, 1)


def test_lines_that_are_no_predictions_are_named_and_cannot_speak(tmp_path: Path) -> None:
    (tmp_path / "l.tsv").write_text("a\x1b[2J\tx\nc\tx\n", "utf-8")
    (tmp_path / "p.tsv").write_text("no tab\nb\x1b]0;\x07\ty\nc\tx\n", "utf-8")
    done = san("score", "p.tsv", "l.tsv", cwd=tmp_path)
    assert "1 line of p.tsv was passed over: p.tsv line 1" in done.stdout
    assert "counts as wrong: a\ufffd[2J" in done.stdout
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout


@pytest.mark.corpus
def test_all_of_hme100k_is_scored(data_root: Path) -> None:
    labels = data_root / "hme100k" / "test_labels.tsv"
    done = san("score", labels, labels)
    assert "100.00" in done.stdout


def test_without_its_package_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels = tmp_path / "labels.tsv"
    labels.write_text("a\tx + y\n")
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    with pytest.raises(SanError, match=r"needs rapidfuzz.*pip install '.\[score\]'"):
        score_command(labels, labels, None)
