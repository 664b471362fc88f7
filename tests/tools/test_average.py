"""Between two weights of one network lies a third; of two networks there is no mean."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
import torch
from tools.average import average

from san.errors import SanError
from san.grammar.vocabulary import Vocabulary
from san.model.spec import NetworkConfig
from san.model.torch.network import SAN
from san.model.torch.weights import load_weights, save_weights

TINY = NetworkConfig(
    stem=4,
    growth=2,
    layers=1,
    residual_channels=(4, 4, 4),
    residual_blocks=(1, 1, 1),
    hidden=4,
    embedding=4,
    attention=4,
    coverage_kernel=3,
    merge=4,
    reversed=False,
)


def weights(
    path: Path,
    seed: int,
    names: str = "xy",
    context: int = 0,
    encoder: Literal["densenet", "residual"] = "densenet",
) -> Path:
    torch.manual_seed(seed)
    network = SAN(replace(TINY, context=context, encoder=encoder), Vocabulary(tuple(names)))
    save_weights(path, network.state_dict(), network.config, network.vocabulary)
    return path


def test_the_mean_lies_where_it_was_asked_for(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2)
    average(one, other, 0.75, tmp_path / "mean")
    sides = [load_weights(tmp_path / name).state_dict() for name in ("one", "other", "mean")]
    for name, mean in sides[2].items():
        torch.testing.assert_close(
            mean, 0.25 * sides[0][name] + 0.75 * sides[1][name], atol=1e-3, rtol=1e-2
        )
    assert not torch.equal(
        sides[0]["decoder.symbol_head.weight"], sides[2]["decoder.symbol_head.weight"]
    )


def test_the_encoder_may_have_a_share_of_its_own(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2)
    average(one, other, 1.0, tmp_path / "mean", 0.0)
    sides = [load_weights(tmp_path / name).state_dict() for name in ("one", "other", "mean")]
    for name, mean in sides[2].items():
        assert torch.equal(mean, sides[not name.startswith("encoder.")][name])
    with pytest.raises(SanError, match=r"from 0 to 1; 1\.5 does not"):
        average(one, other, 1.0, tmp_path / "mean", 1.5)


def test_what_the_later_was_given_is_its_own(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2, context=32)
    average(one, other, 0.75, tmp_path / "mean")
    sides = [load_weights(tmp_path / name).state_dict() for name in ("one", "other", "mean")]
    for name, mean in sides[2].items():
        before = sides[0].get(name, sides[1][name])
        torch.testing.assert_close(mean, before.lerp(sides[1][name], 0.75), atol=1e-3, rtol=1e-2)
    with pytest.raises(SanError, match="different networks"):  # it cannot be lost again
        average(other, one, 0.75, tmp_path / "back")


def test_symbols_that_the_later_learnt_are_its_own(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1, "xz"), weights(tmp_path / "other", 2, "xyz")
    average(one, other, 0.5, tmp_path / "mean")
    first, second, mean = (load_weights(tmp_path / name) for name in ("one", "other", "mean"))
    assert mean.vocabulary == second.vocabulary
    rows = [
        network.state_dict()["decoder.symbol_head.bias"][network.vocabulary.number(name)]
        for network, name in ((first, "z"), (second, "z"), (mean, "z"))
    ]
    torch.testing.assert_close(rows[2], (rows[0] + rows[1]) / 2, atol=1e-3, rtol=1e-2)


def test_two_networks_have_no_mean(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2, "xyz")
    with pytest.raises(SanError, match="different networks"):
        average(other, one, 0.75, tmp_path / "mean")
    with pytest.raises(SanError, match="from 0 to 1"):
        average(one, one, 1.5, tmp_path / "mean")
    assert not (tmp_path / "mean").exists()


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    one = weights(tmp_path / "one", 1)
    with pytest.raises(SanError, match="not written over"):
        average(one, one, 0.5, one)
    for output in (tmp_path / "none" / "mean", tmp_path):
        with pytest.raises(SanError, match="cannot be written") as caught:
            average(one, one, 0.5, output)
        assert len(str(caught.value).splitlines()) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one"]
    assert not tmp_path.with_name(tmp_path.name + ".partial").exists()
