"""Two samples are told apart by what `--seed` says, and `--help` is short."""

import sys
from pathlib import Path
from types import ModuleType
from unittest.mock import MagicMock

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def two_sample(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Benchmarks are scripts, which find each other in their own folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return __import__("two_sample")


def test_help_is_its_first_line(
    two_sample: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["two_sample.py", "--help"])
    with pytest.raises(SystemExit):
        two_sample.main()
    told = " ".join(capsys.readouterr().out.split())  # lines are broken as wide as the terminal
    assert "A test with two samples." in told
    assert "Design choices" not in told


def test_the_seed_is_the_networks_too(
    two_sample: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = []

    def judge(crops: object, made: object, each: int, seed: int) -> float:
        seeds.append(seed)
        return 0.5

    picture = np.zeros((60, 60), np.uint8)
    picture[10:50, 20:24] = 255
    pairs = [(1, (picture, picture))] * 8
    for name in ("load_config", "Mixture"):
        monkeypatch.setattr(two_sample, name, MagicMock())
    monkeypatch.setattr(two_sample, "pairs_of", lambda *given: pairs)
    monkeypatch.setattr(two_sample, "by_crops", judge)
    monkeypatch.setattr(sys, "argv", ["two_sample.py", "none.toml", "--crops", "--seed", "7"])
    threads = two_sample.torch.get_num_threads()
    try:
        two_sample.main()
    finally:
        two_sample.torch.set_num_threads(threads)
    assert seeds == [7] * len(two_sample.CROPS)
