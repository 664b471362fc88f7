"""recipes/paper.sh: what it lists, what it calls with which values, and nothing twice.

A stand-in for Python writes down what is called and leaves empty results: that every system trains,
is read and scored is tested where they are, and tools/paper_scores.py in tests/tools.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.data.drawn import fill
from tests.recipes.test_san import steps

SCRIPT = REPOSITORY / "recipes" / "paper.sh"
SYSTEMS = ("dwap", "dwap-td", "bttr", "san-gs", "san")
STAND_IN = f"""#!{sys.executable}
import sys
from pathlib import Path

flag, *words = sys.argv[1:]
if flag == "-":  # is a run finished?
    sys.exit(not Path(words[0], "finished").exists())
if flag == "-c" and not words[1:]:  # how many images are there?
    print(40)
    sys.exit()
with open("called.txt", "a") as file:
    print(*words[flag == "-c":], file=file)
if flag == "-m":
    name, folder = words[:2]
    Path(folder, "tables.md" if name.endswith("tables") else "scores.json").touch()
elif "train" in words:
    run = Path(words[words.index("-o") + 1])
    done = "--resume" in words or "0" == words[words.index("--minutes") + 1]
    for name in ("weights.safetensors", "finished" if done else "state.safetensors"):
        (run / name).touch()
else:
    Path(words[words.index("-o") + 1]).touch()
"""


def recipe(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": str(folder / "python")}
    words = [str(SCRIPT), "data", *options]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    names = ("train.inkml.zip", "test2014.bitmaps.zip", "test2016.bitmaps.zip")
    fill(tmp_path / "data" / "crohme", dict.fromkeys((*names, "test2014.tsv", "test2016.tsv"), ""))
    fill(tmp_path / "data" / "formulas", {"some.txt": "x"})
    (tmp_path / "python").write_text(STAND_IN)
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def called(folder: Path) -> list[str]:
    return (folder / "called.txt").read_text().splitlines()


@pytest.mark.slow
def test_every_system_has_its_rows(place: Path) -> None:
    listed = steps(recipe(place, "-n"))
    assert len(listed) == 3 + 2 * 7 * 2 + 1  # packs; two inks, seven runs, weights and scores
    for kind in SYSTEMS:
        for ink in ("plain", "composed"):
            assert f"runs/paper/{kind}-{ink}-0/scores.json" in listed
    assert not (place / "packs").exists()

    done = steps(recipe(place, "-e", "7"))
    assert done.keys() == listed.keys()
    lines = called(place)
    trained = [line for line in lines if line.startswith("train ")]
    assert len(trained) == 14
    for line in trained:  # the same buckets and epochs are the same updates
        assert "--set data.buckets=12 --set training.epochs=7 --set training.minutes=0" in line
        assert ("synth.samples_per_epoch=40" in line) == ("-composed-" in line)
    assert sum("training.seed=1" in line for line in trained) == 4
    beams = {line.split()[1]: line.split()[3] for line in lines if "paper_scores" in line}
    assert {run for run, beam in beams.items() if beam == "10"} == {
        f"runs/paper/{system}-{ink}-{seed}"
        for system, seeds in (("dwap", "01"), ("bttr", "0"))
        for ink in ("plain", "composed")
        for seed in seeds
    }
    assert lines[-1] == "tools.paper_tables runs/paper"

    again = steps(recipe(place))
    assert set(again.values()) == {"is there"}
    assert called(place) == lines


@pytest.mark.slow
def test_a_slice_ends_in_time_and_the_next_goes_on(place: Path) -> None:
    begun = steps(recipe(place, "-s", "bttr", "-m", "5"))
    assert begun["runs/paper/bttr-plain-0"] == "is not finished: call the script again"
    assert "--resume" not in called(place)[-1]
    steps(recipe(place, "-s", "bttr", "-m", "5"))
    assert any("bttr-plain-0" in line and "--resume" in line for line in called(place))


def test_what_is_wrong_is_one_line(place: Path) -> None:
    for words, complaint in (
        (("--what",), "--what: no such option"),
        (("-e",), "-e takes a value"),
        (("-s", "wap"), "wap.toml: no such file"),
        (("more",), "one folder of data, not two"),
    ):
        told = recipe(place, *words)
        assert told.returncode == 2
        assert complaint in told.stderr
        assert told.stderr.count("\n") == 1
