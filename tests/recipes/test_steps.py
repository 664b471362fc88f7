"""recipes/steps.sh: when a step is left out, and which interpreter takes them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.data.drawn import fill
from tests.recipes.drawn_data import write_archives
from tests.recipes.test_san import steps

pytestmark = pytest.mark.slow

STEPS = REPOSITORY / "recipes" / "steps.sh"
SCRIPT = """
set -euo pipefail
recipe=some.sh dry=$1 python=false
source "$2"
step last and first input -- touch first last
step more last -- touch more
step other first -- touch other
"""


def recipe(
    folder: Path, dry: bool = False, script: str = SCRIPT
) -> "subprocess.CompletedProcess[str]":
    words = ["bash", "-c", script, "bash", str(dry).lower(), str(STEPS)]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder in which every step is done."""
    names = ("input", "first", "last", "more", "other")
    fill(tmp_path, dict.fromkeys(names, ""))
    for age, name in enumerate(names):
        os.utime(tmp_path / name, (1e9 + age, 1e9 + age))
    return tmp_path


@pytest.mark.parametrize("name", ["first", "last"])
def test_a_step_of_two_results_notices_that_one_is_missing(place: Path, name: str) -> None:
    assert set(steps(recipe(place)).values()) == {"is there"}
    (place / name).unlink()
    assert steps(recipe(place, dry=True)) == {
        "last": f"to be made: {'it' if name == 'last' else name} is missing",
        "more": "to be made: last is newer",
        "other": "to be made: first is newer",
    }
    assert not (place / name).exists()
    steps(recipe(place))
    assert (place / name).exists()
    assert set(steps(recipe(place)).values()) == {"is there"}


@pytest.mark.parametrize("name", ["first", "last"])
def test_an_input_that_is_newer_than_one_of_two_results_counts(place: Path, name: str) -> None:
    os.utime(place / name, (1e8, 1e8))
    assert steps(recipe(place, dry=True))["last"] == "to be made: input is newer"


def test_a_result_that_was_not_made_is_one_line(place: Path) -> None:
    (place / "first").unlink()
    told = recipe(place, script=SCRIPT.replace("touch first last", "touch last"))
    assert told.returncode == 2
    assert told.stderr == "some.sh: first: it was not made\n"


def interpreter(path: Path, options: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" {options} "$@"\n')
    path.chmod(0o755)
    return path


def test_the_repositorys_interpreter_is_taken_where_the_shells_lacks_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    interpreter(tmp_path / "bin" / "python3", "-S")  # without any package
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.delenv("PYTHON", raising=False)
    script = """
        recipe=some.sh dry=$1 repository=$PWD
        source "$2"
        choose_python
        echo "$python"
    """
    told = recipe(tmp_path, script=script)
    assert told.returncode == 2
    assert told.stderr == (
        "some.sh: python3 lacks numpy or safetensors or torch: "
        "pip install '.[train]', or name another as PYTHON\n"
    )
    own = interpreter(tmp_path / ".venv" / "bin" / "python")
    assert recipe(tmp_path, script=script).stdout == f"{own}\n"
    interpreter(tmp_path / "bin" / "python3")
    assert recipe(tmp_path, script=script).stdout == "python3\n"


@pytest.mark.parametrize("packages", ["", "numpy"])
@pytest.mark.parametrize("name", ["san", "own-hand", "paper"])
def test_an_interpreter_that_lacks_packages_is_one_line(
    tmp_path: Path, name: str, packages: str
) -> None:
    write_archives(tmp_path / "data")
    bare = interpreter(tmp_path / "bare", "-S")
    (tmp_path / "site" / packages).mkdir(parents=True)
    told = subprocess.run(
        [str(REPOSITORY / "recipes" / f"{name}.sh"), "data", "-n"],
        cwd=tmp_path,
        env={**os.environ, "PYTHON": str(bare), "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
    )
    assert told.returncode == 2
    assert f"{bare} lacks numpy or safetensors: pip install" in told.stderr
    assert told.stderr.count("\n") == 1
