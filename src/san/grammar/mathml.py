"""Tree -> presentation MathML, of the kind that browsers draw natively (MathML Core).

MathML Core has no `menclose`: frames, circles and lines over or under a group are borders in CSS,
which need no mathematical font. For Word, pandoc and screen readers, which know no CSS, they stand
in an element that says the same and draws nothing in Chromium; Firefox and Safari know `menclose`
and draw a second frame, which the page leaves out. Other marks (`\\hat`, `\\overrightarrow`) are an
`mover` whose operator stretches; a limit is an `munderover`.

A grid has its fences in a row of its own, so that they stretch to it and to nothing else. So have
brackets around what is tall; all others, bars and upright arrows stay small, as in LaTeX, where a
browser would stretch them to the highest of their row. Lines begin below one another, or meet at
their relation signs where each has one and no brace is beside them; cells of a matrix stand in the
middle of their columns.

Gaps are those of LaTeX, where a browser's dictionary has others: none around bars and around what
stands for a quantity (`\\infty`, `\\square`), none behind the sign of a number, but beside `\\sin`.

Marked MathML says of each element which symbol it draws: `data-symbol` is the symbol's number on
a walk of the tree, as in JSON. The digits of a number then have an element each.
"""

from typing import NamedTuple
from xml.sax.saxutils import escape

from san.grammar.characters import CHARACTERS, character
from san.grammar.constructs import CELL, LIMIT_OPERATORS, ROW, construct_of
from san.grammar.fences import FENCES, fence_pairs, tall_pairs
from san.grammar.grids import Grid, alignment_places, find_grids, has_cells, is_parting
from san.grammar.symbols import RELATION_COMMANDS, WORDS
from san.grammar.tree import NOTHING, Expression, Relation, Symbol

_PARTINGS = (CELL, ROW)
_LEFT = ' style="text-align: left"'
# Without the paddings that part columns: what meets at a relation sign is one line. What stands in
# a cell is a block to Chromium, which a plain `right` does not move.
_BEFORE_SIGN = ' style="text-align: right; text-align: -webkit-right; padding-right: 0"'
_FROM_SIGN = ' style="text-align: left; padding-left: 0"'
_LINE_ENVIRONMENTS = ("cases", "rcases", "aligned", "gathered")
_ENCLOSED = "\0"  # stands for pieces that are written elsewhere
_DIGITS = frozenset("0123456789")
_POINT = Symbol(".")
_A, _B, _SUB, _SUP = Relation.ABOVE, Relation.BELOW, Relation.SUB, Relation.SUP
_BORDERS = {
    r"\boxed": "border: 0.07em solid; padding: 0.15em",
    r"\textcircled": "border: 0.07em solid; border-radius: 50%; padding: 0.1em 0.3em",
    r"\overline": "border-top: 0.07em solid; padding-top: 0.1em",
    r"\underline": "border-bottom: 0.07em solid; padding-bottom: 0.1em",
}
_WITHOUT_CSS = {
    r"\boxed": ('<menclose notation="box">', "</menclose>"),
    r"\textcircled": ('<menclose notation="circle">', "</menclose>"),
    r"\overline": ("<mover>", '<mo style="font-size: 0">¯</mo></mover>'),
    r"\underline": ("<munder>", '<mo style="font-size: 0">_</mo></munder>'),
}
_STRETCHING = frozenset("()[]{}⟨⟩⌊⌋⌈⌉⟮⟯|‖↑↓↕⇑⇓")
"""Grow with their row, by the dictionary that browsers have."""
WIDE_MARKS = {r"\widehat": "\u0302", r"\widetilde": "\u02dc"}
"""Of these fonts have wide ones, of `^` and `~` none."""
_LETTERS = frozenset(
    r"\infty \emptyset \varnothing \triangle \triangledown \square \lozenge \Diamond \blacksquare"
    r" \blacktriangle \bigstar \checkmark \top \mho \wp \flat \natural \sharp \clubsuit"
    r" \diamondsuit \heartsuit \spadesuit \copyright \S \P \vdots \# \$ 、 。".split()
)
"""Are no operators, though they are no letters."""
_FUNCTIONS = WORDS - LIMIT_OPERATORS - {r"\bmod"}
_SIGNS = frozenset(("-", "+", r"\pm", r"\mp"))
_BEFORE_SIGNS = (
    RELATION_COMMANDS | FENCES.keys() | _SIGNS | set(r"= < > , ; \times \div \cdot".split())
)
"""What follows these begins a number, or a function."""
_AFTER_FUNCTIONS = _BEFORE_SIGNS | set(FENCES.values())
"""Have no gap to a function before them."""
_GAP = "0.167em"
_SHORT_MARKS = frozenset(r"\hat \bar \dot \ddot \dddot \tilde \check \acute \grave \breve".split())


