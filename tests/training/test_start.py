from pathlib import Path

import numpy as np
import pytest

from san.data.packing import write_pack
from san.data.sample import Sample
from san.errors import SanError
from san.grammar import parse
from san.training.config import Config, DataConfig, TrainingConfig
from san.training.start import start
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
    training = TrainingConfig(epochs=epochs, batch=4, precision="fp32", save=1)
    return Config("six", SMALL, DataConfig(str(pack), str(pack), 2, 2), training)


def test_a_packed_corpus_is_trained_on_and_gone_on_with(tmp_path: Path) -> None:
    pack = packed(tmp_path)
    first = start(config(pack), tmp_path / "run", device="cpu", say=quiet)
    assert first.epoch == 2
    with pytest.raises(SanError, match="already"):
        start(config(pack), tmp_path / "run", device="cpu", say=quiet)
    more = start(config(pack, 3), tmp_path / "run", resume=True, device="cpu", say=quiet)
    assert more.epoch == 3


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    with pytest.raises(SanError, match="names no packed corpus"):
        start(Config(), tmp_path / "run", device="cpu")
    with pytest.raises(SanError, match="no state to go on from"):
        start(config(tmp_path / "no.pack"), tmp_path / "run", resume=True, device="cpu")
    with pytest.raises(SanError):
        start(config(tmp_path / "no.pack"), tmp_path / "run", device="cpu")
