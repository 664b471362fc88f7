"""A second opinion: whatever gets a second pass is read by another network as well.

Design choices
- A network of another encoder, trained from chance on samples of its own, makes other errors; the
  same network on other views of a picture mostly makes the same (experiments/rescoring.md).
- It has one vote of three. Asked only where the other two leave every tree under one half, it
  mends four fifths as much (experiments/rescoring.md).
- It is opened when it is first asked: who reads a few clear formulas never waits for it.
"""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Protocol

from san.decoding.confidence import fingerprint
from san.decoding.engine import Engine
from san.models import OPINION, check_shipped, is_folder
from san.reader.rescoring.rescorer import Rescorer


class CoreEngine(Engine, Protocol):
    def on_one_core(self) -> "CoreEngine":
        """The same network, for callers who have an image for each core."""
        ...


class SecondOpinion:
    """A network that is opened at its first use. Safe to share among threads."""

    def __init__(self, open_engine: Callable[[], CoreEngine]) -> None:
        self._open, self._opening = open_engine, Lock()
        self._engine: CoreEngine | None = None

    @property
    def engine(self) -> CoreEngine:
        with self._opening:  # so that threads that come together open one, not one each
            if self._engine is None:
                self._engine = self._open()
            return self._engine

    def on_one_core(self) -> "SecondOpinion":
        return SecondOpinion(lambda: self.engine.on_one_core())


def opinion_for(network: Path, rescorer: Rescorer) -> Path | None:
    """The network that is to be asked, where rescoring was fitted for both of them.

    An installation may do without, and is smaller then. A damaged file is a SanError, at once.
    """
    if not rescorer.opinion or is_folder(network) or not OPINION.is_file():
        return None
    if fingerprint(OPINION) != rescorer.opinion:
        check_shipped(OPINION)
        return None
    return OPINION if fingerprint(network) == rescorer.fitted_for else None