def to_mathml(expression: Expression, display: bool = True, marked: bool = False) -> str:
    """One `<math>` element; `marked` gives each symbol's element its `data-symbol`."""
    block = ' display="block"' if display else ""
    body = _emit(_row(_Chain(expression, 0, _sizes(expression) if marked else None)))
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{block}>{body}</math>'


class _Chain(NamedTuple):
    """An expression that waits to be written, with the number of its first symbol."""

    expression: Expression
    first: int
    sizes: dict[int, int] | None  # symbols of each subtree, by the identity of its root

    def places(self) -> list["_Place"]:
        number = self.first
        places: list[_Place] = []
        symbols = self.expression.symbols
        growing = {place for pair in tall_pairs(symbols) for place in pair}
        growing.update(place for grid in find_grids(symbols) for place in (grid.first, grid.last))
        for at, symbol in enumerate(symbols):
            begins = at == 0 or symbols[at - 1].name in _BEFORE_SIGNS
            places.append(_Place(symbol, number, self.sizes, at in growing, begins))
            number += self.sizes[id(symbol)] if self.sizes else 0
        return places


_PIECE = str | _Chain


class _Place(NamedTuple):
    """A symbol that is being written."""

    symbol: Symbol
    number: int
    sizes: dict[int, int] | None
    grows: bool  # a bracket, with what it encloses
    begins: bool  # a number, if it is a sign

    @property
    def mark(self) -> str:
        return "" if self.sizes is None else f' data-symbol="{self.number}"'

    def row(self, relation: Relation) -> list[_PIECE]:
        """What stands in this relation; branches are numbered in the order that they are kept."""
        first = self.number + 1
        for side, branch in self.symbol.branches:
            if side is relation:
                return _row(_Chain(branch, first, self.sizes))
            first += sum(self.sizes[id(symbol)] for symbol in branch.symbols) if self.sizes else 0
        return ["<mrow>", "</mrow>"]


def _sizes(expression: Expression) -> dict[int, int]:
    """How many symbols each symbol's subtree has, itself included.

    A symbol object may stand in several places: its subtree has one size in all of them.
    """
    visits = list(expression.walk())
    sizes, following = [1] * len(visits), [0] * len(visits)
    for number in range(len(visits) - 1, 0, -1):
        _, parent, relation = visits[number]
        if relation is Relation.RIGHT:
            following[parent] = sizes[number] + following[number]
        else:
            sizes[parent] += sizes[number] + following[number]
    return {id(visit.symbol): size for visit, size in zip(visits, sizes, strict=True)}


def _emit(pieces: list[_PIECE]) -> str:
    """Writes pieces out, with a stack instead of recursion."""
    text: list[str] = []
    pending: list[_PIECE] = pieces[::-1]
    while pending:
        piece = pending.pop()
        if isinstance(piece, str):
            text.append(piece)
        else:
            pending += reversed([part for run in _runs(piece.places()) for part in run])
    return "".join(text)


def _runs(places: list[_Place]) -> list[list[_PIECE]]:
    """Each symbol by itself, but digits in a row as the one number that they are; so scripts on
    the last of them stand on the number.

    Scripts on a closing fence stand on all that the fence encloses: so both fences stretch alike.
    """
    runs: list[list[_PIECE]] = []
    run_at: dict[int, int] = {}  # which run begins at a place
    symbols = tuple(place.symbol for place in places)
    grids = {grid.first: grid for grid in find_grids(symbols)}
    openers = {last: first for first, last in fence_pairs(symbols)}
    at = 0
    while at < len(places):
        place, end, opener = places[at], _number_end(symbols, at), openers.get(at)
        run_at[at] = len(runs)
        if end > at:
            runs.append(_number(places[at:end]))
            at = end
            continue
        if grid := grids.get(at):
            runs.append(_fenced_grid(places, grid))
            at = grid.last + 1
            continue
        at += 1
        if opener is not None and (place.grows or place.symbol.branches):
            # What is enclosed is written already: its scripts are laid around it.
            written = _scripted(place, [_ENCLOSED])
            hole = written.index(_ENCLOSED)
            runs[run_at[opener]][:0] = [*written[:hole], "<mrow>"]
            runs.append([_leaf(place), "</mrow>", *written[hole + 1 :]])
            continue
        runs.append(_scripted(place, _base(place)))
        if place.symbol.name in _FUNCTIONS:
            if not place.begins and symbols[at - 2].name not in _FUNCTIONS:
                runs[-1].insert(0, f'<mspace width="{_GAP}"></mspace>')
            if at < len(places) and symbols[at].name not in _AFTER_FUNCTIONS:
                runs[-1].append(f'<mo rspace="{_GAP}">&#x2061;</mo>')
    return runs


