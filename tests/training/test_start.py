import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from san.data.pack import Pack, write_pack
from san.data.sample import Sample
from san.errors import SanError
from san.grammar import parse
from san.model.torch.weights import load_weights
from san.synth.config import Shares, SynthConfig
from san.synth.glyphs.build import build_bank
from san.training.config import Config, DataConfig, TrainingConfig
from san.training.start import open_sample_stream, open_validation_photos, start
from tests.synth.packs import formulas, glyphs_pack, ink_pack, photo_formulas, photo_pack
from tests.training.test_loop import SMALL, quiet


def packed(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    samples = [
        Sample(
            f"s{index}",
            parse(("x + 1", "x ^ { 2 }")[index % 2]),
            image=(rng.random((20, 40)) < 0.2).astype(np.uint8) * np.uint8(255),
        )
        for index in range(6)
    ]
    write_pack(samples, folder / "six.pack")
    return folder / "six.pack"


def config(pack: Path, epochs: int = 2) -> Config:
    training = TrainingConfig(epochs=epochs, batch_size=4, precision="fp32", save_every=1)
    return Config("six", SMALL, DataConfig(str(pack), str(pack), 2, 2), training)


@pytest.mark.slow
def test_a_packed_corpus_is_trained_on_and_gone_on_with(tmp_path: Path) -> None:
    pack = packed(tmp_path)
    first = start(config(pack), tmp_path / "run", device="cpu", say=quiet)
    assert first.epoch == 2
    with pytest.raises(SanError, match="already"):
        start(config(pack), tmp_path / "run", device="cpu", say=quiet)
    more = start(config(pack, 3), tmp_path / "run", resume=True, device="cpu", say=quiet)
    assert more.epoch == 3


@pytest.mark.slow
def test_samples_made_on_the_fly_are_trained_on_and_gone_on_with(tmp_path: Path) -> None:
    synth = SynthConfig(12, str(formulas(tmp_path)), final_shares_from=0.5, workers=1)
    pack = ink_pack(tmp_path)
    plain = config(pack, 1)
    small = dataclasses.replace(SMALL, reversed=False)
    training = dataclasses.replace(plain.training, attention_loss=0.5)
    made = dataclasses.replace(plain, network=small, training=training, synth=synth)
    first = start(made, tmp_path / "run", device="cpu", say=quiet)
    assert first.epoch == 1
    longer = dataclasses.replace(made, training=dataclasses.replace(training, epochs=2))
    more = start(longer, tmp_path / "run", resume=True, device="cpu", say=quiet)
    assert more.epoch == 2
    lines = [json.loads(line) for line in (tmp_path / "run/log.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2]
    assert lines[0]["attention"] > 0


@pytest.mark.slow
def test_a_run_begins_with_given_weights(tmp_path: Path) -> None:
    pack = packed(tmp_path)
    start(config(pack), tmp_path / "first", device="cpu", say=quiet)
    weights = tmp_path / "first" / "weights.safetensors"
    own = config(pack)
    training = dataclasses.replace(own.training, init_weights=str(weights), learning_rate=0.0)
    start(dataclasses.replace(own, training=training), tmp_path / "second", device="cpu", say=quiet)
    given = load_weights(weights).state_dict()
    for name, tensor in load_weights(tmp_path / "second/weights.safetensors").state_dict().items():
        if name.endswith(("running_mean", "running_var")):
            continue  # which batch norm measures anew
        torch.testing.assert_close(tensor, given[name])
    other = dataclasses.replace(own, network=dataclasses.replace(SMALL, hidden=8))
    other = dataclasses.replace(other, training=training)
    with pytest.raises(SanError, match="another network"):
        start(other, tmp_path / "third", device="cpu", say=quiet)


@pytest.mark.slow
def test_symbols_of_the_given_weights_are_kept(tmp_path: Path) -> None:
    start(config(ink_pack(tmp_path), 1), tmp_path / "first", device="cpu", say=quiet)
    weights = tmp_path / "first" / "weights.safetensors"
    own = config(packed(tmp_path), 1)
    training = dataclasses.replace(own.training, init_weights=str(weights), keep_symbols=True)
    kept = load_weights(weights).vocabulary
    again = dataclasses.replace(own, training=training)
    start(again, tmp_path / "second", device="cpu", say=quiet)
    known = load_weights(tmp_path / "second" / "weights.safetensors").vocabulary
    assert known == kept
    assert len(known.symbols) > 4  # the second corpus has x, 1, 2 and +


@pytest.mark.slow
def test_a_run_learns_all_that_its_samples_show(tmp_path: Path) -> None:
    """Symbols of the ink, of the photographs, and those made for photo-style formulas."""
    synth = SynthConfig(
        12,
        str(formulas(tmp_path)),
        str(photo_formulas(tmp_path)),
        str(photo_pack(tmp_path)),
        workers=1,
        shares=Shares(photo_style=0.3, photographed=0.3),
    )
    pack = ink_pack(tmp_path)
    plain = config(pack, 1)
    small = dataclasses.replace(SMALL, reversed=False)
    training = dataclasses.replace(plain.training, attention_loss=0.5)
    made = dataclasses.replace(plain, network=small, training=training, synth=synth)
    start(made, tmp_path / "run", device="cpu", say=quiet)
    known = load_weights(tmp_path / "run/weights.safetensors").vocabulary.symbols
    assert list(known) == sorted(known)
    assert {"x", "y", "1", "2", "+", "=", "-"} <= set(known)  # the ink
    assert "z" in known  # the photographs
    assert build_bank(Pack.load(pack)).by_name.keys() <= set(known)


@pytest.mark.slow
def test_a_run_has_room_for_several_lines(tmp_path: Path) -> None:
    """Deeper and higher than anything packed; and its vocabulary knows what parts them."""
    text = tmp_path / "lines.txt"
    line = "x+y-2x-y+1"
    text.write_text(rf"\begin{{matrix}}{line}=1\\{line}=2\\{line}=y\end{{matrix}}" + "\n")
    synth = SynthConfig(
        8, line_formulas=str(text), workers=1, shares=Shares(0.0, 0.0, plain=0.0, lines=1.0)
    )
    plain = config(ink_pack(tmp_path), 1)
    small = dataclasses.replace(SMALL, reversed=False)
    training = dataclasses.replace(plain.training, attention_loss=0.5)
    made = dataclasses.replace(plain, network=small, training=training, synth=synth)
    start(made, tmp_path / "run", device="cpu", say=quiet)
    known = load_weights(tmp_path / "run/weights.safetensors").vocabulary.symbols
    assert {r"\matrix", "&", r"\\"} <= set(known)
    (logged,) = [json.loads(row) for row in (tmp_path / "run/log.jsonl").read_text().splitlines()]
    assert logged["images"] == 8
    assert logged["remade"] == 0


@pytest.mark.slow
def test_a_run_may_begin_with_weights_that_know_other_symbols(tmp_path: Path) -> None:
    first = packed(tmp_path)  # x + 1 and x^2
    start(config(first), tmp_path / "first", device="cpu", say=quiet)
    weights = tmp_path / "first" / "weights.safetensors"
    (tmp_path / "more").mkdir()
    own = config(ink_pack(tmp_path / "more"), 1)
    training = dataclasses.replace(
        own.training, init_weights=str(weights), learning_rate=0.0, weight_decay=0.0
    )
    said: list[str] = []
    own = dataclasses.replace(own, training=training)
    start(own, tmp_path / "second", device="cpu", say=said.append)
    before, after = (
        load_weights(path) for path in (weights, tmp_path / "second/weights.safetensors")
    )
    assert before.vocabulary != after.vocabulary
    one, other = before.state_dict(), after.state_dict()
    for name in ("x", "1", "2", "+"):
        at, there = before.vocabulary.number(name), after.vocabulary.number(name)
        for key in ("embedding.weight", "symbol_head.weight", "symbol_head.bias"):
            torch.testing.assert_close(one[f"decoder.{key}"][at], other[f"decoder.{key}"][there])
    assert "weights of 4 symbols taken over, 3 are new, 0 dropped" in said[0]


@pytest.mark.parametrize(
    ("part", "size", "way"),
    [
        ("fine_attention", 8, "decoder.fine_attention.proj.weight"),
        ("context", 32, "decoder.context.proj_out.weight"),
        ("head_hidden", 8, "decoder.head_out.weight"),
    ],
)
@pytest.mark.slow
def test_a_network_may_be_given_more_but_not_lose_it(
    part: str, size: int, way: str, tmp_path: Path
) -> None:
    own = config(packed(tmp_path))
    start(own, tmp_path / "0", device="cpu", say=quiet)

    def go_on(number: int, size: int) -> None:
        network = dataclasses.replace(SMALL, **{part: size})
        given = str(tmp_path / str(number - 1) / "weights.safetensors")
        training = dataclasses.replace(own.training, init_weights=given)
        made = dataclasses.replace(own, network=network, training=training)
        start(made, tmp_path / str(number), device="cpu", say=quiet)

    go_on(1, size)
    again = load_weights(tmp_path / "1" / "weights.safetensors")
    assert again.get_parameter(way).any()  # it began at zero
    for other in (0, size * 2):
        with pytest.raises(SanError, match="another network"):
            go_on(2, other)


@pytest.mark.slow
def test_symbols_that_only_a_font_has_are_known(tmp_path: Path) -> None:
    synth = SynthConfig(
        12,
        str(formulas(tmp_path)),
        hands=(str(glyphs_pack(tmp_path / "f.npz", "1 x D")),),
        workers=1,
    )
    own = config(ink_pack(tmp_path), 1)
    known, without = (
        open_sample_stream(dataclasses.replace(own, synth=each), "cpu").vocabulary.symbols
        for each in (synth, dataclasses.replace(synth, hands=()))
    )
    assert "D" in known
    assert "D" not in without
    assert {*without} <= {*known}


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(SanError, match="names no packed corpus"):
        start(Config(), tmp_path / "run", device="cpu")
    with pytest.raises(SanError, match="no state to go on from"):
        start(config(tmp_path / "no.pack"), tmp_path / "run", resume=True, device="cpu")
    with pytest.raises(SanError):
        start(config(tmp_path / "no.pack"), tmp_path / "run", device="cpu")


def test_a_run_does_not_train_on_what_it_validates_on(tmp_path: Path) -> None:
    photos = str(photo_pack(tmp_path))
    synth = SynthConfig(
        12, str(formulas(tmp_path)), photos=photos, workers=1, shares=Shares(photographed=0.3)
    )
    own = config(ink_pack(tmp_path), 1)
    data = dataclasses.replace(own.data, validation_photos=(photos,))
    own = dataclasses.replace(own, data=data, synth=synth)
    with pytest.raises(SanError, match=r"photographs of .* which are for validation"):
        open_validation_photos(own)
    other = tmp_path / "other"
    other.mkdir()
    others = str(photo_pack(other, ("x + 2", "y = 2")))  # of the same names
    own = dataclasses.replace(own, data=dataclasses.replace(data, validation_photos=(others,)))
    assert list(open_validation_photos(own)) == [others]
    synth = dataclasses.replace(synth, photos="", photo_glyphs=photos, shares=Shares())
    with pytest.raises(SanError, match=r"photographs of .* which are for validation"):
        open_validation_photos(dataclasses.replace(own, synth=synth))
    whole = dataclasses.replace(data, train=others, validation_photos=(others,))
    with pytest.raises(SanError, match=r"photographs of .* which are for validation"):
        open_validation_photos(dataclasses.replace(own, data=whole, synth=SynthConfig()))
