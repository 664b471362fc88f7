"""A slice of the campaign of `benchmarks/hostile.py`, and every input that ever failed in it."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import REPOSITORY

CASES = Path(__file__).parent / "cases"
COUNTS = {
    "image": 80, "inkml": 300, "strokes": 150, "latex": 250, "json": 250, "weights": 300,
    "pack": 100, "http": 12,
}  # fmt: skip

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="bounds processes as Linux does"),
]


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Benchmarks are scripts, which find each other in their own folder."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    return __import__("hostile")


@pytest.mark.parametrize("kind", COUNTS)
def test_inputs_are_read_or_refused_with_one_line(campaign: ModuleType, kind: str) -> None:
    tally = campaign.try_inputs(kind, 0, COUNTS[kind])
    assert tally.failures == []
    assert sum(tally.outcomes.values()) == COUNTS[kind]
    assert tally.outcomes["refused"] > 0
    assert tally.largest < 1000
    assert tally.printed < 10_000


def test_the_same_number_is_the_same_input(campaign: ModuleType) -> None:
    for kind in COUNTS:
        assert campaign.hostile(kind, 7) == campaign.hostile(kind, 7)
        assert campaign.hostile(kind, 7) != campaign.hostile(kind, 8)


@pytest.mark.parametrize("case", sorted(CASES.glob("*-*")), ids=lambda case: case.name)
def test_what_failed_once_does_not_fail_again(campaign: ModuleType, case: Path) -> None:
    campaign.attempt(case.name.partition("-")[0], case.read_bytes())


def test_failures_are_found(campaign: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of ours, a process that ends and one that does not."""
    import os
    import time

    def stumble(kind: str, content: bytes) -> bool:
        if content == b"1":
            raise ZeroDivisionError
        if content == b"2":
            os._exit(7)
        if content == b"3":
            time.sleep(60)
        return True

    monkeypatch.setattr(campaign, "hostile", lambda kind, number: str(number).encode())
    monkeypatch.setattr(campaign, "attempt", stumble)
    monkeypatch.setattr(campaign, "SECONDS", 0.5)
    tally = campaign.try_inputs("image", 0, 5)
    assert tally.outcomes == {"read": 2, "failed": 3}
    assert [number for number, _ in tally.failures] == [1, 2, 3]
