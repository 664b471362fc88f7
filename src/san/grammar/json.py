"""Tree <-> JSON, version 1.

    {"format": "san-expression", "version": 1, "latex": "x^{2}",
     "symbols": [{"id": 0, "symbol": "x", "parent": null, "relation": null},
                 {"id": 1, "symbol": "2", "parent": 0, "relation": "sup"}]}

A flat list in reading order, each symbol with the one it stands next to and the relation between
them (`right` included). However deep a formula, its JSON is flat, and there is room beside each
symbol for more (a probability, a box) without a new version.
"""

import json
from typing import Any

from san.errors import brief
from san.grammar.errors import GrammarError, quoted
from san.grammar.latex import to_latex
from san.grammar.normal_form import chain, outside_grids, symbol_with
from san.grammar.symbols import is_symbol
from san.grammar.tree import NOTHING, Expression, Relation, Symbol

FORMAT, VERSION = "san-expression", 1


def to_json(expression: Expression, indent: int | None = None) -> str:
    return json.dumps(to_dict(expression), ensure_ascii=False, indent=indent)


def to_dict(expression: Expression) -> dict[str, Any]:
    symbols = [
        {
            "id": number,
            "symbol": visit.symbol.name,
            "parent": visit.parent if visit.relation else None,
            "relation": visit.relation.value if visit.relation else None,
        }
        for number, visit in enumerate(expression.walk())
    ]
    latex = to_latex(expression)
    return {"format": FORMAT, "version": VERSION, "latex": latex, "symbols": symbols}


def from_json(text: str) -> Expression:
    """Reads what `to_json` wrote; unknown keys are passed over, `latex` is not needed."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GrammarError(f"not JSON: {error}") from None
    return from_dict(document)


def from_dict(document: object) -> Expression:
    """The same of what a JSON reader made of it."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise GrammarError(f'not an expression: "format" is not "{FORMAT}"')
    if document.get("version") != VERSION:
        raise GrammarError(f"version {brief(repr(document.get('version')))} is not {VERSION}")
    symbols = document.get("symbols")
    if not isinstance(symbols, list):
        raise GrammarError('an expression has a list of "symbols"')
    return _joined([_entry(number, entry) for number, entry in enumerate(symbols)])


def _entry(number: int, entry: object) -> tuple[str, int, Relation | None]:
    if not isinstance(entry, dict) or not isinstance(entry.get("symbol"), str):
        raise GrammarError(f'symbol {number} has no name under "symbol"')
    if entry["symbol"] != NOTHING and not is_symbol(entry["symbol"]):
        raise GrammarError(f"{quoted(entry['symbol'])} is no symbol")
    parent, relation = entry.get("parent"), entry.get("relation")
    if number == 0 and parent is None and relation is None:
        return entry["symbol"], -1, None
    if type(parent) is not int or not 0 <= parent < number:
        raise GrammarError(f"symbol {number}: its parent is no earlier symbol")
    try:
        return entry["symbol"], parent, Relation(relation)
    except ValueError:
        raise GrammarError(f"symbol {number}: unknown relation {brief(repr(relation))}") from None


def _joined(entries: list[tuple[str, int, Relation | None]]) -> Expression:
    """Puts the symbols together from the last one back, when all that hangs on each is known."""
    hanging: list[dict[Relation, list[Symbol]]] = [{} for _ in entries]
    chained: list[Symbol] = []  # the chain that begins with the symbol at hand, reversed
    for number in range(len(entries) - 1, -1, -1):
        name, parent, relation = entries[number]
        below = hanging[number]
        chained = below.pop(Relation.RIGHT, [])
        branches = ((relation, chain(reversed(symbols))) for relation, symbols in below.items())
        chained.append(symbol_with(name, branches))
        if relation is not None:
            if relation in hanging[parent]:
                where = f"{relation.words} {quoted(entries[parent][0])}"
                raise GrammarError(f"two things cannot stand {where}")
            hanging[parent][relation] = chained
    return outside_grids(chain(reversed(chained)))
