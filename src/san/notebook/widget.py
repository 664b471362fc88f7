"""The sheet as a widget of Jupyter and its relatives; needs anywidget.

A kernel that is busy reads when it has done: what is written meanwhile waits.
"""

from importlib.resources import files
from typing import Any

import anywidget
import traitlets

from san.errors import SanError
from san.notebook.modules import single_module
from san.notebook.reading import PageReader, SheetReading, Stroke, answer, read_sheet

MIN_HEIGHT, MAX_HEIGHT = 100, 4000


class SheetWidget(anywidget.AnyWidget):
    """What `san.sheet` gives."""

    _esm = single_module("san.js", (files("san.notebook") / "sheet.js").read_text("utf-8"))

    _shown = traitlets.Dict().tag(sync=True)  # what the browser shows, and whether it must
    height = traitlets.Int(help="In pixels.").tag(sync=True)
    latex = traitlets.Unicode(help="A line for each formula.").tag(sync=True)
    strokes: Any = traitlets.List(help="Points [x, y] of each; may be set.")
    formulas = traitlets.Tuple(help="In reading order.")
    formula = traitlets.Any(None, allow_none=True, help="The first of them, or None.")
    message = traitlets.Unicode(help="Why nothing was read; mostly empty.")

    def __init__(self, recognizer: PageReader | None = None, height: int = 320) -> None:
        if not MIN_HEIGHT <= height <= MAX_HEIGHT:
            raise SanError(f"a sheet's height is from {MIN_HEIGHT} to {MAX_HEIGHT} pixels")
        if isinstance(recognizer, str):
            raise SanError("a sheet takes a Recognizer; for a URL Recognizer.connect(url)")
        if not (recognizer is None or hasattr(recognizer, "read_page")):
            kind = type(recognizer).__name__
            raise SanError(f"a sheet is read by a Recognizer, which {kind} is not")
        self._recognizer, self._reading = recognizer, SheetReading()
        super().__init__(height=height, _shown={"strokes": [], "by_program": False})
        self.on_msg(self._asked)

    def _asked(self, _: object, content: Any, buffers: object) -> None:
        answer(content, self._read, self.send)

    def _read(self, strokes: list[Stroke], by_program: bool = False) -> SheetReading:
        if strokes == self._shown["strokes"]:  # of another view, or set just now
            return self._reading
        reading = self._reading = read_sheet(strokes, self._recognizer)
        with self.hold_trait_notifications():  # who observes one finds the others in step
            self._shown = {"strokes": strokes, "by_program": by_program}
            self.strokes = strokes
            self.formulas = reading.formulas
            self.formula = reading.formulas[0] if reading.formulas else None
            self.latex, self.message = reading.latex, reading.message
        return reading

    @traitlets.observe("strokes")
    def _strokes_set(self, change: Any) -> None:
        self._read(change["new"], by_program=True)
