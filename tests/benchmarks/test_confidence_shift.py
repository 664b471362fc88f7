"""The shift of the log odds is the one that readings were drawn with."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from san.errors import SanError

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def confidence_shift(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Benchmarks are scripts, which find each other in their own folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return __import__("confidence_shift")


def test_the_shift_behind_the_readings_is_found(confidence_shift: ModuleType) -> None:
    random = np.random.default_rng(3)
    odds = confidence_shift.log_odds(random.random(20_000))
    right = (random.random(len(odds)) < 1 / (1 + np.exp(-odds + 0.7))).astype(float)
    found = confidence_shift.shift(odds, right)
    assert found.value == pytest.approx(-0.7, abs=4 * found.error)
    assert found.error < 0.03


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_readings_of_one_kind_tell_nothing(confidence_shift: ModuleType, right: float) -> None:
    with pytest.raises(SanError, match="right and wrong"):
        confidence_shift.shift(confidence_shift.log_odds(np.array([0.2, 1.0])), np.full(2, right))
