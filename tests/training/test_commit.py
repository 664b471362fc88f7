import json
import re
import subprocess
from pathlib import Path

import pytest

import san
from san.model.torch.weights import read_facts
from san.training import commit as module
from san.training.commit import commit
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
    module.commit.cache_clear()
    yield tmp_path  # type: ignore[misc]
    module.commit.cache_clear()


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


def test_weights_say_commit_and_scores(tmp_path: Path) -> None:
    from san.training.loop import Run

    own = corpus()
    Run(config(epochs=1), own, own, tmp_path, say=quiet).go()
    facts = json.loads(read_facts(tmp_path / "weights.safetensors")["facts"])
    assert facts["commit"] == commit()
    assert {"validation_exact", "validation_steps", "validation_blank"} <= facts.keys()
    # One that goes on keeps the scores until it has new ones.
    again = Run(
        config(epochs=2), own, None, tmp_path, resume=tmp_path / "state.safetensors", say=quiet
    )
    again.go()
    later = json.loads(read_facts(tmp_path / "weights.safetensors")["facts"])
    assert later["validation_steps"] == facts["validation_steps"]
    assert later["epochs"] == 2