def _number(places: list[_Place]) -> list[_PIECE]:
    last = places[-1]
    if not last.mark:
        digits = "".join(place.symbol.name for place in places)
        return _scripted(last, [f"<mn>{digits}</mn>"])
    written: list[_PIECE] = [f"<mn{place.mark}>{place.symbol.name}</mn>" for place in places]
    if last.symbol.branches and len(places) > 1:
        written = ["<mrow>", *written, "</mrow>"]
    return _scripted(last, written)


def _number_end(symbols: tuple[Symbol, ...], place: int) -> int:
    """Where the number that begins here ends: a point belongs to it between two digits, and its
    last digit may have scripts."""

    def is_digit(at: int, scripted: bool = False) -> bool:
        if at >= len(symbols) or symbols[at].name not in _DIGITS:
            return False
        return all(scripted and relation in (_SUB, _SUP) for relation, _ in symbols[at].branches)

    while is_digit(place):
        place += 1
        if is_digit(place + 1, scripted=True) and symbols[place] == _POINT:
            place += 1
    return place + is_digit(place, scripted=True)


def _row(chain: _Chain) -> list[_PIECE]:
    return ["<mrow>", chain, "</mrow>"]


def _scripted(place: _Place, pieces: list[_PIECE]) -> list[_PIECE]:
    """A symbol, already written with its arguments, with its limits and scripts."""
    symbol = place.symbol
    construct = construct_of(symbol.name)
    limits = [r for r in (_A, _B) if symbol.has(r) and r not in construct.arguments]
    if construct.option is not _B:  # a labelled arrow has already placed its labels
        under, over = (_B if _B in limits else None), (_A if _A in limits else None)
        pieces = _with(place, pieces, under, over, ("munder", "mover", "munderover"))
    sub, sup = (r if symbol.has(r) else None for r in (_SUB, _SUP))
    return _with(place, pieces, sub, sup, ("msub", "msup", "msubsup"))


def _with(
    place: _Place,
    base: list[_PIECE],
    low: Relation | None,
    high: Relation | None,
    tags: tuple[str, str, str],
) -> list[_PIECE]:
    """A base with something low, something high, or both."""
    if low is None and high is None:
        return base
    tag = tags[2] if low and high else tags[0] if low else tags[1]
    parts = [part for r in (low, high) if r for part in place.row(r)]
    return [f"<{tag}>", *base, *parts, f"</{tag}>"]


def _base(place: _Place) -> list[_PIECE]:
    """The symbol with its arguments, before limits and scripts."""
    name, mark = place.symbol.name, place.mark
    above, below, inside = place.row(_A), place.row(_B), place.row(Relation.INSIDE)
    if name == NOTHING:
        return [f"<mrow{mark}></mrow>"]
    if name == r"\frac":
        return [f"<mfrac{mark}>", *above, *below, "</mfrac>"]
    if name == r"\binom":
        pile = ['<mfrac linethickness="0">', *above, *below, "</mfrac>"]
        return [f"<mrow{mark}>", _operator("("), *pile, _operator(")"), "</mrow>"]
    if name == r"\sqrt":
        if not place.symbol.has(Relation.UPPER_LEFT):
            return [f"<msqrt{mark}>", *inside, "</msqrt>"]
        return [f"<mroot{mark}>", *inside, *place.row(Relation.UPPER_LEFT), "</mroot>"]
    if name in _BORDERS:
        content = place.row(construct_of(name).arguments[0])
        begin, end = _WITHOUT_CSS[name]
        return [begin, f'<mrow style="{_BORDERS[name]}"{mark}>', *content[1:], end]
    construct = construct_of(name)
    if construct.option is _B:
        return _labelled(place)
    if construct.arguments == (_A,):  # a mark under its content
        return ["<munder>", *above, _operator(character(name), mark, stretchy=True), "</munder>"]
    if construct.arguments == (_B,):  # a mark over its content
        drawn = WIDE_MARKS.get(name) or character(name)
        accent = _operator(drawn, mark, stretchy=name not in _SHORT_MARKS)
        return ['<mover accent="true">', *below, accent, "</mover>"]
    return [_leaf(place)]


