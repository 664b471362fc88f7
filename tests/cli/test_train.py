import json
from pathlib import Path

import pytest

from san.data.corpus import open_corpus
from san.data.pack import write_pack
from tests.cli.console import complaint, san
from tests.data.drawn import fill, inkml

pytestmark = pytest.mark.slow

pytest.importorskip("torch")

FORMULAS = ["x+1", "x^{2}", r"\frac{1}{x}", "1+x", "x"]
TINY = """
name = "tiny"
[network]
stem = 8
growth = 4
layers = 1
hidden = 16
embedding = 16
attention = 16
coverage_kernel = 5
merge = 12
[data]
train = "train.npz"
validation = "train.npz"
buckets = 2
[training]
epochs = 2
batch_size = 4
precision = "fp32"
validate_every = 1
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a packed corpus and a configuration."""
    folder = tmp_path_factory.mktemp("training")
    files = {f"ink/{n}.inkml": inkml(latex, n) for n, latex in enumerate(FORMULAS)}
    fill(folder, {**files, "tiny.toml": TINY})
    assert write_pack(open_corpus(folder / "ink"), folder / "train.npz") == len(FORMULAS)
    return folder


def test_a_run_leaves_weights_state_log_and_curve_and_goes_on(place: Path) -> None:
    begun = san("train", "tiny.toml", "--set", "training.epochs=1", "-o", "run", cwd=place)
    assert begun.returncode == 0, begun.stderr
    kept = {"weights.safetensors", "state.safetensors", "log.jsonl", "curve.png"}
    assert kept <= {file.name for file in (place / "run").iterdir()}
    said = complaint("train", "tiny.toml", "-o", "run", cwd=place)
    assert "a run lies here already; go on with it (--resume" in said
    assert said.endswith("another folder (-o)")
    gone_on = san("train", "tiny.toml", "-o", "run", "--resume", cwd=place)
    assert gone_on.returncode == 0, gone_on.stderr
    lines = (place / "run" / "log.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["epoch"] for line in lines] == [1, 2]
    assert all("exact" in json.loads(line) for line in lines)
    weights = place / "run" / "weights.safetensors"
    assert "ExpRate" in san("evaluate", weights, place / "train.npz").stdout


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (("training.epoch=1",), "training.epoch: unknown"),
        (("training.epochs=many",), "training.epochs: int is wanted"),
        (("training.epochs=0",), "is not between"),
        (("training.optimiser=sgd",), "one of adadelta, adamw, muon"),
        (("training",), "section.key=value"),
        (("data.train=none.npz",), "none.npz"),
        (("data.train=tiny.toml",), "tiny.toml"),
        (('data.train=""',), "names no packed corpus"),
    ],
)
def test_a_bad_value_is_one_line(place: Path, changes: tuple[str, ...], reason: str) -> None:
    options = [part for change in changes for part in ("--set", change)]
    assert reason in complaint("train", "tiny.toml", "-o", "other", *options, cwd=place)


def test_what_is_not_there_is_one_line(place: Path) -> None:
    assert "none.toml: no such file" in complaint("train", "none.toml", cwd=place)
    assert "train.npz: not TOML" in complaint("train", "train.npz", cwd=place)
    assert "tiny.toml: is no" in complaint("train", "tiny.toml", "-o", "tiny.toml", cwd=place)
    assert "no state" in complaint("train", "tiny.toml", "-o", "new", "--resume", cwd=place)


def test_a_device_that_is_not_there_is_one_line(place: Path) -> None:
    assert "'gpu' is not one of" in complaint("train", "tiny.toml", "--device", "gpu", cwd=place)
    hidden = {"CUDA_VISIBLE_DEVICES": ""}
    words = ("train", "tiny.toml", "-o", "nowhere", "--device", "cuda")
    done = san(*words, cwd=place, environment=hidden)
    assert done.returncode == 2
    assert done.stderr.startswith("san: no CUDA device can be used (")
    assert done.stderr.count("\n") == 1
    assert not (place / "nowhere").exists()


def test_a_misspelt_value_of_the_language_model_is_one_line(place: Path) -> None:
    (place / "misspelt.toml").write_text(f"{TINY}[language_model]\nhiden = 3\n", "utf-8")
    for options in ((), ("--print-config",)):
        told = complaint("train", "misspelt.toml", "-o", "nowhere", *options, cwd=place)
        assert "language_model.hiden: unknown" in told
    assert not (place / "nowhere").exists()


STAGES = """
[[stages]]
name = "first"
[[stages]]
name = "aside"
init = ""
[[stages]]
name = "second"
init = "first"
[stages.training]
epochs = 1
[[stages]]
name = "third"
[[stages]]
name = "trial"
init = "first"
trial = true
"""


def test_a_stage_is_printed_with_those_that_it_begins_with_and_reads_back(place: Path) -> None:
    from san.training.config import load_stages

    (place / "stages.toml").write_text(TINY + STAGES, "utf-8")
    declared = {stage.name: stage for stage in load_stages(place / "stages.toml")}
    for options, names in (
        (("--stage", "second"), ["first", "second"]),
        (("--stage", "aside"), ["aside"]),
        (("--stage", "trial"), ["first", "trial"]),
        ((), [*declared]),
    ):
        printed = san("train", "--print-config", "stages.toml", *options, cwd=place)
        assert printed.returncode == 0, printed.stderr
        (place / "chosen.toml").write_text(printed.stdout, "utf-8")
        assert load_stages(place / "chosen.toml") == tuple(declared[name] for name in names)


def test_the_whole_configuration_is_printed_and_reads_back(place: Path) -> None:
    from san.training.config import load_config

    printed = san("train", "--print-config", "tiny.toml", "--set", "training.epochs=3", cwd=place)
    assert printed.returncode == 0, printed.stderr
    (place / "printed.toml").write_text(printed.stdout, "utf-8")
    config = load_config(place / "printed.toml")
    assert config == load_config(place / "tiny.toml", ["training.epochs=3"])
    line = next(row for row in printed.stdout.splitlines() if row.startswith("coverage_kernel"))
    assert line.startswith("coverage_kernel = 5  # side of the convolution")
    assert not (place / "runs").exists()
