"""tools/score_model.py; recipes/san.sh calls it, and is tested whole."""

from pathlib import Path

import pytest
from tools.score_model import score_model

from san.errors import SanError


def test_a_folder_without_a_model_is_one_line(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(SanError, match=r"san\.safetensors: no such file; name the folder"):
            score_model(folder, {"x": (tmp_path / "y", None)})
    assert not list(tmp_path.iterdir())
