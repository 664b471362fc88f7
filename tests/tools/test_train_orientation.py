"""Numpy says of a picture's orientation what the trained network does in torch."""

import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from safetensors.numpy import save  # noqa: E402
from tools.train_orientation import (  # noqa: E402
    LAYERS,
    POWER,
    Sight,
    TrainedOrientation,
    loss_of,
    pictures_of,
    printed_pictures,
    report,
    sights_of,
    tilted,
    train,
)

from san.data.print_fonts import write_print_fonts  # noqa: E402
from san.reader.orientation import QUARTERS, TILTS, orientation_network  # noqa: E402
from tests.images.photographs import formula, two_symbols  # noqa: E402
from tests.synth.packs import formulas, ink_pack  # noqa: E402
from tests.synth.printed.drawn_face import drawn_face  # noqa: E402


def test_numpy_and_torch_agree(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = TrainedOrientation().eval()
    path = tmp_path / "small.safetensors"
    facts = {"orientation": json.dumps({"layers": LAYERS, "power": POWER})}
    path.write_bytes(save(network.arrays(), facts))
    for picture in (formula(), two_symbols()):
        found = orientation_network(path)(picture)
        assert found is not None
        with torch.no_grad():
            expected = network([Sight(picture, 0.0)]).numpy().reshape(QUARTERS, len(TILTS))
        assert found.scores == pytest.approx(expected, abs=0.01)


def test_a_tilted_picture_keeps_its_ink() -> None:
    upright = int((formula() > 0).sum())
    for degrees in (-20.0, 0.0, 13.0):
        assert int((tilted(formula(), degrees) > 0).sum()) == pytest.approx(upright, rel=0.1)


@pytest.mark.slow
def test_it_learns_a_tilt() -> None:
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    sights = [Sight(two_symbols(), float(rng.uniform(-24, 24))) for _ in range(64)]
    network = TrainedOrientation()
    before = float(loss_of(network(sights), sights).detach())
    train(network, sights, rng)
    assert float(loss_of(network.eval()(sights), sights).detach()) < before
    assert report(network, sights).startswith("quarter turn right")


def test_packs_and_print_are_pictures_to_learn_from(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    write_print_fonts({"ours": drawn_face()}, tmp_path / "print.npz")
    printed = list(printed_pictures(tmp_path / "print.npz", formulas(tmp_path), 3, rng))
    assert len(printed) == 3
    packed = list(pictures_of(ink_pack(tmp_path, 21)))
    held_out = [held_out for held_out, _ in sights_of([*packed, *printed], rng, 23)]
    assert len(held_out) == 23
    assert sum(held_out) == 2
