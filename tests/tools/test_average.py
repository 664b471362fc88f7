"""The mean of two weights as a file: what it says of itself, and where it may lie."""

import json
from pathlib import Path

import pytest
import torch
from tools.average import average

from san.errors import SanError
from san.model.torch.base import Network
from san.model.torch.weights import load_weights, read_facts
from san.training.config import Config, load_config
from tests.synth.packs import ink_pack
from tests.training.test_average import weights


def test_the_mean_is_written_with_its_shares(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2)
    average([one, other], tmp_path / "mean", 0.75, 0.5)
    first, second, mean = (
        load_weights(tmp_path / name).state_dict() for name in ("one", "other", "mean")
    )
    for name, share in (("decoder.symbol_head.weight", 0.75), ("encoder.stem.weight", 0.5)):
        between = first[name].lerp(second[name], share)
        torch.testing.assert_close(mean[name], between, atol=1e-3, rtol=1e-2)
    facts = json.loads(read_facts(tmp_path / "mean")["facts"])
    assert facts == {"later": 0.75, "later_encoder": 0.5}


def test_of_more_than_two_all_have_equal_parts(tmp_path: Path) -> None:
    three = [weights(tmp_path / str(seed), seed) for seed in (1, 2, 3)]
    average(three, tmp_path / "mean")
    name = "decoder.symbol_head.weight"
    parts = torch.stack([load_weights(path).state_dict()[name] for path in three])
    mean = load_weights(tmp_path / "mean").state_dict()[name]
    torch.testing.assert_close(mean, parts.mean(0), atol=1e-3, rtol=1e-2)
    assert json.loads(read_facts(tmp_path / "mean")["facts"]) == {"mean_of": 3}
    with pytest.raises(SanError, match="are of two weights; of 3 all are equal"):
        average(three, tmp_path / "mean", 0.5)


@pytest.fixture
def norms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """A configuration with ink to measure norms on."""
    monkeypatch.chdir(tmp_path)
    ink_pack(tmp_path)
    config = tmp_path / "plain.toml"
    config.write_text('name = "plain"\n[data]\ntrain = "ink.npz"\n')
    return load_config(config)


def test_batch_norms_are_measured_on_samples_of_a_configuration(
    tmp_path: Path, norms: Config
) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2)
    average([one, other], tmp_path / "plain")
    average([one, other], tmp_path / "measured", norms=norms)
    plain, anew = (load_weights(tmp_path / name).state_dict() for name in ("plain", "measured"))
    for name in plain:
        is_statistic = name.endswith(("running_mean", "running_var"))
        assert torch.equal(plain[name], anew[name]) != is_statistic


def test_batch_norms_are_measured_on_a_gpu_where_there_is_one(
    tmp_path: Path, norms: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2)
    asked: list[object] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(Network, "to", lambda self, device: asked.append(device) or self)
    average([one, other], tmp_path / "mean", norms=norms)
    assert asked == ["cuda"]


def test_what_cannot_be_written_is_one_line_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.average.mean_network", pytest.fail)
    one = weights(tmp_path / "one", 1)
    with pytest.raises(SanError, match="would overwrite what is read"):
        average([one, one], one)
    with pytest.raises(SanError, match=r"from 0 to 1; 1\.5 does not"):
        average([one, one], tmp_path / "mean", 0.5, 1.5)
    with pytest.raises(SanError, match="of two weights or more"):
        average([one], tmp_path / "mean")
    for output, fault in ((tmp_path / "none" / "mean", "no folder"), (tmp_path, "is a folder")):
        with pytest.raises(SanError, match=fault) as caught:
            average([one, one], output)
        assert len(str(caught.value).splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one"]
    assert not tmp_path.with_name(tmp_path.name + ".partial").exists()
