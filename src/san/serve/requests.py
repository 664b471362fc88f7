"""Types of the requests, version 1. Whatever is unknown or misspelt is refused."""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, FailFast, Field, model_validator

from san.errors import brief
from san.grammar.formats import Format
from san.images.documents import MAX_PAGES
from san.ink.strokes import MAX_NUMBERS
from san.reader.limits import MAX_SERVICE_BEAM

# Strict: a number is a number, not a text that looks like one. Lists fail at their first fault: a
# list of a million faults would else make a million explanations.
Number = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Point = Annotated[list[Number], FailFast(), Field(min_length=2, max_length=MAX_NUMBERS)]
Stroke = Annotated[list[Point], FailFast(), Field(min_length=1)]
Strokes = Annotated[
    list[Stroke],
    FailFast(),
    Field(
        min_length=1,
        description="In the order of writing; a stroke is its points, [x, y] with y down. "
        "What follows in a point (pressure, time) is passed over.",
    ),
]
Index = Annotated[int, Field(ge=0, strict=True)]
MAX_SYMBOLS = 2_000
"""Symbols of a tree that is sent: no reading has a quarter as many."""
MAX_LATEX = 10 * MAX_SYMBOLS
"""Characters of a formula that is sent as LaTeX."""
MAX_NAME = 100
"""Characters of a symbol's name or a relation's: of either, none has half as many."""
Formats = Annotated[
    list[Format],
    Field(
        max_length=20,
        description="What to write besides LaTeX: `latex` or `json` alone asks for no more.",
    ),
]
DEFAULT_FORMATS = [Format.mathml, Format.typst]

PLUS: dict[str, Any] = {"strokes": [[[10, 40], [60, 40]], [[35, 15], [35, 65]]]}
PLUS_IMAGE = (
    "iVBORw0KGgoAAAANSUhEUgAAACAAAAAgAQAAAABbAUdZAAAAJElEQVR42mP8z8DAwMRABPHXAbcsw38Ghv8YEn/scetg"
    "JNJeAGy4BrEfoXbaAAAAAElFTkSuQmCC"
)
SQUARE: dict[str, Any] = {
    "format": "san-expression",
    "version": 1,
    "symbols": [
        {"symbol": "x", "parent": None, "relation": None},
        {"symbol": "2", "parent": 0, "relation": "sup"},
    ],
}


class _Request(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Options(_Request):
    """A query, whose options are named where one is misspelt."""

    @model_validator(mode="before")
    @classmethod
    def _known_options(cls, given: dict[str, Any]) -> dict[str, Any]:
        for name in given.keys() - cls.model_fields.keys():
            raise ValueError(f"{brief(name)}: no such option; those are: {option_names(cls)}")
        return given


def option_names(options: type[BaseModel]) -> str:
    """The names of a query's options, to be told."""
    return ", ".join(options.model_fields)


class ReadOptions(_Options):
    """What is wanted of a reading."""

    n_best: int = Field(
        3, ge=1, le=MAX_SERVICE_BEAM, description="How many readings to give at most."
    )
    beam: int = Field(
        1,
        ge=1,
        le=MAX_SERVICE_BEAM,
        description="How many readings the first pass follows: `n_best` or more.",
    )
    upright: bool = Field(
        False, description="The image lies as it should: it is not turned or set level."
    )
    boxes: bool = Field(True, description="Say where each symbol stands.")
    attention: bool = Field(False, description="Add the attention of each symbol.")
    formats: Formats = DEFAULT_FORMATS


class DrawOptions(_Options):
    """What is wanted of a file with pages."""

    page: int = Field(1, ge=1, le=MAX_PAGES, description="Which one: the first is 1.")


class GlyphInput(_Request):
    """Which strokes make a symbol."""

    symbol: str = Field(min_length=1, max_length=MAX_NAME)
    strokes: Annotated[list[Index], FailFast(), Field(min_length=1)]


class InkRequest(_Request):
    """Pen strokes."""

    model_config = ConfigDict(json_schema_extra={"examples": [PLUS]})
    strokes: Strokes
    unit: Literal["px"] | None = Field(None, description="Of no consequence: any size is read.")
    known: Annotated[list[GlyphInput], FailFast()] = Field(
        [],
        max_length=MAX_SYMBOLS,
        description="Symbols that are known, corrected ones say: held fixed.",
    )


class ImageRequest(_Request):
    """An image in JSON."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"image": PLUS_IMAGE}]})
    image: str = Field(
        min_length=1, description="The file in base64, or a `data:` URL of it in base64."
    )


class SymbolInput(BaseModel):
    """A symbol; what else an answer says of it is passed over."""

    symbol: str = Field(
        description="Its LaTeX name.", examples=["x", r"\frac"], max_length=MAX_NAME
    )
    parent: Index | None = Field(None, description="The id of the symbol that it stands next to.")
    relation: str | None = Field(None, max_length=MAX_NAME)


class ExpressionInput(BaseModel):
    """A syntax tree, as an answer holds it."""

    format: Literal["san-expression"]
    version: Literal[1]
    symbols: Annotated[list[SymbolInput], FailFast()] = Field(max_length=MAX_SYMBOLS)


class WriteRequest(_Request):
    """A formula to be written: a tree, a corrected one say, or LaTeX in any spelling."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"expression": SQUARE}, {"latex": "α ≤ x^2"}]}
    )
    expression: ExpressionInput | None = None
    latex: str | None = Field(None, max_length=MAX_LATEX, description="Instead of a tree.")
    formats: Formats = DEFAULT_FORMATS

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.expression is None) == (self.latex is None):
            raise ValueError("send either expression or latex")
        return self


class InkmlRequest(_Request):
    """Ink, and what it says."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{**PLUS, "latex": "+", "symbols": [{"symbol": "+", "strokes": [0, 1]}]}]
        }
    )
    strokes: Strokes
    latex: str = Field(max_length=MAX_LATEX)
    symbols: Annotated[list[GlyphInput], FailFast()] = Field([], max_length=MAX_SYMBOLS)
