"""Stages of one file: what each is, and that they are trained in order, once."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from san.errors import SanError
from san.model.torch.weights import load_weights
from san.training.config import choose_stages, load_config, load_stages, print_stages
from san.training.run_files import is_finished, stage_facts
from san.training.stages import train_stages
from tests.cli.test_train import TINY
from tests.training.test_start import packed

STAGES = """
[[stages]]
name = "ink"
[stages.training]
seed = 1
[[stages]]
name = "all"
[stages.training]
epochs = 1
seed = 2
learning_rate = 0.0
weight_decay = 0.0
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "stages.toml"
    path.write_text(text.replace("train.npz", str(folder / "six.pack")), encoding="utf-8")
    return path


def test_a_stage_has_the_values_of_the_file_but_for_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, TINY + STAGES)
    first, second = load_stages(path)
    assert (first.name, first.init, second.name, second.init) == ("ink", "", "all", "ink")
    assert (first.config.name, second.config.name) == ("tiny/ink", "tiny/all")
    assert first.config.network == second.config.network
    assert first.config.training.epochs == 2
    assert (first.config.training.learning_rate, second.config.training.learning_rate) == (1, 0)
    assert load_config(path) == second.config  # the last is what others ask for
    assert {stage.config.training.epochs for stage in load_stages(path, ["training.epochs=9"])} == {
        9
    }
    assert choose_stages((first, second), "all") == [second]
    with pytest.raises(SanError, match=r"no stage is called 'none'; there are: ink, all"):
        choose_stages((first, second), "none")


def test_a_stage_may_be_like_another(tmp_path: Path) -> None:
    more = '[[stages]]\nname = "again"\ninit = ""\nlike = "all"\n[stages.training]\nseed = 7\n'
    last = '[[stages]]\nname = "last"\nlike = "again"\n'
    _, second, again, third = load_stages(write(tmp_path, TINY + STAGES + more + last))
    assert (again.init, third.init) == ("", "again")
    assert again.config.training == replace(second.config.training, seed=7)
    assert third.config.training == again.config.training


MEAN = """
[[stages]]
name = "mean"
like = "all"
mean_of = ["ink", "all"]
[stages.training]
seed = 3
[[stages]]
name = "last"
"""


def test_a_stage_may_be_the_mean_of_two_others(tmp_path: Path) -> None:
    ink, later, mean, last = load_stages(write(tmp_path, TINY + STAGES + MEAN))
    assert (mean.init, mean.mean_of, mean.origins) == ("", ("ink", "all"), ("ink", "all"))
    assert (last.init, last.mean_of, last.origins) == ("mean", (), ("mean",))
    assert (ink.origins, later.origins) == ((), ("ink",))
    assert mean.config.training == replace(later.config.training, seed=3)


BRANCH = """
[[stages]]
name = "branch"
like = "all"
init = "ink"
[[stages]]
name = "three"
mean_of = ["ink", "all", "branch"]
"""
TRIAL = """
[[stages]]
name = "more"
like = "mean"
init = "mean"
trial = true
[[stages]]
name = "both"
mean_of = ["mean", "more"]
trial = true
"""


def test_a_trial_is_chosen_only_by_its_name(tmp_path: Path) -> None:
    path = write(tmp_path, TINY + STAGES + MEAN + TRIAL)
    stages = load_stages(path)
    more, both = stages[-2:]
    assert (more.trial, more.init, both.trial, both.origins) == (
        True,
        "mean",
        True,
        ("mean", "more"),
    )
    assert [stage.name for stage in choose_stages(stages, None)] == ["ink", "all", "mean", "last"]
    assert choose_stages(stages, "more") == [more]
    assert load_config(path).name == "tiny/last"
    alone = write(tmp_path, TINY + '[[stages]]\nname = "alone"\ntrial = true\n')
    assert choose_stages(load_stages(alone), "alone")
    with pytest.raises(
        SanError, match="all stages are trials, each trained only when it is named: al"
    ):
        load_config(alone)


def test_what_a_stage_begins_with_is_its_own(tmp_path: Path) -> None:
    begun = '[training]\ninit_weights = "given.safetensors"\n'
    text = begun + '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\n'
    text += '[[stages]]\nname = "c"\ninit = ""\nlike = "a"\n'
    first, second, third = load_stages(write(tmp_path, text))
    assert (first.init, first.config.training.init_weights) == ("", "given.safetensors")
    assert (second.init, second.config.training.init_weights) == ("a", "")
    assert (third.init, third.config.training.init_weights) == ("", "")  # from chance
    with pytest.raises(SanError, match="are one too many"):
        load_stages(write(tmp_path, text), ["training.init_weights=other.safetensors"])


