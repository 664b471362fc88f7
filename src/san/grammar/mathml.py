"""Tree -> presentation MathML, of the kind that browsers draw natively (MathML Core).

MathML Core has no `menclose`: frames and circles are borders in CSS. A mark over its content
(`\\overline`, `\\hat`) is an `mover` whose accent stretches; a limit is an `munderover`.
"""

from collections.abc import Iterator
from itertools import groupby
from xml.sax.saxutils import escape

from san.grammar.characters import CHARACTERS, UNDER_MARKS, character
from san.grammar.constructs import LIMIT_OPERATORS, MATRIX, construct_of
from san.grammar.tree import NOTHING, Expression, Relation, Symbol

_PIECE = str | Expression
_A, _B, _SUB, _SUP = Relation.ABOVE, Relation.BELOW, Relation.SUB, Relation.SUP
_FRAME = "border: 0.07em solid; padding: 0.15em"
_CIRCLE = "border: 0.07em solid; border-radius: 50%; padding: 0.1em 0.3em"


def to_mathml(expression: Expression, display: bool = True) -> str:
    """One `<math>` element."""
    block = ' display="block"' if display else ""
    body = _emit([_row(expression)])
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{block}>{body}</math>'


def _emit(pieces: list[list[_PIECE]]) -> str:
    """Writes pieces out, with a stack instead of recursion."""
    text: list[str] = []
    pending: list[_PIECE] = [piece for row in reversed(pieces) for piece in reversed(row)]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            text.append(piece)
        else:
            pending += reversed([part for run in _runs(piece) for part in run])
    return "".join(text)


def _runs(expression: Expression) -> Iterator[list[_PIECE]]:
    """Each symbol by itself, but digits in a row as the one number that they are."""
    for digits, run in groupby(expression.symbols, _is_bare_digit):
        if digits:
            yield [f"<mn>{''.join(symbol.name for symbol in run)}</mn>"]
        else:
            yield from map(_written, run)


def _is_bare_digit(symbol: Symbol) -> bool:
    return symbol.name in "0123456789" and symbol.name != NOTHING and not symbol.branches


def _row(expression: Expression) -> list[_PIECE]:
    return ["<mrow>", expression, "</mrow>"]


def _written(symbol: Symbol) -> list[_PIECE]:
    construct = construct_of(symbol.name)
    pieces = _base(symbol)
    limits = [r for r in (_A, _B) if symbol.has(r) and r not in construct.arguments]
    if not symbol.name.startswith(r"\x"):  # a labelled arrow has already placed its labels
        under, over = (_B if _B in limits else None), (_A if _A in limits else None)
        pieces = _with(symbol, pieces, under, over, ("munder", "mover", "munderover"))
    sub, sup = (r if symbol.has(r) else None for r in (_SUB, _SUP))
    return _with(symbol, pieces, sub, sup, ("msub", "msup", "msubsup"))


def _with(
    symbol: Symbol,
    base: list[_PIECE],
    low: Relation | None,
    high: Relation | None,
    tags: tuple[str, str, str],
) -> list[_PIECE]:
    """A base with something low, something high, or both."""
    if low is None and high is None:
        return base
    tag = tags[2] if low and high else tags[0] if low else tags[1]
    parts = [part for r in (low, high) if r for part in _row(symbol.branch(r))]
    return [f"<{tag}>", *base, *parts, f"</{tag}>"]


def _base(symbol: Symbol) -> list[_PIECE]:
    """The symbol with its arguments, before limits and scripts."""
    name = symbol.name
    above, below = _row(symbol.branch(_A)), _row(symbol.branch(_B))
    inside = _row(symbol.branch(Relation.INSIDE))
    if name == NOTHING:
        return ["<mrow></mrow>"]
    if name == r"\frac":
        return ["<mfrac>", *above, *below, "</mfrac>"]
    if name == r"\binom":
        pile = ['<mfrac linethickness="0">', *above, *below, "</mfrac>"]
        return ["<mrow>", _operator("("), *pile, _operator(")"), "</mrow>"]
    if name == r"\sqrt":
        index = symbol.branch(Relation.UPPER_LEFT)
        return ["<mroot>", *inside, *_row(index), "</mroot>"] if index else _tag("msqrt", inside)
    if name == MATRIX:
        return _grid(symbol.branch(Relation.INSIDE))
    if name in (r"\boxed", r"\fbox", r"\textcircled"):
        style = _CIRCLE if name == r"\textcircled" else _FRAME
        return [f'<mrow style="{style}">', *inside[1:]]
    if name.startswith(r"\x"):
        return _labelled(symbol)
    if name in UNDER_MARKS:
        return ["<munder>", *above, _operator(character(name), stretchy=True), "</munder>"]
    if construct_of(name).arguments:  # a mark over its content
        return ["<mover>", *below, _operator(character(name), stretchy=True), "</mover>"]
    return [_leaf(name)]


def _labelled(symbol: Symbol) -> list[_PIECE]:
    arrow: list[_PIECE] = [_operator(character(symbol.name), stretchy=True)]
    low, high = (r if symbol.has(r) else None for r in (_B, _A))
    return _with(symbol, arrow, low, high, ("munder", "mover", "munderover"))


def _grid(cells: Expression) -> list[_PIECE]:
    """Rows part at `\\\\`, cells at `&`; only bare ones part, a script on `&` is drawn with it."""
    pieces: list[_PIECE] = ["<mtable><mtr><mtd>"]
    for symbol in cells.symbols:
        if symbol.name == "&" and not symbol.branches:
            pieces.append("</mtd><mtd>")
        elif symbol.name == r"\\" and not symbol.branches:
            pieces.append("</mtd></mtr><mtr><mtd>")
        else:
            pieces.append(Expression((symbol,)))
    return [*pieces, "</mtd></mtr></mtable>"]


def _leaf(name: str) -> str:
    if name in ("&", r"\\"):
        return "<mrow></mrow>"
    text = character(name)
    if text.isdigit():
        return f"<mn>{text}</mn>"
    if name in LIMIT_OPERATORS and name not in CHARACTERS:
        return f'<mo movablelimits="false">{escape(text)}</mo>'
    if name in LIMIT_OPERATORS:
        return f'<mo movablelimits="false" largeop="true">{escape(text)}</mo>'
    return f"<mi>{escape(text)}</mi>" if text[0].isalpha() else _operator(text)


def _operator(text: str, stretchy: bool = False) -> str:
    stretch = ' stretchy="true"' if stretchy else ""
    return f"<mo{stretch}>{escape(text)}</mo>"


def _tag(tag: str, content: list[_PIECE]) -> list[_PIECE]:
    return [f"<{tag}>", *content, f"</{tag}>"]
