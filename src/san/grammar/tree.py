"""The syntax tree: symbols in reading order, joined by the seven spatial relations of the paper.

An `Expression` is a chain of symbols from left to right: each stands in the relation `right` to
the one before it, so `right` is never stored. A `Symbol` carries the expressions that hang on it
by the other six relations. Both are immutable and in normal form, so that one drawing has one
tree: branches stand in the order of `Relation`, none is empty, and scripts on nothing stand on
the nameless symbol `NOTHING` only where no symbol before it could carry them.

Nothing here recurses: an expression nested a thousand deep is compared, hashed and shown like any
other.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from san.grammar.errors import GrammarError


class Relation(Enum):
    """Where an expression stands, seen from its symbol. The order is the decoder's slot order."""

    ABOVE = "above"
    BELOW = "below"
    SUB = "sub"
    SUP = "sup"
    UPPER_LEFT = "upper-left"
    INSIDE = "inside"
    RIGHT = "right"

    __hash__ = object.__hash__  # members are singletons; the inherited hash is a slow Python call

    def __repr__(self) -> str:
        return self.value

    @property
    def words(self) -> str:
        """The relation as people say it, before the name of the symbol: "in the subscript of"."""
        return _WORDS.get(self.value, self.value)


_WORDS = {
    "sub": "in the subscript of",
    "sup": "in the superscript of",
    "upper-left": "in the index of",
    "right": "to the right of",
}
SLOT: dict[Relation, int] = {relation: slot for slot, relation in enumerate(Relation)}

NOTHING = ""
"""Name of the symbol without ink: it carries scripts that follow no symbol, as in `{}^{14}C`."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Symbol:
    """A written symbol and what hangs on it.

    Branches are in normal form here. Which relations a symbol can carry is LaTeX's business:
    `san.grammar.normal_form.symbol_with` knows.
    """

    name: str
    branches: tuple[tuple[Relation, "Expression"], ...] = ()

    def __post_init__(self) -> None:
        last = -1
        for relation, expression in self.branches:
            if SLOT[relation] <= last or relation is Relation.RIGHT or not expression.symbols:
                raise GrammarError(f"the branches of {self.name!r} are not in normal form")
            last = SLOT[relation]

    def branch(self, relation: Relation) -> "Expression":
        """The expression in this relation; the empty one if there is none."""
        for side, expression in self.branches:
            if side is relation:
                return expression
        return EMPTY

    def has(self, relation: Relation) -> bool:
        return any(side is relation for side, _ in self.branches)

    def grown(self, relation: Relation, expression: "Expression") -> "Symbol":
        """The same symbol with one more branch; an empty one changes nothing."""
        if not expression.symbols:
            return self
        branches = sorted(
            (*self.branches, (relation, expression)), key=lambda branch: SLOT[branch[0]]
        )
        return Symbol(self.name, tuple(branches))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symbol) and _flat(Expression((self,))) == _flat(
            Expression((other,))
        )

    def __hash__(self) -> int:
        return hash(_flat(Expression((self,))))

    def __repr__(self) -> str:
        return f"Symbol({_shown(Expression((self,)))})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Expression:
    """A chain of symbols in reading order. Build one from loose symbols with `chain`."""

    symbols: tuple[Symbol, ...] = ()

    def walk(self) -> Iterator["Visit"]:
        """Every symbol in reading order (preorder), with what it hangs on.

        The parent of a symbol is the symbol that it stands right of, above, below, ... of: an
        index into the order of this walk.
        """
        index = 0
        # Pending chains, next one last: (symbols, place in the chain, parent index, relation).
        pending: list[tuple[tuple[Symbol, ...], int, int, Relation | None]] = []
        if self.symbols:
            pending.append((self.symbols, 0, -1, None))
        while pending:
            symbols, place, parent, relation = pending.pop()
            symbol = symbols[place]
            yield Visit(symbol, parent, relation)
            if place + 1 < len(symbols):
                pending.append((symbols, place + 1, index, Relation.RIGHT))
            for side, expression in reversed(symbol.branches):
                pending.append((expression.symbols, 0, index, side))
            index += 1

    def __len__(self) -> int:
        """How many symbols are written, on all levels; `NOTHING` is not."""
        return sum(1 for visit in self.walk() if visit.symbol.name != NOTHING)

    def __bool__(self) -> bool:
        return bool(self.symbols)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Expression) and _flat(self) == _flat(other)

    def __hash__(self) -> int:
        return hash(_flat(self))

    def __repr__(self) -> str:
        return f"Expression({_shown(self)})"


class Visit(NamedTuple):
    """One symbol met on a walk; the first has parent -1 and no relation."""

    symbol: Symbol
    parent: int
    relation: Relation | None


EMPTY = Expression()


_END = None
"""Ends a branch in a flat word. Like the relations it is no string: no symbol looks like it."""


def _flat(expression: Expression) -> tuple[str | Relation | None, ...]:
    """The tree as one flat word; equal words, equal trees."""
    word: list[str | Relation | None] = []
    pending: list[tuple[tuple[Symbol, ...], int] | Relation | None] = [(expression.symbols, 0)]
    while pending:
        top = pending.pop()
        if not isinstance(top, tuple):
            word.append(top)
            continue
        symbols, place = top
        while place < len(symbols):
            symbol = symbols[place]
            place += 1
            word.append(symbol.name)
            if symbol.branches:
                pending.append((symbols, place))
                for relation, branch in reversed(symbol.branches):
                    pending += (_END, (branch.symbols, 0), relation)
                break
    return tuple(word)


def _shown(expression: Expression) -> str:
    marks: dict[str | None, str] = {_END: "]", NOTHING: "{}"}
    return " ".join(
        f"{part.value}[" if isinstance(part, Relation) else marks.get(part, str(part))
        for part in _flat(expression)
    )
