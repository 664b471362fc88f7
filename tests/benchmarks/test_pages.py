"""What the benchmark of pages counts."""

from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from san.data.stacked_sheets import StackedSheet, stack
from san.grammar import parse
from san.ink import Box
from tests.ink.formulas import fraction, quadratic

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return __import__("pages")


def sheet() -> StackedSheet:
    return stack([fraction(), quadratic()], np.random.default_rng(0), (1.0, 1.0))


def page(*read: tuple[float, float, float]) -> Any:
    """Formulas from some height to another, each so sure."""
    boxes = [Box(0, top, 9, bottom) for top, bottom, _ in read]
    formulas = [SimpleNamespace(confidence=sure) for *_, sure in read]
    return SimpleNamespace(boxes=boxes, formulas=formulas, left_out=())


def test_a_sure_formula_that_stands_for_two_lines_loses_one(pages: ModuleType) -> None:
    assert pages.loses_a_line(sheet(), page((100, 300, 0.6)))
    assert not pages.loses_a_line(sheet(), page((100, 300, 0.4)))
    assert not pages.loses_a_line(sheet(), page((100, 190, 0.9), (210, 300, 0.9)))


def test_formulas_are_matched_in_order(pages: ModuleType) -> None:
    truths = [parse("a"), None, parse("b"), parse("c")]
    read = [SimpleNamespace(expression=parse(latex)) for latex in ("a", "c", "b")]
    assert pages.matched(truths, read) == 2
    assert pages.matched(truths, []) == 0
