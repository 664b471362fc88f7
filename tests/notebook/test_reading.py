"""What is written on a sheet in a notebook, without a notebook."""

from typing import Any

import pytest

from san.ink import Ink
from san.notebook.reading import SheetReading, answer, read_sheet
from san.reader import Page, Source
from tests.ink.formulas import fraction
from tests.serve.conftest import recognizer

STROKES: list[Any] = [stroke.tolist() for stroke in fraction().ink.strokes]


class Counting:
    """Reads with the tests' recognizer, and keeps what it was given."""

    def __init__(self) -> None:
        self.sources: list[Source] = []

    def read_page(self, source: Source) -> Page:
        self.sources.append(source)
        return recognizer().read_page(source)


@pytest.mark.slow
def test_what_is_written_is_read() -> None:
    reading = read_sheet(STROKES, recognizer())
    assert reading.latex == r"x=\frac{1}{2}"
    assert reading.page is not None
    (formula,) = reading.page["formulas"]
    assert formula["latex"] == reading.formulas[0].latex
    assert "<math" in formula["mathml"]
    assert reading.message == ""


def test_an_empty_sheet_has_no_formula_and_asks_nobody() -> None:
    reader = Counting()
    assert read_sheet([], reader) == SheetReading()
    assert reader.sources == []


def test_weights_of_points_are_passed_over() -> None:
    reader = Counting()
    read_sheet([[[*point, 0.5] for point in stroke] for stroke in STROKES], reader)
    (ink,) = reader.sources
    assert isinstance(ink, Ink)
    assert [stroke.tolist() for stroke in ink.strokes] == STROKES


@pytest.mark.parametrize(
    "strokes",
    [[7], ["ab"], [[[1]]], [[["a", "b"]]], [[[1, float("nan")]]], [[]], [[[1, 2]]] * 3000],
    ids=["number", "text", "one", "letters", "nan", "empty", "many"],
)
def test_what_is_no_ink_is_one_line(strokes: list[Any]) -> None:
    reading = read_sheet(strokes, recognizer())
    assert reading.formulas == ()
    assert reading.page is None
    assert reading.message.isprintable()
    assert reading.message


def test_messages_are_answered_under_their_number() -> None:
    sent: list[dict[str, Any]] = []

    def read(strokes: list[Any]) -> SheetReading:
        return SheetReading(message=f"{len(strokes)} strokes")

    answer({"number": 7, "strokes": [1, 2]}, read, sent.append)
    assert sent == [{"number": 7, "page": None, "message": "2 strokes"}]
    for strange in (None, [], {}, {"strokes": 3}, "text"):
        answer(strange, read, sent.append)
    assert len(sent) == 1
