"""Numpy says of a picture's orientation what the trained network does in torch."""

import sys
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tools.train_orientation import (  # noqa: E402
    SEEN_PARTS,
    Sight,
    TrainedOrientation,
    drawn_parts,
    loss_of,
    made_pictures,
    main,
    pictures_of,
    random_tilt,
    read_sights,
    report,
    sight_of,
    sights_of,
    tilted,
    train,
    write_sights,
)

from san.errors import SanError  # noqa: E402
from san.files import MAX_BYTES  # noqa: E402
from san.reader.orientation import CELLS, QUARTERS, TILTS, orientation_network  # noqa: E402
from tests.images.photographs import formula, two_symbols  # noqa: E402
from tests.synth.packs import formulas, ink_pack  # noqa: E402


def test_numpy_and_torch_agree(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = TrainedOrientation().eval()
    path = tmp_path / "small.safetensors"
    path.write_bytes(network.saved())
    for picture in (formula(), two_symbols()):
        found = orientation_network(path)(picture)
        assert found is not None
        with torch.no_grad():
            expected = (
                network([sight_of(picture, 0.0).windows]).numpy().reshape(QUARTERS, len(TILTS))
            )
        assert found.scores == pytest.approx(expected, abs=0.01)


def test_a_tilted_picture_keeps_its_ink() -> None:
    upright = int((formula() > 0).sum())
    for degrees in (-20.0, 0.0, 13.0):
        assert int((tilted(formula(), degrees) > 0).sum()) == pytest.approx(upright, rel=0.1)


@pytest.mark.slow
def test_it_learns_a_tilt() -> None:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    sights = [sight_of(two_symbols(), float(rng.uniform(-24, 24))) for _ in range(64)]
    network = TrainedOrientation()
    seen = [sight.windows for sight in sights]
    before = float(loss_of(network(seen), sights).detach())
    assert len(list(train(network, sights, rng, 12))) == 12
    assert float(loss_of(network.eval()(seen), sights).detach()) < before
    assert report(network, sights).startswith("quarter turn right")


def test_most_pictures_are_tilted_a_little_and_some_a_lot() -> None:
    rng = np.random.default_rng(0)
    tilts = np.abs([random_tilt(rng) for _ in range(400)])
    assert 0.5 < (tilts < 6).mean() < 0.75
    assert 15 < tilts.max() <= TILTS[-1]


def test_a_step_sees_some_parts_of_a_picture() -> None:
    rng = np.random.default_rng(0)
    few, many = sight_of(two_symbols(), 0.0), sight_of(formula(), 0.0)
    assert len(few.windows) <= SEEN_PARTS < len(many.windows)
    assert drawn_parts(few, rng) is few.windows
    drawn = {window.tobytes() for window in drawn_parts(many, rng)}
    assert len(drawn) == SEEN_PARTS
    assert drawn <= {window.tobytes() for window in many.windows}


def test_packs_and_what_is_made_are_pictures_to_learn_from(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pack = ink_pack(tmp_path, 21)
    config = tmp_path / "made.toml"
    config.write_text(
        f'[data]\ntrain = "{pack}"\n[synth]\nsamples_per_epoch = 8\n'
        f'formulas = "{formulas(tmp_path)}"\n'
    )
    made = list(made_pictures(config, 3, rng))
    assert len(made) == 3
    packed = list(pictures_of(pack))
    assert len(list(sights_of([*packed, *made], rng, 5))) == 5
    sights = list(sights_of([*packed, *made], rng))
    assert len(sights) == 24
    write_sights(sights, tmp_path / "seen.npz")
    for one, kept in zip(sights, read_sights(tmp_path / "seen.npz"), strict=True):
        assert (one.windows == kept.windows).all()
        assert one.place == kept.place


def test_thousands_of_pictures_can_be_read_again(tmp_path: Path) -> None:
    """Their file is larger than what strangers may hand in."""
    rng = np.random.default_rng(0)
    seen = rng.integers(0, 256, (MAX_BYTES // (CELLS * CELLS) + 1, CELLS, CELLS, 1), np.uint8)
    write_sights([Sight(seen, 1.5)], tmp_path / "seen.npz")
    assert (tmp_path / "seen.npz").stat().st_size > MAX_BYTES
    (kept,) = read_sights(tmp_path / "seen.npz")
    assert kept.place == 1.5
    assert (kept.windows == seen).all()


def test_what_see_has_not_written_is_one_line(tmp_path: Path) -> None:
    for content in (b"nothing", b""):
        (tmp_path / "other.npz").write_bytes(content)
        with pytest.raises(SanError, match="nothing that `see` has written"):
            read_sights(tmp_path / "other.npz")


@pytest.mark.parametrize(("count", "epochs"), [(3, 2), (64, 0)])
def test_what_learnt_nothing_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, epochs: int
) -> None:
    seen, output = tmp_path / "seen.npz", tmp_path / "orientation.safetensors"
    write_sights([sight_of(two_symbols(), 1.0)] * count, seen)
    output.write_bytes(b"what was trained")
    words = ["train", str(seen), "--output", str(output), "--epochs", str(epochs)]
    monkeypatch.setattr(sys, "argv", ["train_orientation", *words])
    with pytest.raises(SanError, match="nothing is learnt"):
        main()
    assert output.read_bytes() == b"what was trained"