def test_what_is_printed_reads_back(tmp_path: Path) -> None:
    stages = load_stages(write(tmp_path, TINY + STAGES + MEAN + TRIAL))
    printed = tmp_path / "printed.toml"
    printed.write_text(print_stages(stages), encoding="utf-8")
    assert load_stages(printed) == stages
    assert "# the gradient's largest norm" in printed.read_text()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("stages = 3", "stages are written [[stages]]"),
        ("stages = [3]", "stages[0]: a section, not 3"),
        ("[[stages]]", "stages[0].name: small letters, digits and hyphens"),
        ('[[stages]]\nname = "A/B"', "stages[0].name: small letters"),
        ('[[stages]]\nname = "a"\n[[stages]]\nname = "a"', "stages[1].name: small letters"),
        ('[[stages]]\nname = "a"\ninit = "b"', "stages[0].init: no stage before a is called 'b'"),
        ('[[stages]]\nname = "a"\nlike = "a"', "stages[0].like: no stage before a is called 'a'"),
        ('[[stages]]\nname = "a"\ninit = false', "stages[0].init: no stage before a is called"),
        (
            '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\nmean_of = ["a", "c"]',
            "stages[1].mean_of: no stage before b is called 'c'",
        ),
        (
            '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\nmean_of = ["a", ""]',
            "stages[1].mean_of: no stage before b is called ''",
        ),
        (
            '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\nmean_of = ["a"]',
            "stages[1].mean_of: the names of two stages or more, and no init beside them",
        ),
        (
            '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\n[[stages]]\nname = "c"\n'
            'mean_of = ["b", "a"]',
            "stages[2].mean_of: earlier stages first, none of them twice",
        ),
        (
            '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\nmean_of = "ab"',
            "stages[1].mean_of: the names of two stages or more, and no init beside them",
        ),
        (
            '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\ninit = "a"\nmean_of = ["a", "a"]',
            "stages[1].mean_of: the names of two stages or more, and no init beside them",
        ),
        (
            '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\ntraining = 3',
            "stages[1] (b): training",
        ),
        ('[[stages]]\nname = "a"\nminutes = 3', "stages[0] (a): minutes: unknown; known here are"),
        (
            '[[stages]]\nname = "a"\n[stages.training]\nminute = 3',
            "stages[0] (a): training.minute: unknown; known here are",
        ),
        (
            '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\n[stages.training]\ninit_weights = "c"',
            "stages[1]: init = 'a' and training.init_weights are one too many",
        ),
        (
            '[[stages]]\nname = "a"\ntrial = true\n[[stages]]\nname = "b"',
            "stages[1].init: a is a trial, and b is none",
        ),
        (
            '[[stages]]\nname = "a"\ntrial = true\n[[stages]]\nname = "b"\ninit = ""\nlike = "a"',
            "stages[1].like: a is a trial, and b is none",
        ),
        (
            '[[stages]]\nname = "a"\n[[stages]]\nname = "b"\ntrial = true\n'
            '[[stages]]\nname = "c"\nmean_of = ["a", "b"]',
            "stages[2].mean_of: b is a trial, and c is none",
        ),
        ('[[stages]]\nname = "a"\ntrial = 1', "stages[0].trial: true or false, not 1"),
        ('[data]\nvalidation_photos = "a"', "data.validation_photos: a list is wanted, not 'a'"),
        ("[data]\nvalidation_photos = [1]", "data.validation_photos[0]: str is wanted, not 1"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(SanError) as caught:
        load_stages(write(tmp_path, text))
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_stages_are_trained_in_order_and_once(tmp_path: Path) -> None:
    packed(tmp_path)
    stages = load_stages(write(tmp_path, TINY + STAGES))
    folder, said = tmp_path / "run", list[str]()
    with pytest.raises(SanError, match="begins with the weights of ink, which is not finished"):
        train_stages(stages[1:], folder, device="cpu", say=said.append)
    # A slice of no time stops at once, and leaves a state to go on from.
    assert not train_stages(stages, folder, minutes=1e-6, device="cpu", say=said.append)
    assert not is_finished(folder / "ink")
    assert said[-1].endswith("ink: not finished; the same command goes on")
    assert train_stages(stages, folder, device="cpu", say=said.append)
    facts = stage_facts(folder / "all")
    assert facts["finished"]
    assert [(stage["config"], stage["seed"]) for stage in facts["stages"]] == [
        ("tiny/ink", 1),
        ("tiny/all", 2),
    ]
    assert [stage["samples"] for stage in facts["stages"]] == [12, 6]
    assert facts["stages"][0]["validation_exact"] >= 0
    # The second began with the weights of the first, and learnt nothing at no rate.
    one, other = (
        load_weights(folder / name / "weights.safetensors").state_dict() for name in ("ink", "all")
    )
    for name in one:
        if "running" not in name:
            torch.testing.assert_close(one[name], other[name])

    said.clear()
    assert train_stages(stages, folder, device="cpu", say=said.append)
    assert [line.partition(":")[0] for line in said] == [str(folder / "ink"), str(folder / "all")]
    assert all("finished" in line for line in said)


@pytest.mark.slow
def test_a_stage_with_other_values_is_not_passed_over_in_silence(tmp_path: Path) -> None:
    packed(tmp_path)
    path = write(tmp_path, TINY + STAGES)
    folder = tmp_path / "run"
    train_stages(load_stages(path)[:1], folder, device="cpu", say=lambda _: None)
    with pytest.raises(SanError, match=r"other values \(training.epochs was 2, is 3\); move it"):
        train_stages(load_stages(path, ["training.epochs=3"]), folder, device="cpu")
    # Whoever keeps weights alone has nothing to compare, nor a state to go on from.
    for name in ("config.json", "state.safetensors"):
        (folder / "ink" / name).unlink()
    said: list[str] = []
    train_stages(load_stages(path), folder, device="cpu", say=said.append)
    assert "ink: finished" in said[0]


@pytest.mark.slow
def test_weights_of_a_slice_whose_state_is_lost_are_made_anew(tmp_path: Path) -> None:
    packed(tmp_path)
    stages = load_stages(write(tmp_path, TINY + STAGES))[:1]
    folder = tmp_path / "run"
    train_stages(stages, folder, minutes=1e-6, device="cpu", say=lambda _: None)
    (folder / "ink" / "state.safetensors").unlink()
    assert train_stages(stages, folder, device="cpu", say=lambda _: None)
    lines = (folder / "ink" / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["epoch"] for line in lines] == [1, 2]


@pytest.mark.slow
def test_the_mean_of_two_stages_is_made_once_and_gone_on_from(tmp_path: Path) -> None:
    packed(tmp_path)
    text = TINY + STAGES + MEAN + BRANCH
    stages = load_stages(write(tmp_path, text), ["network.reversed=false"])
    folder, said = tmp_path / "run", list[str]()
    with pytest.raises(SanError, match="mean begins with the weights of ink, which is not finish"):
        train_stages(stages[2:3], folder, device="cpu")
    assert train_stages(stages, folder, device="cpu", say=said.append)
    assert any(line.startswith(f"{folder / 'mean'}: the mean of ink and all") for line in said)
    ink, later, mean = (
        load_weights(folder / name / "weights.safetensors").state_dict()
        for name in ("ink", "all", "mean")
    )
    for name in mean:
        if "running" not in name:
            torch.testing.assert_close(mean[name], (ink[name] + later[name]) / 2)
    facts = stage_facts(folder / "last")
    assert [stage["config"] for stage in facts["stages"]] == [
        f"tiny/{stage.name}" for stage in stages[:4]
    ]
    of_three = stage_facts(folder / "three")  # whose stages began as one
    made_of = ["tiny/ink", "tiny/all", "tiny/branch", "tiny/three"]
    assert [stage["config"] for stage in of_three["stages"]] == made_of
    of_mean = facts["stages"][2]
    assert (of_mean["minutes"], of_mean["samples"], of_mean["seed"]) == (0, 0, 3)
    assert 0 <= of_mean["validation_exact"] <= 100

    written = (folder / "mean" / "weights.safetensors").stat().st_mtime_ns
    said.clear()
    assert train_stages(stages, folder, device="cpu", say=said.append)
    assert said[2] == f"{folder / 'mean'}: finished, 0.0 minutes, 0 samples"
    assert (folder / "mean" / "weights.safetensors").stat().st_mtime_ns == written
    trained = [replace(stages[2], mean_of=(), init="all")]
    with pytest.raises(SanError, match=r"made of \['ink', 'all'\]; move it away"):
        train_stages(trained, folder, device="cpu", say=said.append)
