"""A sheet to write on in a notebook; what is written there is read as it is written."""

from typing import TYPE_CHECKING

from san.extras import missing_package

if TYPE_CHECKING:
    from san.notebook.reading import PageReader
    from san.notebook.widget import SheetWidget


def sheet(recognizer: "PageReader | None" = None, height: int = 320) -> "SheetWidget":
    """A sheet to write on, shown where it is the last value of a notebook's cell.

    Its traits can be observed: `strokes` (which may be set), `formulas`, `formula` (the first of
    them, or None), `latex` (a line for each) and `message` (why nothing could be read).

    Args:
        recognizer: Who reads: a `Recognizer`, or what `Recognizer.connect` gives. By default one
            for all sheets, made at the first stroke.
        height: Of the sheet, in pixels.

    Raises:
        SanError: if anywidget is not installed: `pip install '.[notebook]'`.
    """
    try:
        from san.notebook.widget import SheetWidget
    except ModuleNotFoundError as error:
        raise missing_package(error, "notebook") from None
    return SheetWidget(recognizer, height)
