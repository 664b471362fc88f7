"""How each LaTeX construct is laid onto the seven relations.

This table is the only place that knows what `\\frac` means. The parser, the writers, the decoder's
masks and the documentation (docs/grammar.md) all follow it. A construct says where its arguments
stand, seen from its own symbol, and where `_` and `^` put theirs.
"""

from dataclasses import dataclass
from functools import cache

from san.grammar.tree import NOTHING, SLOT, Relation

ABOVE, BELOW = Relation.ABOVE, Relation.BELOW
SUB, SUP = Relation.SUB, Relation.SUP
UPPER_LEFT, INSIDE = Relation.UPPER_LEFT, Relation.INSIDE


@dataclass(frozen=True, slots=True)
class Construct:
    """Where the parts of a construct stand."""

    arguments: tuple[Relation, ...] = ()  # of the arguments in braces, in LaTeX order
    option: Relation | None = None  # of the argument in square brackets
    sub: Relation = SUB  # what `_` means here
    sup: Relation = SUP  # what `^` means here

    @property
    def relations(self) -> tuple[Relation, ...]:
        """All relations that LaTeX can express on it, in slot order."""
        option = () if self.option is None else (self.option,)
        return tuple(sorted({*self.arguments, *option, self.sub, self.sup}, key=SLOT.__getitem__))


ORDINARY = Construct()
_LIMITS = Construct(sub=BELOW, sup=ABOVE)
_OVER = Construct((BELOW,))  # a mark over its content: the content is below it
_UNDER = Construct((ABOVE,))
_AROUND = Construct((INSIDE,))
_ARROW = Construct((ABOVE,), option=BELOW)

MATRIX = r"\matrix"
"""Symbol of a grid; its cells are inside it in reading order, parted by `&` and `\\\\`."""

CIRCLE = r"\textcircled"
"""Symbol of a circle around others, which LaTeX takes for text."""

CELL, ROW = "&", r"\\"
"""Part the cells of a row, and the rows: symbols without ink."""

LIMIT_OPERATORS = frozenset(
    r"\sum \prod \coprod \bigcup \bigcap \bigvee \bigwedge \bigoplus \bigotimes \bigodot \biguplus"
    r" \bigsqcup \lim \liminf \limsup \varlimsup \varliminf \max \min \sup \inf \argmax"
    r" \argmin".split()
)

CONSTRUCTS: dict[str, Construct] = {
    r"\frac": Construct((ABOVE, BELOW)),
    r"\binom": Construct((ABOVE, BELOW)),
    r"\sqrt": Construct((INSIDE,), option=UPPER_LEFT),
    MATRIX: _AROUND,
    r"\overbrace": Construct((BELOW,), sup=ABOVE),
    r"\underbrace": Construct((ABOVE,), sub=BELOW),
    **dict.fromkeys(LIMIT_OPERATORS, _LIMITS),
    **dict.fromkeys(
        r"\overline \overrightarrow \overleftarrow \overleftrightarrow \widehat \widetilde"
        r" \wideparen \hat \bar \vec \dot \ddot \dddot \tilde \check \acute"
        r" \grave \breve \mathring".split(),
        _OVER,
    ),
    **dict.fromkeys(r"\underline \underrightarrow \underleftarrow".split(), _UNDER),
    **dict.fromkeys((CIRCLE, r"\boxed"), _AROUND),
    **dict.fromkeys(
        r"\xrightarrow \xleftarrow \xleftrightarrow \xRightarrow \xLeftarrow \xLeftrightarrow"
        r" \xlongequal \xmapsto \xrightleftharpoons \xhookrightarrow".split(),
        _ARROW,
    ),
}


def construct_of(name: str) -> Construct:
    """The layout of a symbol; ordinary symbols carry scripts and nothing else by themselves."""
    return CONSTRUCTS.get(name, ORDINARY)


@cache
def relations_of(name: str) -> tuple[Relation, ...]:
    """The relations, besides `right`, in which something can stand to this symbol.

    Whatever carries nothing above or below by nature can be given it by `\\overset` and
    `\\underset`, so an ordinary symbol takes four relations. Only scripts stand on nothing, and
    behind what parts cells and rows, where they are the first in their cell.
    """
    if name in (NOTHING, CELL, ROW):
        return (SUB, SUP)
    construct = construct_of(name)
    return (ABOVE, BELOW, SUB, SUP) if construct is ORDINARY else construct.relations
