"""Tree -> Typst, what stands between its dollar signs.

- Typst reads Unicode, so a symbol is its character; only functions have names.
- Symbols are parted by spaces: letters that touch would be read as a name, signs as an arrow.
- Fences that match are left to Typst, which stretches them; all others are escaped.
- Lines that are all of a formula are lines of Typst; elsewhere they are a matrix without fences,
  whose cells are aligned by the same `&`.
"""

from typing import NamedTuple
from unicodedata import category

from san.grammar.characters import CHARACTERS, character
from san.grammar.constructs import CELL, LIMIT_OPERATORS, ROW, construct_of
from san.grammar.grids import find_grids, rows_of, with_alignment
from san.grammar.symbols import RELATION_COMMANDS
from san.grammar.tree import NOTHING, Expression, Relation, Symbol

_A, _B, _SUB, _SUP = Relation.ABOVE, Relation.BELOW, Relation.SUB, Relation.SUP
_DIGITS, _POINT = frozenset("0123456789"), Symbol(".")
_OPEN, _CLOSE = frozenset("([{⟨⌊⌈⟮"), frozenset(")]}⟩⌋⌉⟯")
_ESCAPED = frozenset("_^&#$\"\\/'~√∛∜")
_OTHER_FENCES = frozenset("⌜⌝⌞⌟⎰⎱")  # to typst, though not to unicode
_PARTS = frozenset(",;")  # part the arguments of a function
_NAMED = frozenset(
    "arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf ker lg lim liminf"
    " limsup ln log max min mod Pr sec sin sinh sup tan tanh".split()
)
_LIMITS_OF_TYPST = RELATION_COMMANDS.union(r"= < > : \det \gcd \Pr \dagger \ddagger \surd".split())
"""On these typst draws scripts above and below: those that stand beside them are said to."""
_MARKS = {
    r"\overline": "overline",
    r"\underline": "underline",
    r"\overrightarrow": "arrow",
    r"\overleftarrow": "arrow.l",
    r"\overleftrightarrow": "arrow.l.r",
    r"\widehat": "hat",
    r"\widetilde": "tilde",
    r"\wideparen": "overparen",
    r"\hat": "hat",
    r"\bar": "macron",
    r"\vec": "arrow",
    r"\dot": "dot",
    r"\ddot": "dot.double",
    r"\dddot": "dot.triple",
    r"\tilde": "tilde",
    r"\check": "caron",
    r"\acute": "acute",
    r"\grave": "grave",
    r"\breve": "breve",
    r"\mathring": "circle",
    r"\overbrace": "overbrace",
    r"\underbrace": "underbrace",
}
_ARROWS_BELOW = {r"\underrightarrow": r"\u{20EF}", r"\underleftarrow": r"\u{20EE}"}  # combining
_FRAMES = {
    r"\boxed": "#box(stroke: 0.5pt, inset: 3pt, $",
    r"\textcircled": "#box(stroke: 0.5pt, inset: 3pt, radius: 50%, $",
}
_DELIMITERS = {
    **dict.fromkeys(("matrix", "aligned", "gathered"), "#none"),
    "pmatrix": '"("',
    "bmatrix": '"["',
    "Bmatrix": '"{"',
    "vmatrix": '"|"',
    "Vmatrix": '"‖"',
}
_CASES = {"cases": "cases(", "rcases": "cases(reverse: #true, "}
_LINES = ("aligned", "gathered")
_ROW_END = " ; "  # without the space it would end the code of a `#box(` before it, and no row


class _Chain(NamedTuple):
    """An expression that waits to be written; inside of arguments a comma is not a symbol."""

    expression: Expression
    argument: bool
    whole: bool = False  # it is all of the formula


_PIECE = str | _Chain


def to_typst(expression: Expression) -> str:
    """Equal trees give equal text; nothing gives nothing."""
    if not expression:
        return ""
    text: list[str] = []
    pending: list[_PIECE] = [_Chain(expression, False, whole=True)]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            text.append(piece)
        else:
            pending += reversed(_written(piece))
    return "".join(text)


def _written(chain: _Chain) -> list[_PIECE]:
    symbols = chain.expression.symbols
    matched, points = _matched(symbols), _decimal_points(symbols)
    grids = {grid.first: grid for grid in find_grids(symbols)}
    pieces: list[_PIECE] = [] if symbols else ['""']
    place = 0
    while place < len(symbols):
        symbol = symbols[place]
        sides = {place - 1, place}
        if place and not (sides & points or _touch(symbols[place - 1], symbol, sides & matched)):
            pieces.append(" ")
        if grid := grids.get(place):
            cells = symbols[grid.place].branch(Relation.INSIDE)
            if chain.whole and len(symbols) == 1 and grid.environment in _LINES:
                return _lines(cells, grid.environment, argument=False, end=" \\ ")
            base = _grid(cells, grid.environment)
            scripted = symbols[grid.last]
            pieces += _scripts(scripted, base, chain.argument)
            place = grid.last
        else:
            pieces += _scripted(symbol, chain.argument, place in matched)
        place += 1
    return pieces


def _touch(left: Symbol, right: Symbol, fences: set[int]) -> bool:
    """Digits make a number; a fence or a comma stands close to what it belongs to."""
    if left.branches or right.has(_A) or right.has(_B):  # the latter begins with a name
        return False
    if "|" in (left.name, right.name) and right.name != ",":  # `[|` is another bracket
        return False
    number = left.name in _DIGITS and right.name in _DIGITS
    opens = character(left.name) in _OPEN and bool(fences)
    closes = character(right.name) in _CLOSE and bool(fences)
    return number or opens or closes or right.name == ","