def _labelled(place: _Place) -> list[_PIECE]:
    symbol = place.symbol
    arrow: list[_PIECE] = [_operator(character(symbol.name), place.mark, stretchy=True)]
    low, high = (r if symbol.has(r) else None for r in (_B, _A))
    return _with(place, arrow, low, high, ("munder", "mover", "munderover"))


def _fenced_grid(places: list[_Place], grid: Grid) -> list[_PIECE]:
    """A grid between its fences; scripts on the closing one stand on all of it."""
    matrix = places[grid.place]
    table = _grid(matrix, grid.environment)
    if grid.first == grid.last:
        return _scripted(matrix, table)
    pieces: list[_PIECE] = ["<mrow>"]
    pieces += [_leaf(place) for place in places[grid.first : grid.place]]
    pieces += table
    pieces += [_leaf(place) for place in places[grid.place + 1 : grid.last + 1]]
    return _scripted(places[grid.last], [*pieces, "</mrow>"])


def _grid(matrix: _Place, environment: str) -> list[_PIECE]:
    """Rows part at `\\\\`, cells at `&`; only bare ones part, a script on `&` is drawn with it."""
    cells = matrix.symbol.branch(Relation.INSIDE)
    signs: set[int] = set()  # at which lines are aligned
    begin, align = "<mtd>", ""
    if environment == "aligned":
        signs = alignment_places(cells)
        begin, align = f"<mtd{_BEFORE_SIGN}>", ' columnalign="right left" columnspacing="0em"'
    elif environment in _LINE_ENVIRONMENTS and not has_cells(cells):
        begin, align = f"<mtd{_LEFT}>", ' columnalign="left"'
    pieces: list[_PIECE] = [f"<mtable{align}{matrix.mark}><mtr>{begin}"]
    cell: list[_Place] = []

    def close() -> None:
        if cell:
            symbols = Expression(tuple(place.symbol for place in cell))
            pieces.append(_Chain(symbols, cell[0].number, matrix.sizes))
            cell.clear()

    content = matrix.row(Relation.INSIDE)[1]
    for at, place in enumerate(content.places() if isinstance(content, _Chain) else ()):
        if at in signs:
            close()
            pieces.append(f"</mtd><mtd{_FROM_SIGN}>")
        if not is_parting(place.symbol):
            cell.append(place)
            continue
        close()
        pieces.append(("</mtd>" if place.symbol.name == CELL else "</mtd></mtr><mtr>") + begin)
    close()
    return [*pieces, "</mtd></mtr></mtable>"]


def _leaf(place: _Place) -> str:
    name, mark = place.symbol.name, place.mark
    if name in _PARTINGS:
        return f"<mrow{mark}></mrow>"
    text = character(name)
    if text.isdigit():
        return f"<mn{mark}>{text}</mn>"
    if name in LIMIT_OPERATORS and name not in CHARACTERS:
        return f'<mo movablelimits="false"{mark}>{escape(text)}</mo>'
    if name in LIMIT_OPERATORS:
        return f'<mo movablelimits="false" largeop="true"{mark}>{escape(text)}</mo>'
    if name == r"\bmod":
        return f'<mo lspace="0.222em" rspace="0.222em"{mark}>{text}</mo>'
    if text[0].isalpha() or name in _LETTERS:
        return f"<mi{mark}>{escape(text)}</mi>"
    if name in _SIGNS and place.begins:
        return f'<mo form="prefix"{mark}>{text}</mo>'
    if text in "|‖" and not place.grows:
        return f'<mo stretchy="false" lspace="0" rspace="0"{mark}>{text}</mo>'
    return _operator(text, mark, False if text in _STRETCHING and not place.grows else None)


def _operator(text: str, mark: str = "", stretchy: bool | None = None) -> str:
    """An operator; by itself a browser stretches what its dictionary says."""
    stretch = "" if stretchy is None else f' stretchy="{str(stretchy).lower()}"'
    return f"<mo{stretch}{mark}>{escape(text)}</mo>"
