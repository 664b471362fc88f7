"""recipes/san.sh on tiny data: from archives to a model card, in slices, and nothing twice."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from san.data.pack import Pack
from san.decoding import Calibration
from san.decoding.confidence import fingerprint
from san.model.onnx.int8_ranges import load_ranges
from san.models import rescoring_for
from san.reader.rescoring.rescorer import Rescorer
from tests.conftest import REPOSITORY
from tests.recipes.drawn_data import CONFIG, write_archives

pytest.importorskip("torch")
pytest.importorskip("onnx")  # eight bits are fitted with it

SCRIPT = REPOSITORY / "recipes" / "san.sh"
FIRST, LAST = (f"runs/san/{stage}/weights.safetensors" for stage in ("ink", "soup"))
STEP = re.compile(r"^\[ *\d+\] (\S+) +(.+)$", re.MULTILINE)


def recipe(
    folder: Path, *options: str, data: str = "data", script: Path = SCRIPT
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHON": sys.executable, "OMP_NUM_THREADS": "1"}
    words = [str(script), data, "-c", "tiny.toml", *options]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)


def steps(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """What was last said of each result."""
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return dict(STEP.findall(done.stdout))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipe")
    write_archives(folder / "data")
    (folder / "tiny.toml").write_text(CONFIG)
    return folder


@pytest.mark.slow
def test_what_is_wrong_is_one_line(place: Path) -> None:
    for words, complaint in (
        (("--what",), "--what: no such option"),
        (("-c",), "-c takes a value"),
        (("more",), "one folder of data, not two"),
        (("-c", "none.toml"), "none.toml: no such file"),
        (("-n", "-m", "x"), "-m 'x': a number of minutes is wanted"),
    ):
        told = recipe(place, *words)
        assert told.returncode == 2
        assert complaint in told.stderr
        assert told.stderr.count("\n") == 1
    assert "train.inkml.zip: no such file" in recipe(place, data="none").stderr
    (place / "wrong.toml").write_text(CONFIG.replace("precision", "precisoin"))
    told = recipe(place, "-n", "-c", "wrong.toml")
    assert told.returncode == 2
    assert "training.precisoin: unknown" in told.stderr


@pytest.mark.slow
def test_what_is_shipped_is_made_of_fonts_as_well(place: Path) -> None:
    listed = steps(recipe(place, "-n", "-c", str(REPOSITORY / "configs" / "san.toml")))
    made = list(listed)
    assert {"packs/print.npz", "packs/font-glyphs.npz"} <= {*made[: made.index(FIRST)]}
    assert [name for name in made if name.endswith("/weights.safetensors")][-1] == LAST
    assert "packs/font-glyphs.npz" not in steps(recipe(place, "-n"))


@pytest.mark.slow
def test_fonts_that_npm_did_not_bring_to_an_end_are_brought_again(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "recipes"
    shutil.copytree(SCRIPT.parent, copy, ignore=shutil.ignore_patterns("node_modules"))
    (tmp_path / "src").symlink_to(REPOSITORY / "src")
    config = CONFIG.replace("\n[synth]\n", '\n[synth]\nhands = ["packs/font-glyphs.npz"]\n')
    (tmp_path / "tiny.toml").write_text(config)
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text('#!/bin/sh\nmkdir -p "$4/node_modules"; echo brought >> brought.txt\n')
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{npm.parent}:{os.environ['PATH']}")
    san = partial(recipe, tmp_path, data=str(place / "data"), script=copy / "san.sh")
    (tmp_path / "packs").mkdir()
    for name in ("packs/photos.npz", "packs/lines.npz", *steps(san("-n"))):
        if name.startswith("packs/") and name != "packs/font-glyphs.npz":  # those are there
            (tmp_path / name).touch()
    for _ in range(2):  # it is stopped in the middle, and leaves a folder
        assert "font-glyphs.npz: it could not be made" in san("-p").stderr
    (copy / "handwriting-fonts" / "node_modules" / ".package-lock.json").touch()
    san("-p")
    assert (tmp_path / "brought.txt").read_text() == "brought\nbrought\n"


@pytest.mark.slow
def test_from_archives_to_a_card_in_slices_and_nothing_twice(place: Path) -> None:
    listed = steps(recipe(place, "-n"))
    assert set(listed.values()) <= {"to be made: it is missing", "to be made: it is not finished"}
    assert not (place / "packs").exists()
    trained = [name.split("/")[2] for name in listed if name.endswith("/weights.safetensors")]
    assert trained == ["ink", "all", "lines", "mean"]  # and no trial

    # Packs that need no training can be made by themselves.
    packed = steps(recipe(place, "-p"))
    assert list(packed) == list(listed)[: len(packed)]
    assert list(listed)[len(packed)] == "runs/tiny/ink/weights.safetensors"
    assert not (place / "runs").exists()

    # A slice ends in the first stage; the next call goes on there.
    begun = steps(recipe(place, "-m", "0.001"))
    assert begun["runs/tiny/ink"] == "is not finished: call the script again"
    assert (place / "runs/tiny/ink/state.safetensors").exists()
    ended = recipe(place)
    done = steps(ended)
    assert done["packs/formulas.txt"] == "is there"
    assert done["runs/tiny/ink/weights.safetensors"].startswith("done in")
    assert listed.keys() == done.keys()

    # Lines of photographs of several are photographs of one line to the last stage.
    assert "packs/all-photo-masks.npz" in done
    known = Pack.load(place / "packs/photos.npz").ids
    learnt = Pack.load(place / "packs/all-photos.npz")
    assert list(learnt.ids[: len(known)]) == list(known)
    assert len(learnt) > len(known)
    assert all("-line-" in name for name in learnt.ids[len(known) :])

    model = place / "runs/tiny/model"
    weights = model / "san.safetensors"
    assert load_ranges(weights)
    assert Calibration.load(weights).photographed != 0
    assert rescoring_for(weights) == model / "rescoring.safetensors"
    assert Rescorer(model / "rescoring.safetensors").fitted_for == fingerprint(weights)
    card = (model / "san.md").read_text("utf-8")
    assert fingerprint(weights) in card
    assert "CROHME 2014 (78) | validation" in card
    assert "test photographs (4) | test" in card
    stage = next(line for line in card.splitlines() if line.startswith("| ink |"))
    seed, _, samples, *scores = stage.split(" | ")[2:]
    assert (seed, samples, len(scores)) == ("1", "1,152", 4)
    assert "$" not in card

    again = steps(recipe(place))
    assert again.keys() == done.keys()
    assert set(again.values()) == {"is there"}

    # So it is with either of two results of one step.
    for name, step in (
        ("photos", "photos-held"),
        ("lines", "val-lines"),
        ("photo-glyphs", "photo-masks"),
    ):
        moved = (place / "packs" / f"{name}.npz").rename(place / "moved.npz")
        left = steps(recipe(place, "-n"))
        assert left[f"packs/{step}.npz"] == f"to be made: {name}.npz is missing"
        moved.rename(place / "packs" / f"{name}.npz")

    # Whoever removes a result has it made anew, with all that follows from it.
    (model / "san.calibration.json").unlink()
    left = steps(recipe(place, "-n"))
    to_do = {name.rpartition("/")[2] for name, what in left.items() if what != "is there"}
    assert to_do == {"san.calibration.json", "rescoring.safetensors", "scores.json", "san.md"}


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="sha256sum is not here")
def test_the_command_that_ships_a_model_writes_its_sums(tmp_path: Path) -> None:
    script = SCRIPT.read_text("utf-8")
    end = "dry=false model=made\n" + script[script.index('$dry || echo "What is shipped') :]
    told = subprocess.run(["bash", "-c", end], capture_output=True, text=True, check=True).stdout
    made, models = tmp_path / "made", tmp_path / "src" / "san" / "models"
    for folder in (made, models):
        folder.mkdir(parents=True)
        for name in ("san", "strokes", "rescoring"):
            (folder / f"{name}.safetensors").write_text(f"{name} of {folder.name}")
    (made / "san.md").write_text("a card")
    (models / "SHA256SUMS").write_text("of other files")
    command = told[told.index("cp ") : told.index(";")]
    subprocess.run(["bash", "-c", command], cwd=tmp_path, check=True)
    assert (models / "san.safetensors").read_text() == "san of made"
    sums = dict(line.split()[::-1] for line in (models / "SHA256SUMS").read_text().splitlines())
    files = sorted(models.glob("*.safetensors"))
    assert sums == {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
