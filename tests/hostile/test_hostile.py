"""A slice of the campaign of `benchmarks/hostile.py`, and every input that ever failed in it."""

import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import REPOSITORY

CASES = Path(__file__).parent / "cases"
INPUTS = 1000
"""Of each kind."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="bounds processes as Linux does"),
]


@pytest.fixture
def campaign(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Benchmarks are scripts, which find each other in their own folder."""
    monkeypatch.syspath_prepend(str(REPOSITORY / "benchmarks"))
    return __import__("hostile")


KINDS = (
    *("image", "inkml", "strokes", "latex", "json", "weights", "pack", "state", "http"),
    "documents",  # PDFs, drawn in forked processes; those of requests, 3 of 100, in new ones
)


@pytest.mark.parametrize("kind", KINDS)
def test_inputs_are_read_or_refused_with_one_line(campaign: ModuleType, kind: str) -> None:
    tally = campaign.try_inputs(kind, 0, INPUTS)
    assert tally.failures == []
    assert sum(tally.outcomes.values()) == INPUTS
    assert tally.outcomes["refused"] > 0
    assert tally.largest < 1000
    assert tally.printed < 10_000


def test_the_same_number_is_the_same_input(campaign: ModuleType) -> None:
    assert set(KINDS) == set(campaign.MAKERS)
    for kind in KINDS:
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


def test_a_campaign_goes_on_where_its_last_slice_ended(
    campaign: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    total = tmp_path / "total.json"
    options = ["--inputs", "20", "--seed", "5", "--total", str(total), "--keep", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["hostile.py", "--kinds", "latex", *options])
    for slices in (1, 2):
        with pytest.raises(SystemExit, match="0"):
            campaign.main()
        assert sum(campaign.read_total(total)["latex"].outcomes.values()) == 20 * slices
    once = campaign.try_inputs("latex", 5, 40)
    assert campaign.read_total(total)["latex"].outcomes == once.outcomes
    assert "| latex | 40 |" in capsys.readouterr().out
