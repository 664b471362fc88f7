"""recipes/own-hand.sh on tiny data: from a collection to a model, and nothing twice."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from san.ink import Box, write_inkml
from san.ink.alphabet import compose
from san.reader import Recognizer
from tests.conftest import REPOSITORY
from tests.training.test_average import TINY, weights

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

SCRIPT = REPOSITORY / "recipes" / "own-hand.sh"
CONFIG = f"""
name = "own-hand"
[network]
stem = {TINY.stem}
growth = {TINY.growth}
layers = {TINY.layers}
hidden = {TINY.hidden}
embedding = {TINY.embedding}
attention = {TINY.attention}
coverage_kernel = {TINY.coverage_kernel}
merge = {TINY.merge}
reversed = false
[data]
train = "packs/own-hand.npz"
[synth]
samples_per_epoch = 8
workers = 1
shares = {{ composed = 0.0, varied = 0.5, plain = 0.5 }}
final_shares = {{ composed = 0.0, varied = 0.5, plain = 0.5 }}
[training]
epochs = 1
batch_size = 4
optimiser = "adamw"
learning_rate = 1e-3
init_weights = "begun.safetensors"
keep_symbols = true
frozen = ["encoder"]
[[stages]]
name = "tuned"
"""


def recipe(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, "PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}
    command = [str(SCRIPT), *words, "-c", "tiny.toml"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)


def steps(done: "subprocess.CompletedProcess[str]") -> dict[str, str]:
    """What was last said of each result."""
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return dict(re.findall(r"^\[ *\d+\] (\S+) +(.+)$", done.stdout, re.MULTILINE))


def write(folder: Path, name: str, *symbols: str) -> None:
    folder.mkdir(exist_ok=True)
    boxes = (Box(50 * number, 0, 50 * number + 40, 60) for number in range(len(symbols)))
    sheet = compose(list(zip(symbols, boxes, strict=True)), truth=" ".join(symbols))
    (folder / f"{name}.inkml").write_bytes(write_inkml(sheet))


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "tiny.toml").write_text(CONFIG)
    weights(tmp_path / "begun.safetensors", 1, "xy1")
    for number in range(3):
        write(tmp_path / "mine", f"m{number}", "x", "+", "1")
        write(tmp_path / "theirs", f"t{number}", "y", "1", "x")
    return tmp_path


def test_from_a_collection_to_a_model_and_nothing_twice(place: Path) -> None:
    words = ("mine", "-d", "theirs")
    assert {what.partition(":")[0] for what in steps(recipe(place, *words, "-n")).values()} == {
        "to be made"
    }
    made = recipe(place, *words)
    model = place / "runs/own-hand/own-hand.safetensors"
    assert "--model runs/own-hand/own-hand.safetensors" in made.stdout
    assert set(steps(recipe(place, *words)).values()) == {"is there"}
    Recognizer(model, threads=1)  # which knows a symbol more: +
    # More ink, and it is tuned anew.
    first = model.read_bytes()
    write(place / "mine", "more", "1", "+", "y")
    os.utime(place / "mine", (2e9, 2e9))
    again = steps(recipe(place, *words))
    assert again["runs/own-hand/tuned/weights.safetensors"].startswith("done in")
    assert model.read_bytes() != first


def test_what_is_wrong_is_one_line(place: Path) -> None:
    for words, complaint in (
        ((), "name the collection"),
        (("none",), "none: no such file"),
        (("mine", "more"), "one collection, not two"),
        (("mine", "--what"), "--what: no such option"),
    ):
        told = recipe(place, *words)
        assert told.returncode == 2
        assert told.stderr.count("\n") == 1
        assert complaint in told.stderr
    (place / "tiny.toml").write_text(CONFIG.replace("frozen", "frosen"))
    told = recipe(place, "mine")
    assert told.returncode == 2
    assert "training.frosen: unknown" in told.stderr
