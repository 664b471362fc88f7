"""What is said of a page's formulas on standard error."""

from types import SimpleNamespace
from typing import Any

from san.cli.results import formula_notes


def page(*notes: tuple[str, ...]) -> Any:
    formulas = (SimpleNamespace(notes=own, confidence=0.99, doubts=()) for own in notes)
    return SimpleNamespace(formulas=tuple(formulas))


def test_what_holds_of_all_formulas_is_told_once() -> None:
    turned, unread = "turned clockwise by 90 degrees", "2 parts were not read"
    assert list(formula_notes(page((turned,), (turned, unread), (turned,)))) == [
        turned,
        f"formula 2: {unread}",
    ]
    assert list(formula_notes(page((turned, unread)))) == [turned, unread]
    assert list(formula_notes(page((turned,), ()))) == [f"formula 1: {turned}"]
    assert list(formula_notes(page())) == []
