"""Between two weights of one network lies a third; of two networks there is no mean."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch

from san.data.pack import Pack
from san.errors import SanError
from san.grammar.vocabulary import Vocabulary
from san.model.spec import NetworkConfig
from san.model.torch.network import SAN
from san.model.torch.weights import load_weights, save_weights
from san.synth.mixture import Mixer
from san.synth.samples import SynthSample
from san.training.average import fresh_images, mean_network
from san.training.config import load_config
from san.training.norm_statistics import measure_norms
from tests.synth.packs import ink_pack

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
    first, second = (load_weights(path).state_dict() for path in (one, other))
    for name, mean in mean_network([one, other], (0.25, 0.75)).state_dict().items():
        torch.testing.assert_close(mean, 0.25 * first[name] + 0.75 * second[name])
    third = weights(tmp_path / "third", 3)
    last = load_weights(third).state_dict()
    for name, mean in mean_network([one, other, third]).state_dict().items():
        torch.testing.assert_close(mean, (first[name] + second[name] + last[name]) / 3)
    assert not torch.equal(
        first["decoder.symbol_head.weight"], second["decoder.symbol_head.weight"]
    )


def test_the_encoder_may_have_a_share_of_its_own(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2)
    sides = [load_weights(path).state_dict() for path in (one, other)]
    for name, mean in mean_network([one, other], (0, 1), (1, 0)).state_dict().items():
        assert torch.equal(mean, sides[not name.startswith("encoder.")][name])


def test_what_the_later_was_given_began_as_nothing(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2, context=32)
    network = load_weights(other)
    way = "decoder.context.proj_out.weight"
    learnt = {**network.state_dict(), way: torch.randn_like(network.state_dict()[way])}
    save_weights(other, learnt, network.config, network.vocabulary)
    first, second = (load_weights(path).state_dict() for path in (one, other))
    for name, mean in mean_network([one, other], (0.25, 0.75)).state_dict().items():
        begun = torch.zeros_like(mean) if name == way else second[name]
        torch.testing.assert_close(mean, first.get(name, begun).lerp(second[name], 0.75))
    with pytest.raises(SanError, match="not of the network"):  # it cannot be lost again
        mean_network([other, one])


def test_symbols_that_the_later_learnt_are_its_own(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1, "xz"), weights(tmp_path / "other", 2, "xyz")
    first, second, mean = load_weights(one), load_weights(other), mean_network([one, other])
    assert mean.vocabulary == second.vocabulary
    rows = [
        network.state_dict()["decoder.symbol_head.bias"][network.vocabulary.number(name)]
        for network, name in ((first, "z"), (second, "z"), (mean, "z"))
    ]
    torch.testing.assert_close(rows[2], (rows[0] + rows[1]) / 2)


def test_its_batch_norms_may_be_measured_anew(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2)
    torch.manual_seed(3)
    images = [(torch.rand(4, 1, 32, 48), torch.ones(4, 2, 3, dtype=torch.bool)) for _ in range(2)]
    plain, anew = mean_network([one, other]), mean_network([one, other])
    measure_norms(anew, images)
    for name, own in anew.state_dict().items():
        is_statistic = name.endswith(("running_mean", "running_var"))
        assert torch.equal(own, plain.state_dict()[name]) != is_statistic
    # They are those of the mean network: the stem sees the images themselves.
    seen = torch.cat([plain.encoder.stem(pixels) for pixels, _ in images])
    mean = anew.state_dict()["encoder.stem_norm.running_mean"]
    torch.testing.assert_close(mean, seen.mean((0, 2, 3)), atol=1e-3, rtol=1e-2)


def test_fresh_images_are_those_of_the_end_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ink_pack(tmp_path)
    (tmp_path / "two.toml").write_text(
        'name = "two"\n[data]\ntrain = "ink.npz"\nvalidation = "ink.npz"\n'
        "[synth]\nsamples_per_epoch = 60\n"
        "[synth.shares]\ncomposed = 0.0\nvaried = 1.0\nplain = 0.0\n"
        "[synth.final_shares]\ncomposed = 0.0\nvaried = 0.0\nplain = 1.0\n"
        '[[stages]]\nname = "first"\n[[stages]]\nname = "second"\n'
    )
    asked: list[float] = []
    make = Mixer.make

    def recorded(mixer: Mixer, rng: np.random.Generator, progress: float) -> SynthSample:
        asked.append(progress)
        return make(mixer, rng, progress)

    monkeypatch.setattr(Mixer, "make", recorded)
    batches = fresh_images(load_config(tmp_path / "two.toml"))
    assert set(asked) == {1.0}  # the end of the run
    assert sum(len(pixels) for pixels, _ in batches) == 60
    pack = Pack.load(tmp_path / "ink.npz")
    corpus = fresh_images(load_config(tmp_path / "two.toml", ["synth.samples_per_epoch=0"]))
    assert sum(float(pixels.sum()) for pixels, _ in corpus) == sum(
        float((pack.image(place) > 127).sum()) for place in range(len(pack))
    )
    for pixels, mask in batches:
        assert pixels.shape[2:] == (16 * mask.shape[1], 16 * mask.shape[2])
        assert pixels.flatten(1).any(1).all()


def test_two_networks_have_no_mean(tmp_path: Path) -> None:
    one, other = weights(tmp_path / "one", 1), weights(tmp_path / "other", 2, "xyz")
    with pytest.raises(SanError, match="other: not of the network"):
        mean_network([other, one])
