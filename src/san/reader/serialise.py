"""A formula as JSON: one shape for Python, the command line and HTTP (docs/formula.schema.json).

    {"format": "san-result", "version": 1, "latex": "x^{2}", "confidence": 0.97, "words": "sure",
     "expression": {"format": "san-expression", "version": 1, "latex": "x^{2}", "symbols": [...]},
     "alternatives": [...], "source": {"kind": "image", "width": 640, "height": 480},
     "unread": [{"box": [...]}], "unread_share": 0.12, "crossed_out": [], "notes": ["..."],
     "doubts": ["..."]}

An expression is what `san.grammar.json` reads; beside each of its symbols stands how it was read.
Other written formats stand beside `latex` where they are asked for, in MathML with the ids of the
symbols. An alternative has the same fields from `latex` to `expression`.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from san.grammar import Expression
from san.grammar.constructs import construct_of
from san.grammar.formats import WRITERS, Format
from san.grammar.json import to_dict
from san.grammar.mathml import to_mathml
from san.images.view import Corners
from san.reader.prepared import Location, PreparedImage
from san.reader.symbols import Symbol

FORMAT, VERSION = "san-result", 1


class SourceInfo(NamedTuple):
    """What was handed in; boxes are in its units."""

    kind: Literal["image", "ink"]
    width: float  # pixels of the image as opened, units of the ink
    height: float

    @classmethod
    def of(cls, image: PreparedImage) -> "SourceInfo":
        return cls("image" if image.ink is None else "ink", image.width, image.height)

    def fields(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "width": round(self.width, 2),
            "height": round(self.height, 2),
        }


def result_head(
    words: str,
    source: SourceInfo,
    view: tuple[float, Corners | None],
    unread: tuple[Sequence[Location], float],
    crossed_out: Sequence[Location],
    notes: Sequence[str],
    doubts: Sequence[str],
) -> dict[str, Any]:
    """The fields that a result has once.

    Args:
        view: By how many degrees the picture was turned, and the corners of the sheet on it.
        unread: The ink that no symbol accounts for, and which part of all ink that is.
    """
    turned, outline = view
    head: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "words": words,
        "source": source.fields(),
        "unread": [_location_fields(place) for place in unread[0]],
        "unread_share": _rounded(unread[1]),
        "crossed_out": [_location_fields(place) for place in crossed_out],
        "notes": list(notes),
        "doubts": list(doubts),
    }
    if turned:
        head["turned"] = round(turned, 1)
    if outline is not None:
        head["outline"] = [plain_numbers(corner) for corner in outline]
    return head


def _location_fields(place: Location) -> dict[str, Any]:
    fields: dict[str, Any] = {"box": plain_numbers(place.box)}
    if place.strokes is not None:
        fields["strokes"] = list(place.strokes)
    return fields


def reading_fields(
    expression: Expression,
    confidence: float,
    symbols: Sequence[Symbol],
    formats: Iterable[Format] = (),
    boxes: bool = True,
    attention: bool = False,
) -> dict[str, Any]:
    """The fields that the best reading and its alternatives have."""
    fields = written_fields(expression, formats)
    for entry, symbol in zip(fields["expression"]["symbols"], symbols, strict=True):
        entry |= _symbol_fields(symbol, boxes, attention)
    return {**fields, "confidence": _rounded(confidence)}


def written_fields(expression: Expression, formats: Iterable[Format] = ()) -> dict[str, Any]:
    """The fields that any expression has, whether it was read or not."""
    document = to_dict(expression)
    fields: dict[str, Any] = {"latex": document["latex"], "expression": document}
    for form in formats:
        if form is Format.mathml:
            fields[form.value] = to_mathml(expression, marked=True)
        elif form not in (Format.latex, Format.json):  # which are there
            fields[form.value] = WRITERS[form](expression)
    return fields


def _symbol_fields(symbol: Symbol, boxes: bool, attention: bool) -> dict[str, Any]:
    arguments = construct_of(symbol.name).arguments
    fields: dict[str, Any] = {
        "probability": _rounded(symbol.probability),
        "alternatives": [
            [name, _rounded(chance)]
            for name, chance in symbol.alternatives
            if construct_of(name).arguments == arguments  # no fraction where a letter stands
        ],
    }
    if boxes:
        fields["box"] = symbol.box and plain_numbers(symbol.box)
        if symbol.strokes is not None:
            fields["strokes"] = list(symbol.strokes)
    if attention:
        rows, columns = symbol.attention.shape
        values = np.round(symbol.attention.ravel().astype(float), 4).tolist()
        fields["attention"] = {"rows": rows, "columns": columns, "values": values}
    return fields


def plain_numbers(sides: Iterable[float]) -> list[float]:
    """Rounded: a box may have numbers of numpy, which not every serialiser takes."""
    return [round(float(side), 2) for side in sides]


def _rounded(probability: float) -> float:
    return min(max(round(probability, 4), 0.0), 1.0)
