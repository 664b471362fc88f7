"""recipes/paper.sh: what it lists, what it calls with which values, and nothing twice.

A stand-in for Python writes down what is called and leaves results that say nothing but how long a
run was trained: that every system trains, is read and scored is tested where they are, and
tools/paper_scores.py in tests/tools.
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
import json, os, sys
from pathlib import Path

flag, *words = sys.argv[1:]
if flag == "-c" and "numpy" in words:  # is it there?
    sys.exit()
if flag == "-" and len(words) == 1:  # is a run finished?
    sys.exit(not Path(words[0], "finished").exists())
if flag == "-":  # were all runs trained for so many epochs?
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
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
    (run / ("finished" if done else "state.safetensors")).touch()
    epochs = next(int(word[16:]) for word in words if word.startswith("training.epochs="))
    facts = json.dumps(dict(epochs=epochs if done else 1, finished=done))
    header = json.dumps(dict(__metadata__=dict(facts=facts))).encode()  # of safetensors
    (run / "weights.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
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
    told = recipe(place, "-n")
    assert "the tables" not in told.stdout
    listed = steps(told)
    assert len(listed) == 3 + 2 * 7 * 2 + 1  # packs; two inks, seven runs, weights and scores
    for kind in SYSTEMS:
        for ink in ("plain", "composed"):
            assert f"runs/paper/{kind}-{ink}-0/scores.json" in listed
    assert not (place / "packs").exists()

    made = recipe(place, "-e", "7")
    assert made.stdout.endswith("runs/paper/tables.md: the tables\n")
    done = steps(made)
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

    again = steps(recipe(place, "-e", "7"))
    assert set(again.values()) == {"is there"}
    assert called(place) == lines

    # The tables would have them all.
    (place / "runs/paper/bttr-plain-0").rename(place / "moved")
    for options in ((), ("-n",), ("-s", "bttr")):
        told = recipe(place, *options)
        assert told.returncode == 2
        assert told.stderr == (
            "recipes/paper.sh: runs/paper/bttr-composed-0: trained for 7 epochs, not 100; "
            "take -e 7, or move it out of runs/paper\n"
        )
    assert called(place) == lines


@pytest.mark.slow
def test_a_slice_ends_in_time_and_the_next_goes_on(place: Path) -> None:
    begun = steps(recipe(place, "-s", "bttr", "-m", "5"))
    assert begun["runs/paper/bttr-plain-0"] == "is not finished: call the script again"
    assert "--resume" not in called(place)[-1]
    steps(recipe(place, "-s", "bttr", "-m", "5"))
    assert any("bttr-plain-0" in line and "--resume" in line for line in called(place))


@pytest.mark.slow
def test_weights_that_cannot_be_read_are_one_line(place: Path) -> None:
    fill(place / "runs" / "paper" / "san-plain-0", {"weights.safetensors": "none"})
    told = recipe(place, "-n")
    assert told.returncode == 2
    assert "san-plain-0/weights.safetensors: no weights can be read" in told.stderr
    assert told.stderr.count("\n") == 1


def test_what_is_wrong_is_one_line(place: Path) -> None:
    for words, complaint in (
        (("--what",), "--what: no such option"),
        (("-e",), "-e takes a value"),
        (("-e", "x"), "-e 'x': a number of epochs is wanted"),
        (("-e", "0"), "-e '0': a number of epochs is wanted"),
        (("-m", "x"), "-m 'x': a number of minutes is wanted"),
        (("-s", ""), "-s names no system"),
        (("-s", "san wap"), "wap: no such system; there are: dwap dwap-td bttr san-gs san"),
        (("-s", "../san"), "../san: no such system"),
        (("-s", "san", "-c", "data"), "data/san.toml: no such file"),
        (("more",), "one folder of data, not two"),
    ):
        told = recipe(place, "-n", *words)
        assert told.returncode == 2
        assert complaint in told.stderr
        assert told.stderr.count("\n") == 1
