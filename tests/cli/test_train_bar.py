"""What `san train` shows as it runs: how often the curve is drawn, and what an interrupt does."""

import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from san.cli.train import DRAW_SECONDS, _Bar, _interrupted_afterwards
from san.errors import SanError


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("san.cli.train.time", clock)
    return clock


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders whose curves were drawn."""
    folders: list[str] = []

    def draw_curve(log: Path, picture: Path) -> None:
        assert log.parent == picture.parent
        folders.append(picture.parent.name)

    monkeypatch.setattr("san.training.run_log.draw_curve", draw_curve)
    return folders


def begun(folder: Path) -> Any:
    """As much of a run as is shown."""
    folder.mkdir()
    (folder / "log.jsonl").touch()
    progress = SimpleNamespace(epoch=0, scores={})
    return SimpleNamespace(folder=folder, line={}, done=0.0, progress=progress)


def test_the_curve_is_drawn_now_and_then_and_at_the_end(
    tmp_path: Path, clock: Clock, drawn: list[str]
) -> None:
    with _Bar(shown=False) as bar:
        bar.watch(begun(tmp_path / "run"))
        for _ in range(10):
            bar.say("an epoch")
        assert drawn == []
        clock.now += DRAW_SECONDS
        for _ in range(10):
            bar.say("an epoch")
        assert drawn == ["run"]
    assert drawn == ["run", "run"]
    with _Bar(shown=False) as bar:
        bar.say("nothing to be trained")
    assert drawn == ["run", "run"]


def test_the_end_of_each_stage_is_drawn(tmp_path: Path, clock: Clock, drawn: list[str]) -> None:
    with _Bar(shown=False) as bar:
        for name in ("first", "second"):
            bar.watch(begun(tmp_path / name))
            bar.say("an epoch")
    assert drawn == ["first", "second"]


def test_what_led_to_a_failure_is_drawn_and_an_interrupt_ends_at_once(
    tmp_path: Path, clock: Clock, drawn: list[str]
) -> None:
    for name, error in (("failed", SanError("the loss grew")), ("stopped", KeyboardInterrupt())):
        with pytest.raises(type(error)), _Bar(shown=False) as bar:  # noqa: PT012
            bar.watch(begun(tmp_path / name))
            bar.say("an epoch")
            raise error
    assert drawn == ["failed"]


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Whoever starts tests in the background may have interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_while_something_is_drawn_is_not_forgotten() -> None:
    class Dropped:
        def __del__(self) -> None:  # an exception in here is printed and forgotten
            signal.raise_signal(signal.SIGINT)

    ended = []
    with pytest.raises(KeyboardInterrupt), _interrupted_afterwards():  # noqa: PT012
        Dropped()
        ended.append(True)
    assert ended
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
