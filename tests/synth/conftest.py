"""A composer on our own copybook: made once, for it keeps no state."""

from collections.abc import Sequence
from typing import Any

import pytest

from san.synth.composer import Composer
from san.synth.config import ComposerConfig, CompositionConfig
from san.synth.glyphs.copybook import Copybook
from san.synth.layout.writer import ExpressionWriter

FORMULAS = [
    r"x=\frac{-b\pm\sqrt{b^{2}-4ac}}{2a}",
    r"\sum_{i=1}^{n}\frac{1}{i^{2}}=\frac{\pi^{2}}{6}",
    r"\int_{0}^{1}(\frac{x}{y+1})^{2}dx",
    r"\sqrt[3]{\frac{a_{1}}{a_{2}}}\leq\lim_{n\rightarrow\infty}f_{n}",
    r"e^{i\pi}+1=0",
    r"|x_{0}^{2}-[y,z]|<10^{-5}",
]


@pytest.fixture(scope="session")
def composer() -> Composer:
    return Composer(Copybook(), FORMULAS)


def composing(blend_share: float = 0.0, **composition: float) -> ComposerConfig:
    """The default configuration of a composer but for its composition."""
    return ComposerConfig(CompositionConfig(**composition), blend_share)  # type: ignore[arg-type]


@pytest.fixture
def asked_writers(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[int]]:
    """Whose glyphs come first, of each expression that is composed from now on."""
    asked: list[Sequence[int]] = []

    class Watched(ExpressionWriter):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            asked.append(self.first_writers)

    monkeypatch.setattr("san.synth.composer.ExpressionWriter", Watched)
    return asked
