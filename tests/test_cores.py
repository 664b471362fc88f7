"""Cores that a process may use: its own affinity, and what a container is granted."""

from pathlib import Path

import pytest

from san import cores


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("200000 100000", 2),
        ("150000 100000", 2),
        ("50000 100000", 1),
        ("max 100000", 4),
        ("900000 100000", 4),
        ("", 4),
        ("0 0", 4),
    ],
)
def test_a_containers_share_bounds_the_cores(
    said: str, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quota = tmp_path / "cpu.max"
    quota.write_text(said)
    monkeypatch.setattr(cores, "QUOTA", quota)
    monkeypatch.setattr(cores.os, "sched_getaffinity", lambda _: set(range(4)), raising=False)
    assert cores.usable_cores() == expected


def test_without_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "QUOTA", tmp_path / "none")
    monkeypatch.delattr(cores.os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(cores.os, "cpu_count", lambda: None)
    assert cores.usable_cores() == 1
