"""From a formula that was read to the answer that tells of it."""

import json
from collections.abc import Iterable
from typing import Any, cast

import numpy as np

from san.grammar import Expression
from san.grammar.json import to_dict
from san.grammar.labelgraph import to_labelgraph
from san.grammar.mathml import to_mathml
from san.grammar.typst import to_typst
from san.reader import Formula, WrittenSymbol
from san.serve.requests import ReadOptions
from san.serve.responses import ExpressionResult, Reading, Result, SymbolResult, Words, Written

SURE, FAIRLY = 0.85, 0.5
"""Confidences from which on they are put into such words."""


def result(formula: Formula, options: ReadOptions, milliseconds: float) -> Result:
    page = formula.page
    return {
        "format": "san-result",
        "version": 1,
        **_reading(formula, options, options.attention),
        "words": _words(formula.confidence),
        # Where the network looked is told of the best alone: it is most of an answer's bytes.
        "alternatives": [
            _reading(other, options, False) for other in formula.alternatives[: options.n_best - 1]
        ],
        "source": {
            "kind": "image" if page.ink is None else "ink",
            "width": round(page.width, 2),
            "height": round(page.height, 2),
        },
        "milliseconds": round(milliseconds, 1),
    }


def written(tree: Expression, forms: Iterable[str] = ("mathml", "typst")) -> Written:
    """A tree in its written forms; its symbols as the grammar knows them."""
    expression = cast(ExpressionResult, to_dict(tree))
    answer: Written = {"latex": expression["latex"], "expression": expression}
    if "mathml" in forms:
        answer["mathml"] = to_mathml(tree, marked=True)
    if "typst" in forms:
        answer["typst"] = to_typst(tree)
    if "labelgraph" in forms:
        answer["labelgraph"] = to_labelgraph(tree)
    return answer


def as_json(answer: Any) -> bytes:
    return json.dumps(answer, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _words(confidence: float) -> Words:
    return "sure" if confidence >= SURE else "fairly sure" if confidence >= FAIRLY else "doubtful"


def _reading(formula: Formula, options: ReadOptions, attention: bool) -> Reading:
    answer = written(formula.tree, options.formats)
    entries = answer["expression"]["symbols"]
    for entry, symbol in zip(entries, formula.symbols, strict=True):
        _tell(entry, symbol, options.boxes, attention)
    return {**answer, "confidence": _chance(formula.confidence)}


def _tell(entry: SymbolResult, symbol: WrittenSymbol, boxes: bool, attention: bool) -> None:
    entry["probability"] = _chance(symbol.probability)
    entry["alternatives"] = [(name, _chance(chance)) for name, chance in symbol.alternatives]
    if boxes:
        left, top, right, bottom = (round(side, 2) for side in symbol.box or (0, 0, 0, 0))
        entry["box"] = (left, top, right, bottom) if symbol.box else None
        if symbol.strokes is not None:
            entry["strokes"] = list(symbol.strokes)
    if attention:
        rows, columns = symbol.attention.shape
        values = np.round(symbol.attention.ravel().astype(float), 4).tolist()
        entry["attention"] = {"rows": rows, "columns": columns, "values": values}


def _chance(value: float) -> float:
    return min(max(round(value, 4), 0.0), 1.0)
