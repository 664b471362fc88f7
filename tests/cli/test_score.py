import json
import time
from pathlib import Path

import pytest

from tests.cli.console import complaint, san


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
    assert "1 labels have no prediction, which counts as wrong: c" in done.stdout
    assert "1 predictions are no formulas, which counts as wrong: d" in done.stdout


def test_writes_the_figures(files: tuple[Path, Path], tmp_path: Path) -> None:
    assert san("score", *files, "--json", tmp_path / "out.json").returncode == 0
    figures = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert (figures["n"], figures["exprate"], figures["le1"]) == (4, 25.0, 50.0)
    assert figures["easy"]["n"] == 4


def test_bad_input_is_one_line(files: tuple[Path, Path], tmp_path: Path) -> None:
    predictions, labels = files
    assert "no such file" in complaint("score", tmp_path / "none.tsv", labels)
    (tmp_path / "empty.tsv").write_text("")
    assert "no labels" in complaint("score", predictions, tmp_path / "empty.tsv")
    (tmp_path / "bytes.tsv").write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in complaint("score", tmp_path / "bytes.tsv", labels)


def test_a_place_that_cannot_be_written_is_one_line(
    files: tuple[Path, Path], tmp_path: Path
) -> None:
    done = san("score", *files, "--json", tmp_path / "no" / "folder.json")
    assert done.returncode == 2
    assert "there is no folder" in done.stderr


@pytest.mark.corpus
def test_all_of_hme100k_in_half_a_minute(data_root: Path) -> None:
    labels = data_root / "hme100k" / "test_labels.tsv"
    begin = time.monotonic()
    done = san("score", labels, labels)
    assert time.monotonic() - begin < 30
    assert "100.00" in done.stdout
