"""Types of the responses, version 1: `Result` is what `san.reader.serialise` makes.

Nothing checks a response a second time when it is sent. The OpenAPI document and
docs/formula.schema.json are made of these types, and the tests hold results to them.
"""

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

Probability = Annotated[float, Field(ge=0, le=1)]
Relation = Literal["above", "below", "sub", "sup", "upper-left", "inside", "right"]
ConfidenceWords = Literal["sure", "fairly sure", "doubtful"]
Box = tuple[float, float, float, float]


class Attention(TypedDict):
    """The attention of a symbol's step, cell by cell, row after row."""

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


class WrittenForms(TypedDict):
    """A syntax tree in its written formats."""

    latex: Annotated[str, Field(examples=["x^{2}"])]
    stretchy: NotRequired[
        Annotated[
            str,
            Field(
                description=r"The LaTeX with `\left(` and `\right)` around what is tall.",
                examples=[r"\left(x^{2}\right)"],
            ),
        ]
    ]
    mathml: NotRequired[str]
    typst: NotRequired[Annotated[str, Field(examples=["x^2"])]]
    tokens: NotRequired[Annotated[str, Field(description="The LaTeX, token by token.")]]
    lg: NotRequired[
        Annotated[str, Field(description="A label graph, as CROHME's tools compare them.")]
    ]
    tree: NotRequired[Annotated[str, Field(description="Lines of text.")]]
    expression: ExpressionResult


class Reading(WrittenForms):
    """One way to read the source."""

    confidence: Annotated[Probability, Field(description="That all of it is right.")]


class SourceInfo(TypedDict):
    """What was sent; boxes are in its units."""

    kind: Literal["image", "ink"]
    width: float
    height: float


class InkPlace(TypedDict):
    """Some strokes, or a connected part of a picture."""

    box: Annotated[Box, Field(description="Left, top, right, bottom in the source.")]
    strokes: NotRequired[Annotated[list[int], Field(description="Of ink: their numbers.")]]


class Result(Reading):
    """A formula that was read; what `Formula.json`, `san read --format json` and HTTP give."""

    format: Literal["san-result"]
    version: Literal[1]
    words: Annotated[ConfidenceWords, Field(description="The confidence in words.")]
    alternatives: Annotated[list[Reading], Field(description="Other readings, best first.")]
    source: SourceInfo
    turned: NotRequired[
        Annotated[
            float,
            Field(description="Degrees clockwise by which the image was turned to be read."),
        ]
    ]
    outline: NotRequired[
        Annotated[
            list[tuple[float, float]],
            Field(
                min_length=4,
                max_length=4,
                description="Corners of the sheet found on the image: those that are top left, "
                "top right, bottom right, bottom left when it is upright.",
            ),
        ]
    ]
    unread: NotRequired[
        Annotated[list[InkPlace], Field(description="The ink that no symbol accounts for.")]
    ]
    unread_share: NotRequired[
        Annotated[Probability, Field(description="Which part of all ink that is.")]
    ]
    crossed_out: NotRequired[
        Annotated[
            list[InkPlace],
            Field(
                description="What was left out since it is crossed out, and what crosses it out;"
                " where all of the ink is, what lies below was read."
            ),
        ]
    ]
    notes: NotRequired[
        Annotated[
            list[str],
            Field(
                description="What has to be said of it, a line each.",
                examples=[["3 strokes were not read: another line below?"]],
            ),
        ]
    ]
    doubts: NotRequired[
        Annotated[
            list[str],
            Field(
                description="What is in doubt; empty where the words are `sure`.",
                examples=[["Y may be y"]],
            ),
        ]
    ]
    milliseconds: NotRequired[
        Annotated[float, Field(description="Over HTTP: from the whole request to its response.")]
    ]
    id: NotRequired[Annotated[str, Field(description="Of `san read`: the name of the input.")]]
    file: NotRequired[Annotated[str, Field(description="Of `san read`: its path.")]]


class PageFormula(Result):
    """A formula of a page."""

    box: Annotated[Box, Field(description="Left, top, right, bottom in the source.")]


class LeftOut(TypedDict):
    """A block of a page that is no formula."""

    box: Box
    reason: str


class PageResult(TypedDict):
    """A page that was read; what `Page.to_dict`, `san read --page --format json` and HTTP give."""

    format: Literal["san-page"]
    version: Literal[1]
    source: SourceInfo
    formulas: Annotated[list[PageFormula], Field(description="In reading order.")]
    derivations: Annotated[
        list[list[int]],
        Field(description="Numbers of formulas, from 0, that stand right below one another."),
    ]
    left_out: Annotated[list[LeftOut], Field(description="Blocks that are no formulas.")]
    notes: Annotated[
        list[str], Field(description="What who only sees the formulas has to know of the page.")
    ]
    milliseconds: NotRequired[
        Annotated[float, Field(description="Over HTTP: from the whole request to its response.")]
    ]
    id: NotRequired[Annotated[str, Field(description="Of `san read`: the name of the input.")]]
    file: NotRequired[Annotated[str, Field(description="Of `san read`: its path.")]]


class DrawnPageResult(TypedDict):
    """A page of a file, drawn."""

    page: Annotated[int, Field(ge=1, description="Which one: the first is 1.")]
    pages: Annotated[int, Field(ge=1, description="How many can be drawn.")]
    width: int
    height: int
    image: Annotated[
        str, Field(description="PNG in base64, in grey: as `image` of JSON it can be read.")
    ]
    notes: Annotated[list[str], Field(description="What has to be said of it, a line each.")]
    milliseconds: NotRequired[
        Annotated[float, Field(description="From the whole request to its response.")]
    ]


class Health(TypedDict):
    """How the service is."""

    status: Literal["ok", "ready"]


class ProblemDetails(TypedDict):
    """What went wrong (RFC 9457)."""

    type: Literal["about:blank"]
    title: Annotated[str, Field(examples=["Unprocessable Content"])]
    status: int
    detail: Annotated[str, Field(description="One line.", examples=["no ink found"])]
