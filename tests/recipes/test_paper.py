"""recipes/paper.sh: what it lists, what it calls with which values, and nothing twice.

A stand-in for Python writes down what is called and leaves results that say nothing but how long a
run was trained: that every system trains, is read and scored is tested where they are, and the
tools in tests/tools. One test goes through all of it with two tiny networks.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.data.drawn import fill
from tests.recipes.drawn_data import write_archives
from tests.recipes.test_san import steps

SCRIPT = REPOSITORY / "recipes" / "paper.sh"
SYSTEMS = ("dwap", "dwap-td", "bttr", "san-gs", "san")
STAND_IN = f"""#!{sys.executable}
import json, os, sys, time
from pathlib import Path

flag, *words = sys.argv[1:]
if flag == "-c" and "numpy" in words:  # is it there?
    sys.exit()
if flag == "-" and len(words) == 1:  # is a run finished?
    sys.exit(not Path(words[0], "finished").exists())
if flag == "-":  # were all runs trained for so many epochs?
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
if flag == "-c" and len(words) < 3:  # how many images, or workers, are there?
    print(7 if words[1:] else 40)
    sys.exit()
with open("called.txt", "a") as file:
    print(*words[flag == "-c":], file=file)
if flag.endswith("paper_speed.py") or words[0] == "tools.paper_statistics":
    Path(words[words.index("-o") + 1]).touch()
elif flag == "-m":
    name, folder = words[:2]
    made = dict(paper_tables="tables.md", paper_scores="scores.json", paper_figures="README.md")
    Path(folder).mkdir(exist_ok=True)
    Path(folder, made[name[6:]]).touch()
