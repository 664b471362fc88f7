"""A damaged state is one line, and changes nothing of the run."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from san.errors import SanError
from san.model.checksum import CHECKSUM
from san.training.checkpoint import load_checkpoint
from san.training.loop import TrainingRun
from tests.training.test_loop import config, corpus, quiet

Facts, Tensors = dict[str, str], dict[str, Tensor]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> TrainingRun:
    made = TrainingRun(config(epochs=1), corpus(), None, tmp_path_factory.mktemp("run"), say=quiet)
    made.save()
    return made


def damaged(run: TrainingRun, path: Path, change: Callable[[Facts, Tensors], object]) -> Path:
    with safe_open(run.folder / "state.safetensors", "pt") as file:
        facts = dict(file.metadata())
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    facts.pop(CHECKSUM)  # as whoever writes one would
    change(facts, tensors)
    save_file(tensors, path, facts)
    return path


def progress(**values: object) -> Callable[[Facts, Tensors], object]:
    def change(facts: Facts, tensors: Tensors) -> None:
        facts["progress"] = json.dumps(json.loads(facts["progress"]) | values)

    return change


CHANGES: dict[str, Callable[[Facts, Tensors], object]] = {
    "no progress": lambda facts, tensors: facts.pop("progress"),
    "no vocabulary": lambda facts, tensors: facts.pop("vocabulary"),
    "no config": lambda facts, tensors: facts.pop("config"),
    "no names": lambda facts, tensors: facts.pop("names"),
    "progress is no JSON": lambda facts, tensors: facts.update(progress="{"),
    "progress is a list": lambda facts, tensors: facts.update(progress="[1]"),
    "progress is deep": lambda facts, tensors: facts.update(progress="[" * 100_000),
    "vocabulary is no JSON": lambda facts, tensors: facts.update(vocabulary="x"),
    "vocabulary is a number": lambda facts, tensors: facts.update(vocabulary="3"),
    "config is no table": lambda facts, tensors: facts.update(config="[]"),
    "config is empty": lambda facts, tensors: facts.update(config='{"nothing": 1}'),
    "names are none": lambda facts, tensors: facts.update(names="null"),
    "a step is a word": progress(step="x"),
    "an epoch is below zero": progress(epoch=-1),
    "seconds are none": progress(seconds=None),
    "something more": progress(more=1),
    "scores are a list": progress(scores=[1]),
    "no master": lambda facts, tensors: tensors.pop("master"),
    "no random": lambda facts, tensors: tensors.pop("random"),
    "one number": lambda facts, tensors: tensors.update(master=torch.zeros(1)),
    "another shape": lambda facts, tensors: tensors.update(average=torch.zeros(3, 3)),
    "another kind": lambda facts, tensors: tensors.update(random=torch.zeros(5056)),
    "no numbers": lambda facts, tensors: tensors["master"].fill_(float("nan")),
    "endless moments": lambda facts, tensors: tensors["moment.1"].fill_(float("inf")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_damage_is_one_line(run: TrainingRun, tmp_path: Path, name: str) -> None:
    state = damaged(run, tmp_path / "state.safetensors", CHANGES[name])
    before = run.captured.flat.master.clone()
    with pytest.raises(SanError) as caught:
        load_checkpoint(state, run.captured, run.config)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{state}: ")
    assert torch.equal(run.captured.flat.master, before)


def test_a_bit_that_has_changed_is_noticed(run: TrainingRun, tmp_path: Path) -> None:
    content = bytearray((run.folder / "state.safetensors").read_bytes())
    content[-9] ^= 1
    (tmp_path / "bit").write_bytes(content)
    with pytest.raises(SanError, match="checksum"):
        load_checkpoint(tmp_path / "bit", run.captured, run.config)
    (tmp_path / "short").write_bytes(content[: len(content) // 2])
    with pytest.raises(SanError, match="no state can be read"):
        load_checkpoint(tmp_path / "short", run.captured, run.config)
    whole = load_checkpoint(run.folder / "state.safetensors", run.captured, run.config)
    assert whole.step == 0
