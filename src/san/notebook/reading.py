"""What is written on a sheet -> formulas, and the answer for the sheet; knows no notebook."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from san.errors import SanError
from san.ink import Ink
from san.reader import Formula, Page, Source
from san.reader.shared import shared_recognizer

Stroke = Sequence[Sequence[float]]
"""Points [x, y], with y pointing down; what else a point has is passed over, as by `Ink.of`."""


class PageReader(Protocol):
    """A `Recognizer`, or what `Recognizer.connect` gives."""

    def read_page(self, source: Source) -> Page: ...


class SheetReading(NamedTuple):
    """What was read of a sheet."""

    formulas: tuple[Formula, ...] = ()
    page: dict[str, Any] | None = None  # as the service answers; None where nothing was read
    message: str = ""  # why not, in one line

    @property
    def latex(self) -> str:
        return "\n".join(formula.latex for formula in self.formulas)


def read_sheet(strokes: Sequence[Stroke], recognizer: PageReader | None = None) -> SheetReading:
    """Read all formulas of some strokes; whatever is wrong with them is its message.

    Args:
        strokes: In the order of writing; an empty sheet has no formula.
        recognizer: Who reads; by default one for all sheets.
    """
    if not strokes:
        return SheetReading()
    try:
        page = (recognizer or shared_recognizer()).read_page(Ink.of(strokes))
    except SanError as error:
        return SheetReading(message=str(error))
    return SheetReading(page.formulas, page.to_dict(["mathml"]))


Answer = Callable[[dict[str, Any]], None]


def answer(content: object, read: Callable[[list[Stroke]], SheetReading], send: Answer) -> None:
    """Answer a message of the sheet, {number, strokes}; whatever else it may be is passed over."""
    if not isinstance(content, dict) or not isinstance(content.get("strokes"), list):
        return
    reading = read(content["strokes"])
    send({"number": content.get("number"), "page": reading.page, "message": reading.message})