elif "train" in words:
    run = Path(words[words.index("-o") + 1])
    if run.name in os.environ.get("BREAKS", "").split():
        sys.exit("it is broken")
    if "HANGS" in os.environ:
        Path(run, "pid").write_text(str(os.getpid()))
        time.sleep(60)
    done = "--resume" in words or "0" == words[words.index("--minutes") + 1]
    (run / ("finished" if done else "state.safetensors")).touch()
    epochs = next(int(word[16:]) for word in words if word.startswith("training.epochs="))
    facts = json.dumps(dict(epochs=epochs if done else 1, finished=done))
    header = json.dumps(dict(__metadata__=dict(facts=facts))).encode()  # of safetensors
    (run / "weights.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
else:
    Path(words[words.index("-o") + 1]).touch()
"""

TINY = """
name = "tiny"
[network]
kind = "{}"
reversed = false
stem = 8
growth = 4
layers = 2
hidden = 16
embedding = 16
attention = 16
coverage_kernel = 5
merge = 12
[data]
train = "packs/crohme-train.npz"
validation = "packs/crohme-2014.npz"
depth_buckets = 2
[training]
batch_size = 16
optimiser = "adamw"
learning_rate = 6e-3
"""


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "PYTHON": str(folder / "python"), **more}


def recipe(folder: Path, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    words, own = [str(SCRIPT), "data", *options], environment(folder, **more)
    return subprocess.run(words, cwd=folder, env=own, capture_output=True, text=True)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    names = ("train.inkml.zip", "test2014.bitmaps.zip", "test2016.bitmaps.zip")
    fill(
        tmp_path / "data" / "crohme",
        dict.fromkeys((*names, *(f"{part}.tsv" for part in ("train", "test2014", "test2016"))), ""),
    )
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
    # Packs; two inks, seven runs, weights and scores; tables, statistics, speed, figures.
    assert len(listed) == 3 + 2 * 7 * 2 + 3 + 2
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
    assert lines[-5] == "tools.paper_tables runs/paper"
    named = " ".join(f"{system}=runs/paper/{system}-{{ink}}-0" for system in SYSTEMS)
    plain, composed = named.format(ink="plain"), named.format(ink="composed")
    assert lines[-3] == f"packs/crohme-2014.npz {plain} -o runs/paper/speed.md"
    assert lines[-2:] == [
        f"tools.paper_figures runs/paper/figures-plain {plain}",
        f"tools.paper_figures runs/paper/figures-composed {composed}",
    ]

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
def test_of_several_at_the_same_time_one_fails_and_the_others_go_on(place: Path) -> None:
    options = ("-s", "dwap san", "-i", "plain", "-j", "3")
    told = recipe(place, *options, BREAKS="dwap-plain-1")
    assert told.returncode == 2
    assert told.stderr == (
        "recipes/paper.sh: runs/paper/dwap-plain-1 failed: it is broken "
        "(runs/paper/dwap-plain-1/output.txt)\n"
        "recipes/paper.sh: failed: runs/paper/dwap-plain-1\n"
    )
    runs = place / "runs" / "paper"
    scored = {path.parent.name for path in runs.glob("*/scores.json")}
    assert scored == {"dwap-plain-0", "san-plain-0", "san-plain-1"}
    assert {path.read_text() for path in runs.glob("*/at_once.txt")} == {"3\n"}
    assert (runs / "tables.md").exists()

    # Called again, only what failed is trained, and what is made of it.
    before = len(called(place))
    assert recipe(place, *options).returncode == 0
    assert [line.split()[0] for line in called(place)[before:]] == [
        "train", "tools.paper_scores", "tools.paper_tables",
    ]  # fmt: skip
    listed = steps(recipe(place, "-n", "-r", "1"))
    scored = [name for name in listed if name.endswith("scores.json")]
    assert {name.split("/")[2] for name in scored} == {
        f"{system}-{ink}-1" for system in ("dwap", "san") for ink in ("plain", "composed")
    }
    recipe(place, "-s", "san-gs", "-i", "composed", "-j", "2")
    trained = [line for line in called(place) if line.startswith("train ")]
    assert "synth.workers=7" in trained[-1]
    assert not any("synth.workers" in line for line in trained[:-1])


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopping_it_stops_all_that_it_trains(place: Path, number: signal.Signals) -> None:
    words = [str(SCRIPT), "data", "-i", "plain", "-j", "2"]
    runs = place / "runs" / "paper"
    with subprocess.Popen(
        words, cwd=place, env=environment(place, HANGS="1"), stdout=subprocess.DEVNULL
    ) as script:
        until = time.monotonic() + 30
        while len(found := list(runs.glob("*/pid"))) < 2 or not all(p.read_text() for p in found):
            assert script.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        script.send_signal(number)
        assert script.wait(10) == 128 + number
    for file in found:
        process = int(file.read_text())
        until = time.monotonic() + 10
        while Path(f"/proc/{process}").exists() and "Z" not in _state(process):
            assert time.monotonic() < until, f"{file.parent.name} goes on"
            time.sleep(0.05)


@pytest.mark.slow
def test_from_archives_to_figures(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    write_archives(tmp_path / "data")
    fill(
        tmp_path / "tiny", {f"{kind}.toml": TINY.format(kind) for kind in ("dwap", "san-gs", "san")}
    )
    options = (
        "-c",
        "tiny",
        "-s",
        "dwap san-gs san",
        "-r",
        "0",
        "-e",
        "2",
        "-j",
        "3",
        "-i",
        "composed",
    )
    done = recipe(tmp_path, *options, PYTHON=sys.executable, OMP_NUM_THREADS="1")
    assert (done.returncode, done.stderr) == (0, "")
    runs = tmp_path / "runs" / "paper"
    tables = (runs / "tables.md").read_text("utf-8").splitlines()
    updates = {line.split(" | ")[3] for line in tables if line.endswith(" M |")}
    assert updates == {"4"}  # two batches of 27 images, twice
    assert "| CROHME 2014 | 78 |" in (runs / "statistics.md").read_text("utf-8")
    assert "| san | level by level |" in (runs / "speed.md").read_text("utf-8")
    index = (runs / "figures-composed" / "README.md").read_text("utf-8")
    assert "| san-gs | san-gs | " in index
    again = recipe(tmp_path, *options, PYTHON=sys.executable)
    assert set(steps(again).values()) == {"is there"}


def _state(process: int) -> str:
    """Of a process, a letter; Z has ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


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
        (("-j", "0"), "-j '0': a number of runs is wanted"),
        (("-i", "red"), "-i 'red': plain or composed"),
        (("-r", "2"), "-r '2': seeds are 0 and 1"),
        (("-r", "1", "-s", "bttr"), "there is nothing of seed 1"),
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
