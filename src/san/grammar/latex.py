"""Tree -> LaTeX: tokens first, then readable text from the tokens.

The text is canonical: equal trees give equal text, and parsing the text gives the tree back.
"""

from collections.abc import Iterable

from san.grammar.constructs import MATRIX, ORDINARY, construct_of
from san.grammar.tree import NOTHING, Expression, Relation, Symbol

_PIECE = str | Expression


def to_tokens(expression: Expression) -> list[str]:
    """LaTeX tokens as the corpora write them: `\\frac { a } { b }` without the spaces."""
    tokens: list[str] = []
    pending: list[_PIECE] = [expression]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            tokens.append(piece)
            continue
        pieces: list[_PIECE] = []
        for place, symbol in enumerate(piece.symbols):
            pieces += _written(symbol)
            if symbol.name == r"\\" and not symbol.branches:
                pieces += _guard(piece.symbols[place + 1 : place + 2])
        pending += reversed(pieces)
    return tokens


def to_latex(expression: Expression) -> str:
    """Readable LaTeX: `\\frac{a}{b}`, `x_{1}^{2}`, `f'`."""
    text = ""
    in_word = False  # the text ends in a command that a letter would run on into
    for token in _with_primes(to_tokens(expression)):
        text += f" {token}" if in_word and token[0].isalpha() else token
        in_word = token[0] == "\\" and token[-1].isalpha()
    return text


def _written(symbol: Symbol) -> list[_PIECE]:
    """A symbol with what hangs on it, as pieces in LaTeX order."""
    construct = construct_of(symbol.name)
    pieces: list[_PIECE]
    if symbol.name == NOTHING:
        pieces = ["{", "}"]
    elif symbol.name == MATRIX:
        pieces = [r"\begin{matrix}", symbol.branch(Relation.INSIDE), r"\end{matrix}"]
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
