"""tools/score_model.py; recipes/san.sh calls it, and is tested whole."""

import os
from pathlib import Path

import pytest
import tools.score_model
from tools.score_model import score_model

from san.errors import SanError


def test_a_folder_without_a_model_is_one_line(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(SanError, match=r"san\.safetensors: no such file; name the folder"):
            score_model(folder, {"x": (tmp_path / "y", None)})
    assert not list(tmp_path.iterdir())


def test_what_any_file_of_the_model_changes_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"san.{what}" for what in ("safetensors", "int8.json", "calibration.json")]
    files = [tmp_path / name for name in (*names, "rescoring.safetensors", "strokes.safetensors")]
    corpus = tmp_path / "corpus.zip"
    for file in (*files, corpus):
        file.write_text("{}")
        os.utime(file, (0, 0))
    read = []

    def evaluate(weights: Path, corpus: Path, labels: None, json_file: Path, **_: object) -> None:
        read.append(json_file.name)
        json_file.write_text("{}")
        os.utime(json_file, (9, 9))

    monkeypatch.setattr(tools.score_model, "evaluate", evaluate)
    for newer in files:
        score_model(tmp_path, {"x": (corpus, None)})
        read.clear()
        score_model(tmp_path, {"x": (corpus, None)})
        assert not read
        os.utime(newer, (10, 10))
        score_model(tmp_path, {"x": (corpus, None)})
        assert read == ["x.greedy.json", "x.default.json"]
        os.utime(newer, (0, 0))
