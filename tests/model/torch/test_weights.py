"""Weights of one vocabulary for a network of another: matched by name."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from san.errors import SanError
from san.grammar.productions import START
from san.grammar.tree import Relation
from san.grammar.vocabulary import Vocabulary
from san.model.torch import SAN, NetworkConfig
from san.model.torch.weights import init_from, load_weights, save_weights
from tests.model.encoders import randomise, with_encoder
from tests.model.torch.conftest import SMALL


def saved(folder: Path, network: SAN) -> Path:
    path = folder / "weights.safetensors"
    save_weights(path, network.state_dict(), network.config, network.vocabulary)
    return path


@pytest.mark.skipif(os.name != "posix", reason="no umask here")
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_the_umask_says_who_may_read_weights(tmp_path: Path, network: SAN, umask: int) -> None:
    (tmp_path / "weights.safetensors.partial").touch(0o600)  # of a process that was killed
    before = os.umask(umask)
    try:
        path = saved(tmp_path, network)
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o666 & ~umask


def test_rows_are_matched_by_name(tmp_path: Path, network: SAN) -> None:
    path = saved(tmp_path, network)
    old = load_weights(path)
    names = tuple(sorted({*network.vocabulary.symbols, "A", r"\angle", "9"} - {"x"}))
    wider = SAN(SMALL, Vocabulary(names))
    line = init_from(wider, path)
    kept = len(old.vocabulary.symbols) - 1
    assert f"weights of {kept} symbols taken over, 3 are new, 1 dropped" in line
    given, own = old.state_dict(), wider.state_dict()
    for partner in (*names, START, *Relation):
        there = wider.vocabulary.number(partner)
        if partner in old.vocabulary.partners:
            at = old.vocabulary.number(partner)
            assert torch.equal(
                own["decoder.embedding.weight"][there], given["decoder.embedding.weight"][at]
            )
        else:  # chance, no larger than what was learnt
            assert own["decoder.embedding.weight"][there].abs().max() > 0
            assert (
                own["decoder.symbol_head.weight"][there].std()
                < 3 * given["decoder.symbol_head.weight"].std()
            )
    for name, tensor in given.items():
        if "embedding" not in name and "symbol" not in name:
            assert torch.equal(own[name], tensor)


def test_the_same_symbols_are_taken_over_whole(tmp_path: Path, either_network: SAN) -> None:
    path = saved(tmp_path, either_network)
    again = SAN(either_network.config, either_network.vocabulary)
    init_from(again, path)
    loaded = load_weights(path)
    assert loaded.config == replace(either_network.config, reversed=False)
    kept = loaded.state_dict()
    for name, tensor in kept.items():
        assert torch.equal(again.state_dict()[name], tensor)


def test_another_network_is_one_line(tmp_path: Path, network: SAN) -> None:
    path = saved(tmp_path, network)
    sizes = NetworkConfig(stem=8), NetworkConfig(embedding=8), NetworkConfig(merge=10)
    for other in (*sizes, with_encoder(SMALL, "residual")):
        with pytest.raises(SanError, match="weights of another network"):
            init_from(SAN(other, network.vocabulary), path)


def test_residual_blocks_that_are_added_begin_as_nothing(tmp_path: Path, network: SAN) -> None:
    small = with_encoder(SMALL, "residual")
    trained = SAN(small, network.vocabulary)
    randomise(trained)
    path = saved(tmp_path, trained)
    first, middle, last = small.residual_blocks
    grown = SAN(replace(small, residual_blocks=(first, middle + 1, last + 2)), network.vocabulary)
    init_from(grown, path)
    image = torch.rand(1, 1, 48, 64)
    mask = torch.ones(1, 3, 4)
    before, after = load_weights(path).encoder, grown.eval().encoder
    assert torch.equal(before.scales(image, mask)[0], after.scales(image, mask)[0])
    assert not grown.state_dict()[f"encoder.stages.2.{last}.conv2.weight"].any()
    with pytest.raises(SanError, match="weights of another network"):  # none may be taken away
        init_from(SAN(small, network.vocabulary), saved(tmp_path, grown))
