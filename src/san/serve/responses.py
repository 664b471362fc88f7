"""What the service answers, version 1.

Plain dictionaries with types: they are made where a formula is read, turned into JSON at once, and
nothing checks them a second time; the OpenAPI document is made of them, and the tests hold both
together.
"""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

Probability = Annotated[float, Field(ge=0, le=1)]
Relation = Literal["above", "below", "sub", "sup", "upper-left", "inside", "right"]
Words = Literal["sure", "fairly sure", "doubtful"]
Box = tuple[float, float, float, float]


class Attention(TypedDict):
    """Where the network looked, cell by cell, row after row."""

    rows: int
    columns: int
    values: list[float]


class SymbolResult(TypedDict):
    """A symbol, the one it stands next to, and how it was read."""

    id: Annotated[int, Field(description="Its number in reading order; `data-symbol` in MathML.")]
    symbol: Annotated[str, Field(description="Its LaTeX name.", examples=["x", r"\frac"])]
    parent: int | None
    relation: Relation | None
    probability: NotRequired[Probability]
    alternatives: NotRequired[
        Annotated[
            list[tuple[str, float]],
            Field(description="Other symbols and their probabilities, best first."),
        ]
    ]
    box: NotRequired[
        Annotated[
            Box | None,
            Field(description="Left, top, right, bottom in the source; null: it has no ink."),
        ]
    ]
    strokes: NotRequired[
        Annotated[list[int] | None, Field(description="Of ink: the strokes it is made of.")]
    ]
    attention: NotRequired[Attention]


class ExpressionResult(TypedDict):
    """A syntax tree as a flat list of symbols, in reading order."""

    format: Literal["san-expression"]
    version: Literal[1]
    latex: str
    symbols: list[SymbolResult]


class Written(TypedDict):
    """A tree in its written forms."""

    latex: Annotated[str, Field(examples=["x^{2}"])]
    mathml: NotRequired[str]
    typst: NotRequired[Annotated[str, Field(examples=["x^2"])]]
    labelgraph: NotRequired[Annotated[str, Field(description="As CROHME's tools compare them.")]]
    expression: ExpressionResult


class Reading(Written):
    """One way to read the source."""

    confidence: Annotated[Probability, Field(description="That all of it is right.")]


class SourceInfo(TypedDict):
    """What was sent; boxes are in its units."""

    kind: Literal["image", "ink"]
    width: float
    height: float


class Result(Reading):
    """What was read."""

    format: Literal["san-result"]
    version: Literal[1]
    words: Annotated[Words, Field(description="The confidence in words.")]
    alternatives: Annotated[list[Reading], Field(description="Other readings, best first.")]
    source: SourceInfo
    milliseconds: Annotated[float, Field(description="From the whole request to its answer.")]


class Health(TypedDict):
    """How the service is."""

    status: Literal["ok", "ready"]


class ProblemDetails(TypedDict):
    """What went wrong (RFC 9457)."""

    type: Literal["about:blank"]
    title: Annotated[str, Field(examples=["Unprocessable Content"])]
    status: int
    detail: Annotated[str, Field(description="One line.", examples=["no ink found"])]
