"""Tree -> LaTeX: tokens as corpora write them, or readable text.

Both are canonical: equal trees give equal text, and parsing the text gives the tree back. They
differ in what people write shorter than corpora do: primes, and grids together with their fences;
and in what LaTeX takes for text, where a formula has to be said to be one.
Readable text may have brackets that grow with what they enclose: `\\left(` and `\\right)`.
"""

from collections.abc import Iterable

from san.grammar.constructs import CIRCLE, MATRIX, ORDINARY, construct_of
from san.grammar.fences import tall_pairs
from san.grammar.grids import find_grids, with_alignment
from san.grammar.tree import NOTHING, Expression, Relation, Symbol

_PIECE = str | Expression


def to_tokens(expression: Expression) -> list[str]:
    """LaTeX tokens as the corpora write them: `\\frac { a } { b }` without the spaces."""
    return _tokens(expression, readable=False)


def to_latex(expression: Expression, stretchy: bool = False) -> str:
    """Readable LaTeX: `\\frac{a}{b}`, `x_{1}^{2}`, `f'`, `\\begin{cases}`.

    Args:
        stretchy: Write `\\left(` and `\\right)` around what is taller than a letter.
    """
    text = ""
    in_word = False  # the text ends in a command that a letter would run on into
    for token in _with_primes(_tokens(expression, readable=True, stretchy=stretchy)):
        text += f" {token}" if in_word and token[0].isalpha() else token
        in_word = token[0] == "\\" and token[-1].isalpha()
    return text


def _tokens(expression: Expression, readable: bool, stretchy: bool = False) -> list[str]:
    tokens: list[str] = []
    pending: list[_PIECE] = [expression]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            tokens.append(piece)
            continue
        symbols = piece.symbols
        written = [_written(symbol) for symbol in symbols]
        for place, symbol in enumerate(symbols):
            if symbol.name == r"\\" and not symbol.branches:
                written[place] += _guard(symbols[place + 1 : place + 2])
        if readable:
            _name_environments(symbols, written)
            _shift_in_circles(symbols, written)
        for first, last in tall_pairs(symbols) if stretchy else ():
            written[first][0] = rf"\left{symbols[first].name}"
            written[last][0] = rf"\right{symbols[last].name}"
        pending += (part for pieces in reversed(written) for part in reversed(pieces))
    return tokens


def _name_environments(symbols: tuple[Symbol, ...], written: list[list[_PIECE]]) -> None:
    """Grids together with their fences, by the names of their environments."""
    for environment, first, place, last in find_grids(symbols):
        cells = symbols[place].branch(Relation.INSIDE)
        lines = with_alignment(cells) if environment == "aligned" else cells
        end = written[place].index(r"\end{matrix}")
        written[place][: end + 1] = [
            rf"\begin{{{environment}}}", *_after_begin(cells), lines, rf"\end{{{environment}}}"
        ]  # fmt: skip
        if first < place:
            written[first] = []
        if last > place:
            del written[last][0]  # the fence; scripts stay


def _shift_in_circles(symbols: tuple[Symbol, ...], written: list[list[_PIECE]]) -> None:
    """`\\textcircled` takes text: there `\\times` is an error, and `<` another sign."""
    for symbol, pieces in zip(symbols, written, strict=True):
        inside = symbol.branch(Relation.INSIDE)
        if symbol.name == CIRCLE and any(
            one.branches or not one.name.isalnum() for one in inside.symbols
        ):
            pieces[2:3] = [r"\text", "{", r"\(", inside, r"\)", "}"]


def _written(symbol: Symbol) -> list[_PIECE]:
    """A symbol with what hangs on it, as pieces in LaTeX order."""
    construct = construct_of(symbol.name)
    pieces: list[_PIECE]
    if symbol.name == NOTHING:
        pieces = ["{", "}"]
    elif symbol.name == MATRIX:
        cells = symbol.branch(Relation.INSIDE)
        pieces = [r"\begin{matrix}", *_after_begin(cells), cells, r"\end{matrix}"]
    else:
        pieces = [symbol.name]
        if construct.option is not None and symbol.has(construct.option):
            pieces += ("[", *_in_brackets(symbol.branch(construct.option)), "]")
        for relation in construct.arguments:
            pieces += _braced(symbol.branch(relation))
        if construct is ORDINARY:
            pieces = _stacked(symbol, pieces)
    for mark, relation in (("_", construct.sub), ("^", construct.sup)):
        if symbol.has(relation):
            pieces += (mark, *_braced(symbol.branch(relation)))
    return pieces


def _stacked(symbol: Symbol, pieces: list[_PIECE]) -> list[_PIECE]:
    """What stands above or below a symbol that has no such place by nature."""
    for command, relation in ((r"\underset", Relation.BELOW), (r"\overset", Relation.ABOVE)):
        if symbol.has(relation):
            pieces = [command, *_braced(symbol.branch(relation)), "{", *pieces, "}"]
    return pieces


def _braced(expression: Expression) -> tuple[_PIECE, ...]:
    return ("{", expression, "}")


def _in_brackets(expression: Expression) -> tuple[_PIECE, ...]:
    """The content of `[...]`; braces hide a `]` in it from the one that closes.

    Only what is written outside of braces matters: symbols themselves, their options, grids.
    """

    def shows_bracket(symbol: Symbol) -> bool:
        option = construct_of(symbol.name).option
        return symbol.name in ("]", MATRIX) or (option is not None and symbol.has(option))

    exposed = any(map(shows_bracket, expression.symbols))
    return _braced(expression) if exposed else (expression,)


def _after_begin(cells: Expression) -> list[_PIECE]:
    """An environment would take a `[` for its option."""
    return ["{", "}"] if cells.symbols and cells.symbols[0].name == "[" else []


def _guard(following: tuple[Symbol, ...]) -> list[_PIECE]:
    """`\\\\` would take a `[` or `*` after it for its own option, and is dropped before `\\end`."""
    return ["{", "}"] if not following or following[0].name in ("[", "*") else []


def _with_primes(tokens: list[str]) -> Iterable[str]:
    r"""Writes `x^{\prime}` as people do: `x'`."""
    place = 0
    while place < len(tokens):
        end = place + 2
        if tokens[place] == "^":
            while tokens[end] == r"\prime":
                end += 1
        if tokens[place] == "^" and end > place + 2 and tokens[end] == "}":
            yield "'" * (end - place - 2)
            place = end + 1
        else:
            yield tokens[place]
            place += 1
