import json
import re
import subprocess
from pathlib import Path

import pytest
from PIL import Image

import san
from san.model.torch.weights import read_facts
from san.training.run_log import commit, draw_curve, read_log
from tests.training.test_loop import config, corpus, quiet


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package's folder that is in no repository yet."""
    monkeypatch.setattr(san, "__file__", str(tmp_path / "__init__.py"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    (tmp_path / "__init__.py").write_text("")
    commit.cache_clear()
    yield tmp_path  # type: ignore[misc]
    commit.cache_clear()


def test_the_commit_of_a_repository(package: Path) -> None:
    git(package, "init")
    assert commit() == ""  # within a repository, but not of it
    git(package, "add", ".")
    git(package, "commit", "-m", "first")
    commit.cache_clear()
    clean = commit()
    assert re.fullmatch("[0-9a-f]{7,}", clean)
    (package / "__init__.py").write_text("changed")
    commit.cache_clear()
    assert commit() == f"{clean}-dirty"


def test_no_repository_and_no_git(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert commit() == ""
    monkeypatch.setenv("PATH", "")
    commit.cache_clear()
    assert commit() == ""


@pytest.mark.slow
def test_weights_say_commit_and_scores(tmp_path: Path) -> None:
    from san.training.loop import TrainingRun

    own = corpus()
    TrainingRun(config(epochs=1), own, own, tmp_path, say=quiet).go()
    facts = json.loads(read_facts(tmp_path / "weights.safetensors")["facts"])
    assert facts["commit"] == commit()
    assert {"validation_exact", "validation_steps", "validation_blank"} <= facts.keys()
    # One that goes on keeps the scores until it has new ones.
    again = TrainingRun(
        config(epochs=2), own, None, tmp_path, resume=tmp_path / "state.safetensors", say=quiet
    )
    again.go()
    later = json.loads(read_facts(tmp_path / "weights.safetensors")["facts"])
    assert later["validation_steps"] == facts["validation_steps"]
    assert later["epochs"] == 2


LINES = [
    {"epoch": 1, "symbol": 2.0, "relation": 0.4, "reversed": 0.0, "regularisation": 0.0},
    {"epoch": 2, "symbol": 1.0, "relation": 0.2, "exact": 40.0, "steps": 80.0, "blank": 20.0},
]


@pytest.mark.slow
def test_a_log_is_drawn_and_a_line_cut_off_is_passed_over(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, LINES)) + '\n{"epoch": 3, "sym', "utf-8")
    assert read_log(log) == LINES
    draw_curve(log, tmp_path / "curve.png")
    with Image.open(tmp_path / "curve.png") as picture:
        colours = picture.convert("RGB").getcolors(1 << 20)
        assert colours is not None
        assert len(colours) > 5  # axes, and curves in several colours
    assert sorted(file.name for file in tmp_path.iterdir()) == ["curve.png", "log.jsonl"]


def test_a_log_without_lines_is_an_empty_picture(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("")
    draw_curve(tmp_path / "log.jsonl", tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 1000
