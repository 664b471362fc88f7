"""Tree -> presentation MathML, of the kind that browsers draw natively (MathML Core).

MathML Core has no `menclose`: frames, circles and lines over or under a group are borders in CSS,
which need no mathematical font. Other marks (`\\hat`, `\\overrightarrow`) are an `mover` whose
operator stretches; a limit is an `munderover`.
"""

from xml.sax.saxutils import escape

from san.grammar.characters import CHARACTERS, character
from san.grammar.constructs import LIMIT_OPERATORS, MATRIX, construct_of
from san.grammar.tree import NOTHING, Expression, Relation, Symbol

_PIECE = str | Expression
_PARTINGS = {"&": "</mtd><mtd>", r"\\": "</mtd></mtr><mtr><mtd>"}
_ENCLOSED = "\0"  # stands for pieces that are written elsewhere
_DIGITS = frozenset("0123456789")
_POINT = Symbol(".")
_FENCES = {"(": ")", "[": "]", r"\{": r"\}", r"\langle": r"\rangle", r"\lfloor": r"\rfloor"}
_FENCES |= {r"\lceil": r"\rceil"}
_A, _B, _SUB, _SUP = Relation.ABOVE, Relation.BELOW, Relation.SUB, Relation.SUP
_BORDERS = {
    r"\boxed": "border: 0.07em solid; padding: 0.15em",
    r"\textcircled": "border: 0.07em solid; border-radius: 50%; padding: 0.1em 0.3em",
    r"\overline": "border-top: 0.07em solid; padding-top: 0.1em",
    r"\underline": "border-bottom: 0.07em solid; padding-bottom: 0.1em",
}
_SHORT_MARKS = frozenset(r"\hat \bar \dot \ddot \dddot \tilde \check \acute \grave \breve".split())


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


def _runs(expression: Expression) -> list[list[_PIECE]]:
    """Each symbol by itself, but digits in a row as the one number that they are.

    Scripts on a closing fence stand on all that the fence encloses: so both fences stretch alike.
    """
    runs: list[list[_PIECE]] = []
    openers: list[tuple[str, int]] = []  # fences not yet closed, and where in the runs they stand
    symbols = expression.symbols
    place = 0
    while place < len(symbols):
        symbol, end = symbols[place], _number_end(symbols, place)
        if end > place:
            runs.append([f"<mn>{''.join(digit.name for digit in symbols[place:end])}</mn>"])
            place = end
            continue
        place += 1
        if symbol.name in _FENCES:
            openers.append((_FENCES[symbol.name], len(runs)))
        if openers and symbol.name == openers[-1][0]:
            _, start = openers.pop()
            if symbol.branches:
                # What is enclosed is written already: its scripts are laid around it.
                written = _scripted(symbol, [_ENCLOSED])
                at = written.index(_ENCLOSED)
                runs[start][:0] = [*written[:at], "<mrow>"]
                runs.append([_leaf(symbol.name), "</mrow>", *written[at + 1 :]])
                continue
        runs.append(_scripted(symbol, _base(symbol)))
    return runs


def _number_end(symbols: tuple[Symbol, ...], place: int) -> int:
    """Where the number that begins here ends; a point belongs to it between two digits."""

    def is_digit(at: int) -> bool:
        return at < len(symbols) and symbols[at].name in _DIGITS and not symbols[at].branches

    while is_digit(place):
        place += 1
        if is_digit(place + 1) and symbols[place] == _POINT and is_digit(place - 1):
            place += 1
    return place


def _row(expression: Expression) -> list[_PIECE]:
    return ["<mrow>", expression, "</mrow>"]


def _scripted(symbol: Symbol, pieces: list[_PIECE]) -> list[_PIECE]:
    """A symbol, already written with its arguments, with its limits and scripts."""
    construct = construct_of(symbol.name)
    limits = [r for r in (_A, _B) if symbol.has(r) and r not in construct.arguments]
    if construct.option is not _B:  # a labelled arrow has already placed its labels
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
    if name in _BORDERS:
        content = _row(symbol.branch(construct_of(name).arguments[0]))
        return [f'<mrow style="{_BORDERS[name]}">', *content[1:]]
    construct = construct_of(name)
    if construct.option is _B:
        return _labelled(symbol)
    if construct.arguments == (_A,):  # a mark under its content
        return ["<munder>", *above, _operator(character(name), stretchy=True), "</munder>"]
    if construct.arguments == (_B,):  # a mark over its content
        mark = _operator(character(name), stretchy=name not in _SHORT_MARKS)
        return ['<mover accent="true">', *below, mark, "</mover>"]
    return [_leaf(name)]


def _labelled(symbol: Symbol) -> list[_PIECE]:
    arrow: list[_PIECE] = [_operator(character(symbol.name), stretchy=True)]
    low, high = (r if symbol.has(r) else None for r in (_B, _A))
    return _with(symbol, arrow, low, high, ("munder", "mover", "munderover"))


def _grid(cells: Expression) -> list[_PIECE]:
    """Rows part at `\\\\`, cells at `&`; only bare ones part, a script on `&` is drawn with it."""
    pieces: list[_PIECE] = ["<mtable><mtr><mtd>"]
    cell: list[Symbol] = []
    for symbol in cells.symbols:
        if symbol.branches or symbol.name not in _PARTINGS:
            cell.append(symbol)
        else:
            pieces += (Expression(tuple(cell)), _PARTINGS[symbol.name])
            cell = []
    return [*pieces, Expression(tuple(cell)), "</mtd></mtr></mtable>"]


def _leaf(name: str) -> str:
    if name in _PARTINGS:
        return "<mrow></mrow>"
    text = character(name)
    if text.isdigit():
        return f"<mn>{text}</mn>"
    if name in LIMIT_OPERATORS and name not in CHARACTERS:
        return f'<mo movablelimits="false">{escape(text)}</mo>'
    if name in LIMIT_OPERATORS:
        return f'<mo movablelimits="false" largeop="true">{escape(text)}</mo>'
    return f"<mi>{escape(text)}</mi>" if text[0].isalpha() else _operator(text)


def _operator(text: str, stretchy: bool | None = None) -> str:
    """An operator; by itself a browser stretches what its dictionary says."""
    stretch = "" if stretchy is None else f' stretchy="{str(stretchy).lower()}"'
    return f"<mo{stretch}>{escape(text)}</mo>"


def _tag(tag: str, content: list[_PIECE]) -> list[_PIECE]:
    return [f"<{tag}>", *content, f"</{tag}>"]