def _decimal_points(symbols: tuple[Symbol, ...]) -> set[int]:
    """The places of points between two digits."""
    return {
        place
        for place in range(1, len(symbols) - 1)
        if symbols[place] == _POINT
        and symbols[place - 1].name in _DIGITS
        and not symbols[place - 1].branches
        and symbols[place + 1].name in _DIGITS
    }


def _matched(symbols: tuple[Symbol, ...]) -> set[int]:
    """The places of fences that open and close each other, and carry nothing in between."""
    matched: set[int] = set()
    opened: list[int] = []
    for place, symbol in enumerate(symbols):
        face = character(symbol.name)
        if face in _OPEN and not symbol.branches:
            opened.append(place)
        elif face in _CLOSE and opened and not (symbol.has(_A) or symbol.has(_B)):
            matched |= {place, opened.pop()}
    return matched


def _scripted(symbol: Symbol, argument: bool, matched: bool) -> list[_PIECE]:
    """A symbol with all that hangs on it."""
    inside = argument or symbol.has(_A) or symbol.has(_B)  # of `limits(`, where a comma is none
    return _scripts(symbol, _base(symbol, inside, matched), argument)


def _scripts(symbol: Symbol, base: list[_PIECE], argument: bool) -> list[_PIECE]:
    """What hangs on a symbol, laid on what is written of it."""
    construct = construct_of(symbol.name)
    labelled = construct.option is _B  # an arrow: both labels are limits of it
    taken = () if labelled else construct.arguments
    above, below = (r if symbol.has(r) and r not in taken else None for r in (_A, _B))
    sub, sup = (r if symbol.has(r) else None for r in (_SUB, _SUP))
    if (above or below) and not (labelled or symbol.name in LIMIT_OPERATORS):
        base = ["limits(", *base, ")"]  # else typst draws an exponent or an index
    elif (sub or sup) and symbol.name in _LIMITS_OF_TYPST:
        base = ["scripts(", *base, ")"]
    if (above or below) and (sub or sup):
        pieces: list[_PIECE] = ["attach(", *base]
        for key, relation in (("t", above), ("b", below), ("tr", sup), ("br", sub)):
            if relation:
                pieces += (f", {key}: ", _Chain(symbol.branch(relation), True))
        return [*pieces, ")"]
    for mark, low in (("_", below or sub), ("^", above or sup)):
        if low:
            base += (f"{mark}(", _Chain(symbol.branch(low), argument), ")")
    return base


def _base(symbol: Symbol, argument: bool, matched: bool) -> list[_PIECE]:
    """The symbol with its arguments."""
    name = symbol.name
    if name in (NOTHING, CELL, ROW):  # the last two with scripts: else they have parted cells
        return ['""']
    if name in (r"\frac", r"\binom"):
        parts = (_Chain(symbol.branch(_A), True), ", ", _Chain(symbol.branch(_B), True))
        return [f"{name[1:]}(", *parts, ")"]
    inside = symbol.branch(Relation.INSIDE)
    if name == r"\sqrt":
        index = symbol.branch(Relation.UPPER_LEFT)
        head: list[_PIECE] = ["root(", _Chain(index, True), ", "] if index else ["sqrt("]
        return [*head, _Chain(inside, True), ")"]
    if name in _FRAMES:
        return [_FRAMES[name], _Chain(inside, True), "$)"]
    construct = construct_of(name)
    if construct.option is _B:
        return [f"stretch({character(name)})"]
    if construct.arguments:
        content = _Chain(symbol.branch(construct.arguments[0]), True)
        if name in _MARKS:
            return [f"{_MARKS[name]}(", content, ")"]
        return ["accent(", content, f", {_ARROWS_BELOW[name]})"]
    return [_leaf(name, argument, matched)]


def _grid(cells: Expression, environment: str) -> list[_PIECE]:
    """A matrix, or lines behind a brace."""
    is_lines = environment in _CASES
    pieces: list[_PIECE] = [_CASES.get(environment) or f"mat(delim: {_DELIMITERS[environment]}, "]
    if environment in _LINES:
        return [*pieces, *_lines(cells, environment, argument=True, end=_ROW_END), ")"]
    for number, row in enumerate(rows_of(cells)):
        if number:
            pieces.append(", " if is_lines else _ROW_END)
        for place, cell in enumerate(row):
            pieces += (", " if place else "", _Chain(Expression(cell), True))
    return [*pieces, ")"]


def _lines(cells: Expression, environment: str, argument: bool, end: str) -> list[_PIECE]:
    """Lines, aligned at their relation signs where each has one."""
    pieces: list[_PIECE] = []
    for number, row in enumerate(
        rows_of(with_alignment(cells) if environment == "aligned" else cells)
    ):
        pieces.append(end if number else "")
        before, *signs = (_Chain(Expression(cell), argument) for cell in row)
        if before.expression or not signs:
            pieces.append(before)
        for sign in signs:
            pieces += (" &" if before.expression else "&", sign)
    return pieces


def _leaf(name: str, argument: bool, matched: bool) -> str:
    text = "-" if name == "-" else character(name)
    if len(text) > 1:
        if text in _NAMED:
            return text
        limits = ", limits: #true" if name in LIMIT_OPERATORS and name not in CHARACTERS else ""
        return f'op("{text}"{limits})'
    fence = (category(text) in ("Ps", "Pe") or text in _OTHER_FENCES) and not matched
    return f"\\{text}" if fence or text in _ESCAPED or (argument and text in _PARTS) else text
