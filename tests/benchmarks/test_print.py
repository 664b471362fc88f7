"""Formulas are typeset as large as asked, and what cannot be is said so."""

from pathlib import Path
from types import ModuleType

import pytest

from san.grammar import parse

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def typesetting(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Benchmarks are scripts, which find each other in their own folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return __import__("print")


@pytest.mark.slow
def test_a_formula_is_black_on_white_and_as_large_as_asked(typesetting: ModuleType) -> None:
    tree = parse(r"\frac{x^{2}}{2}+\sqrt{y}")
    large, small = (typesetting.typeset(tree, *size) for size in ((20, 150), (12, 96)))
    assert large[0].min() == small[0].min() == 255
    assert large.min() < 60
    assert 2 < large.shape[0] / small.shape[0] < 3
    assert typesetting.typeset(parse(r"\textcircled{1}"), 20, 150) is None
